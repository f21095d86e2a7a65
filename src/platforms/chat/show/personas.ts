/** The names and pictures under which the sages of a turn post, where the platform allows it. */

import type { Faced } from '../../../charts/face.ts';
import type { Sage, Seat } from '../../../domain/turn.ts';
import { oneEmoji } from '../../../domain/words.ts';
import { shortName } from '../text/visible-text.ts';

/** How a sage of one turn appears. */
export interface Persona {
  /** 1 to {@link longestName} characters; unique in its turn, ignoring case. */
  readonly name: string;
  /** The author name of its messages: the name, with its emoji if that fits. */
  readonly spokenAs: string;
  /** Determines its drawn face. */
  readonly face: Faced;
  /** Public HTTPS URL of a picture. */
  readonly avatarUrl?: string;
  /** Its emoji and a space, or empty. */
  readonly sign: string;
  /** The name as inert Markdown. */
  readonly nameInText: string;
  /** First line of each message as Markdown, if the bot has to post for the sage. */
  readonly label: string;
}

/** The personas of a turn, by the sages' keys. */
export type Personas = ReadonlyMap<string, Persona>;

/** A platform's rules for names. */
export interface NameStyle {
  /** Makes a name that the platform accepts, of 1 to {@link longestName} characters. */
  readonly fit: FitName;
  /** Makes a name safe in the platform's Markdown. */
  readonly inert: (name: string) => string;
}

type FitName = (name: string) => string;

/** In UTF-16 units: Discord's limit, and as much as Slack shows. */
const longestName = 80;
/** Names that could be mistaken for staff or bots. */
const soundsLikeStaff =
  /\b(?:admin\w*|mod|mods|moderator\w*|staff|owner|support|official|system|automod|council)\b/i;

/** The name under which a sage posts, unless another sage of the turn has it. */
export function speakingName(sage: Pick<Sage, 'name' | 'source'>, fitName: FitName): string {
  const name = fitName(sage.name);
  const isDoubtful = sage.source !== 'predefined' && soundsLikeStaff.test(name);
  return isDoubtful ? withSuffix(name, ' (a sage)', fitName) : name;
}

/** Assigns the personas of a turn, with unique names. */
export function personasOf(seats: readonly Seat[], { fit: fitName, inert }: NameStyle): Personas {
  const personas = new Map<string, Persona>();
  const taken = new Set<string>();
  for (const { sage } of seats) {
    const plain = speakingName(sage, fitName);
    let name = plain;
    for (let number = 2; taken.has(name.toLowerCase()); number++)
      name = withSuffix(plain, ` (${number})`, fitName);
    taken.add(name.toLowerCase());
    const { key, source, avatarUrl } = sage;
    const spoken = `${signOf(sage)}${name}`;
    personas.set(key, {
      name,
      spokenAs: fitName(spoken) === spoken ? spoken : name,
      face: { key, name: sage.name, source },
      ...(avatarUrl?.startsWith('https://') ? { avatarUrl } : {}),
      sign: signOf(sage),
      nameInText: inert(name),
      label: labelOf(sage, inert(name)),
    });
  }
  return personas;
}

/** The first line of a message that the bot posts for a sage. */
export function labelOf(sage: Pick<Sage, 'emoji'>, nameInText: string): string {
  return `**${signOf(sage)}${nameInText}**`;
}

function signOf({ emoji }: Pick<Sage, 'emoji'>): string {
  return emoji && oneEmoji.test(emoji) ? `${emoji} ` : '';
}

/** The label of one of several messages. @param index - The first is 0. */
export function numberedLabel({ label }: Persona, index: number): string {
  return index === 0 ? label : `${label} (${index + 1})`;
}

function withSuffix(name: string, suffix: string, fitName: FitName): string {
  return fitName(`${shortName(name, longestName - suffix.length)}${suffix}`);
}

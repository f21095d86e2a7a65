/** Under which names and pictures the sages of a turn appear, where a platform lets them have their own. */

import { LRUCache } from 'lru-cache';
import type { Faced } from '../../../charts/face.ts';
import type { Sage, Seat } from '../../../domain/turn.ts';
import { shortName } from '../text/visible-text.ts';

/** How a sage of one turn appears. */
export interface Persona {
  /** 1 to {@link longestName} characters; unique in its turn, whatever the case. */
  readonly name: string;
  /** Under which it speaks where it has a name of its own: with its emoji, as long as that fits. */
  readonly spokenAs: string;
  /** Whose face it has. */
  readonly face: Faced;
  /** Public https address of a picture. */
  readonly avatarUrl?: string;
  /** Its emoji and a space; empty where it has none. */
  readonly sign: string;
  /** The name as Markdown in which nothing works. */
  readonly nameInText: string;
  /** First line of each message, as Markdown, where the sage has to speak through the bot. */
  readonly label: string;
}

/** The personas of a turn, by the sages' keys. */
export type Personas = ReadonlyMap<string, Persona>;

/** How a platform takes names. */
export interface NameStyle {
  /** Makes a name one that the platform takes, of 1 to {@link longestName} characters. */
  readonly fit: FitName;
  /** Makes a name safe to stand in the platform's Markdown. */
  readonly inert: (name: string) => string;
}

type FitName = (name: string) => string;

/** In UTF-16 units; Discord's bound, and as much as Slack shows. */
export const longestName = 80;
/** Names that only people should speak under. */
const soundsLikeStaff =
  /\b(?:admin\w*|mod|mods|moderator\w*|staff|owner|support|official|system|automod|council)\b/i;

/** @returns The name under which a sage speaks, if no other sage of the turn has it. */
export function speakingName(sage: Pick<Sage, 'name' | 'source'>, fitName: FitName): string {
  const name = fitName(sage.name);
  const isDoubtful = sage.source !== 'predefined' && soundsLikeStaff.test(name);
  return isDoubtful ? withSuffix(name, ' (a sage)', fitName) : name;
}

/** The personas of a turn. */
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

/** First line of what a sage says through the bot. */
export function labelOf(sage: Pick<Sage, 'emoji'>, nameInText: string): string {
  return `**${signOf(sage)}${nameInText}**`;
}

function signOf({ emoji }: Pick<Sage, 'emoji'>): string {
  return emoji && /^\p{RGI_Emoji}$/v.test(emoji) ? `${emoji} ` : '';
}

/** The name of a sage, of what it speaks under: see {@link Persona.spokenAs}. */
export function bareName(spokenAs: string): string {
  return spokenAs.replace(/^\p{RGI_Emoji} (?=.)/v, '');
}

/** The label of one of several messages, the first of which is 0. */
export function numberedLabel({ label }: Persona, index: number): string {
  return index === 0 ? label : `${label} (${index + 1})`;
}

function withSuffix(name: string, suffix: string, fitName: FitName): string {
  return fitName(`${shortName(name, longestName - suffix.length)}${suffix}`);
}

/** Of more places, those unheard of for longest are told once more. */
const mostPlaces = 5000;

/**
 * Where the sages can't speak under their own names, and whether a person who can fix it was told.
 * What a place is, a channel or a workspace, is the platform's: as wide as the permission reaches.
 */
export class PersonaNotices {
  readonly #notice: string;
  readonly #places = new LRUCache<string, 'to tell' | 'told'>({ max: mostPlaces });

  /** @param notice - What is lacking, and where it is granted. */
  constructor(notice: string) {
    this.#notice = notice;
  }

  /** Sages had to speak through the bot in this place. */
  missing(place: string): void {
    if (!this.#places.has(place)) this.#places.set(place, 'to tell');
  }

  /** What a manager of the place should be told, once. */
  take(place: string): string | undefined {
    if (this.#places.get(place) !== 'to tell') return undefined;
    this.#places.set(place, 'told');
    return this.#notice;
  }
}

/** How a sage appears: a name and a picture of its own, and where that can't be, a label. */

import type { Sage } from '../../../council/council.ts';
import type { Seat } from '../../../council/events.ts';
import { inertDiscordName, webhookName } from '../../text/discord-text.ts';
import { outsideCode } from '../../text/outside-code.ts';

/** How a sage of one turn appears. */
export interface Persona {
  /** 1 to 80 characters; unique in its turn. */
  readonly name: string;
  /** The name as Markdown in which nothing works. */
  readonly nameInText: string;
  readonly avatarUrl?: string;
  /** Stands above each message where the sage has to speak through the bot. */
  readonly label: string;
}

const longestName = 80;
const boldBegin = /^([\s>]*)\*\*(?!\*)((?:(?!\*\*).)+)\*\*(?!\*)/gm;
/** Names under which nobody but people should speak. */
const soundsLikeStaff =
  /\b(?:admin\w*|mod|mods|moderator\w*|staff|owner|support|official|system|automod|council)\b/i;

/** @returns The name under which a sage speaks, if no other sage of the turn has it. */
export function speakingName(sage: Pick<Sage, 'name' | 'source'>): string {
  const name = webhookName(sage.name, 'A sage');
  const isDoubtful = sage.source !== 'predefined' && soundsLikeStaff.test(name);
  return isDoubtful ? withSuffix(name, ' (a sage)') : name;
}

/** The personas of a turn, by the sages' keys. */
export function personasOf(seats: readonly Seat[]): ReadonlyMap<string, Persona> {
  const personas = new Map<string, Persona>();
  const taken = new Set<string>();
  for (const { sage } of seats) {
    const plain = speakingName(sage);
    let name = plain;
    for (let number = 2; taken.has(name.toLowerCase()); number++)
      name = withSuffix(plain, ` (${number})`);
    taken.add(name.toLowerCase());
    const { avatarUrl } = sage;
    personas.set(sage.key, {
      name,
      nameInText: inertDiscordName(name),
      label: labelOf(sage, name),
      ...(avatarUrl?.startsWith('https://') ? { avatarUrl } : {}),
    });
  }
  return personas;
}

/**
 * What a sage says below its label. Bold at the beginning of a line would look like the label of
 * another sage, so it is underlined instead; code is left alone.
 */
export function belowLabel(content: string): string {
  return outsideCode(content, (prose) => prose.replace(boldBegin, '$1__$2__'));
}

function labelOf({ emoji }: Sage, name: string): string {
  return `**${emoji ? `${emoji} ` : ''}${inertDiscordName(name)}**`;
}

/** Finds the sage of a bench that has said a message: by the name it was said under, or by its label. */
export function speakerOf(
  said: { readonly name: string | undefined; readonly content: string },
  bench: readonly Sage[],
): Sage | undefined {
  const [firstLine = ''] = said.content.split('\n', 1);
  return bench.find((sage) => {
    const name = speakingName(sage);
    return said.name === undefined ? firstLine === labelOf(sage, name) : said.name === name;
  });
}

function withSuffix(name: string, suffix: string): string {
  const kept = Array.from(name)
    .slice(0, longestName - suffix.length)
    .join('')
    .trim();
  return webhookName(`${kept}${suffix}`, 'A sage');
}

/** How a sage appears: a name and a picture of its own, and where that can't be, a label. */

import type { Sage } from '../../../council/council.ts';
import type { Seat } from '../../../council/events.ts';
import { type Appearance, appearancesOf, speakingName } from '../../chat/show/personas.ts';
import { outsideCode } from '../../chat/text/outside-code.ts';
import { inertDiscordName, webhookName } from '../text/discord-text.ts';

/** How a sage of one turn appears. */
export interface Persona extends Appearance {
  /** The name as Markdown in which nothing works. */
  readonly nameInText: string;
  /** Stands above each message where the sage has to speak through the bot. */
  readonly label: string;
}

const boldBegin = /^([\s>]*)\*\*(?!\*)((?:(?!\*\*).)+)\*\*(?!\*)/gm;

/** The name under which a sage speaks, if no other sage of the turn has it. */
export function discordNameOf(sage: Pick<Sage, 'name' | 'source'>): string {
  return speakingName(sage, fitName);
}

/** The personas of a turn, by the sages' keys. */
export function personasOf(seats: readonly Seat[]): ReadonlyMap<string, Persona> {
  const appearances = appearancesOf(seats, fitName);
  return new Map(
    seats.flatMap(({ sage }) => {
      const appearance = appearances.get(sage.key);
      if (!appearance) return [];
      const { name } = appearance;
      const persona = {
        ...appearance,
        nameInText: inertDiscordName(name),
        label: labelOf(sage, name),
      };
      return [[sage.key, persona] as const];
    }),
  );
}

function fitName(name: string): string {
  return webhookName(name, 'A sage');
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
    const name = discordNameOf(sage);
    return said.name === undefined ? firstLine === labelOf(sage, name) : said.name === name;
  });
}

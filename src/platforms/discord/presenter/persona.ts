/** How a sage appears: a name and a picture of its own, and where that can't be, a label. */

import type { Sage, Seat } from '../../../domain/turn.ts';
import {
  bareName,
  labelOf,
  type NameStyle,
  type Personas,
  personasOf as personasIn,
  speakingName,
} from '../../chat/show/personas.ts';
import { outsideCode } from '../../chat/text/outside-code.ts';
import { inertDiscordName, webhookName } from '../text/discord-text.ts';

const names: NameStyle = { fit: (name) => webhookName(name, 'A sage'), inert: inertDiscordName };

const boldBegin = /^([\s>]*)\*\*(?!\*)((?:(?!\*\*).)+)\*\*(?!\*)/gm;

/** The name under which a sage speaks, if no other sage of the turn has it. */
export function discordNameOf(sage: Pick<Sage, 'name' | 'source'>): string {
  return speakingName(sage, names.fit);
}

/** The personas of a turn, by the sages' keys. */
export function personasOf(seats: readonly Seat[]): Personas {
  return personasIn(seats, names);
}

/** Name of a sage, to stand in Markdown. */
export function nameOf(sage: string, personas: Personas): string {
  return personas.get(sage)?.nameInText ?? inertDiscordName(sage);
}

/**
 * What a sage says below its label. Bold at the beginning of a line would look like the label of
 * another sage, so it is underlined instead; code is left alone.
 */
export function belowLabel(content: string): string {
  return outsideCode(content, (prose) => prose.replace(boldBegin, '$1__$2__'));
}

/** Finds the sage of a bench that has said a message: by the name it was said under, or by its label. */
export function speakerOf(
  said: { readonly name: string | undefined; readonly content: string },
  bench: readonly Sage[],
): Sage | undefined {
  const [firstLine = ''] = said.content.split('\n', 1);
  return bench.find((sage) => {
    const name = discordNameOf(sage);
    return said.name === undefined
      ? firstLine === labelOf(sage, names.inert(name))
      : bareName(said.name) === name;
  });
}

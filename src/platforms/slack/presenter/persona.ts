/** How a sage appears in Slack: a name and a picture of its own, and where that can't be, a label. */

import type { Seat } from '../../../domain/turn.ts';
import { type Persona, type Personas, personasOf as personasIn } from '../../chat/show/personas.ts';
import { outsideCode } from '../../chat/text/outside-code.ts';
import { visibleName } from '../../chat/text/visible-text.ts';
import type { SpeakingAs } from '../api/messages.ts';
import { inertSlackMarkdown, slackName } from '../slack-text.ts';
import emojiNames from './emoji-names.json' with { type: 'json' };

/** Slack's names of emoji by the emoji, without variation selectors: those of iamcal's emoji-data 17, which Slack uses (MIT). */
const shortNames: ReadonlyMap<string, string> = new Map(Object.entries(emojiNames));

const markup = /[\\`*_{}[\]()#+.!|>~-]/g;
const boldBegin = /^([\s>]*)(?:\*\*|__)(?![*_])((?:(?!\*\*|__).)+)(?:\*\*|__)(?![*_])/gm;

/** The personas of a turn, by the sages' keys. */
export function personasOf(seats: readonly Seat[]): Personas {
  return personasIn(seats, { fit: slackName, inert: inertName });
}

/** What the messages of a sage are said under. */
export function speakingAs({ spokenAs, avatarUrl, sign }: Persona): SpeakingAs {
  if (avatarUrl) return { username: spokenAs, icon_url: avatarUrl };
  const short = shortNames.get(sign.trim().replaceAll('\ufe0f', ''));
  return { username: spokenAs, ...(short === undefined ? {} : { icon_emoji: `:${short}:` }) };
}

/** Name of a sage in our own words. */
export function nameOf(sage: string, personas: Personas): string {
  return personas.get(sage)?.name ?? visibleName(sage);
}

/** A name as Markdown in which nothing works. */
export function inertName(name: string): string {
  return inertSlackMarkdown(slackName(name).replace(markup, '\\$&'));
}

/**
 * What a sage says below its label. Bold at the beginning of a line would look like the label of
 * another sage, so it is slanted instead; code is left alone.
 */
export function belowLabel(markdown: string): string {
  return outsideCode(markdown, (prose) => prose.replace(boldBegin, '$1*$2*'));
}

/** Whether a message that Slack shows begins with a sage's label, in whichever of its own marks. */
export function beginsWithLabel(text: string, { label }: Pick<Persona, 'label'>): boolean {
  const bare = (line: string) =>
    line.replace(/&amp;|&lt;|&gt;|[^\p{L}\p{N}\p{Extended_Pictographic}]/gu, '');
  const [firstLine = ''] = text.split('\n', 1);
  return bare(firstLine) === bare(label);
}

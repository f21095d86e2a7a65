/** How a sage appears in Slack: a name and a picture of its own, and where that can't be, a label. */

import { verdictTitle } from '../../../domain/ballot-words.ts';
import type { Seat } from '../../../domain/turn.ts';
import {
  numberedLabel,
  type Persona,
  type Personas,
  personasOf as personasIn,
} from '../../chat/show/personas.ts';
import { outsideCode } from '../../chat/text/outside-code.ts';
import { splitMarkdown } from '../../chat/text/split-markdown.ts';
import { visibleName } from '../../chat/text/visible-text.ts';
import type { SpeakingAs } from '../api/messages.ts';
import { escapeSlackText, inertSlackMarkdown, slackName, slackNotice } from '../slack-text.ts';
import { maxMarkdownChars } from './blocks.ts';
import emojiNames from './emoji-names.json' with { type: 'json' };
import { settledMarkdown } from './growing-message.ts';
import type { Voice } from './streamed-text.ts';

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

const longestNotice = 300;
/** What stands behind a label from the second piece on. */
const longestNumber = 10;
/** The ranking and the buttons stand in the verdict's last message, and count as well. */
const longestVerdictPiece = maxMarkdownChars - 1500;

/**
 * @param sage - Its key.
 * @param hasPersonas - Sages may speak under their own names; else a label stands above what they say.
 */
export function sageVoice(sage: string, persona: Persona, hasPersonas: boolean): Voice {
  const labelled = (inert: string, split: Split) =>
    hasPersonas
      ? split(inert.trimStart(), maxMarkdownChars)
      : withLabel(belowLabel(inert.trimStart()), persona, split);
  const ownName = speakingAs(persona);
  return {
    part: `answer ${sage}`,
    label: persona.label,
    speakingAs: hasPersonas ? ownName : undefined,
    settled: (text) => {
      const settled = settledMarkdown(text, hasPersonas ? 'word' : 'line');
      return settled.trim() === '' ? '' : (labelled(settled, whole)[0] ?? '');
    },
    pieces: (text, note = '') => {
      const inert = inertSlackMarkdown(text);
      if (inert.trim() === '') return note === '' ? [] : labelled(note, whole);
      return partedAbove(note, (room) =>
        labelled(inert, (one, most) => splitMarkdown(one, most - room)),
      );
    },
    notice: (piece) => `${escapeSlackText(persona.name)}: ${slackNotice(piece, longestNotice)}`,
    isOwn: ({ username, text }) =>
      username === undefined ? beginsWithLabel(text, persona) : username === ownName.username,
  };
}

const title = verdictTitle({ kind: 'synthesis' });

/** The verdict, while the chair writes it. */
export const verdictVoice: Voice = {
  part: 'verdict',
  label: '',
  speakingAs: undefined,
  settled: (text) => {
    const settled = settledMarkdown(text, 'word');
    return settled.trim() === ''
      ? ''
      : (whole(titled(title, settled), longestVerdictPiece)[0] ?? '');
  },
  pieces: (text, note = '') =>
    partedAbove(note, (room) =>
      splitMarkdown(titled(title, inertSlackMarkdown(text)), longestVerdictPiece - room),
    ),
  notice: (piece) => slackNotice(piece.replace(/^## (.*)\n+/, '$1: '), longestNotice),
  isOwn: ({ username, text }) => username === undefined && beginsWithLabel(text, { label: title }),
};

/**
 * The pieces of a whole verdict.
 *
 * @param markdown - Inert.
 */
export function verdictPieces(kindTitle: string, markdown: string): readonly string[] {
  return splitMarkdown(titled(kindTitle, markdown), longestVerdictPiece);
}

function titled(heading: string, inert: string): string {
  return `## ${heading}\n\n${inert.trimStart()}`;
}

/** @param part - Given the room that the note takes of each piece. */
function partedAbove(note: string, part: (room: number) => readonly string[]): readonly string[] {
  const below = note === '' ? '' : `\n\n${note}`;
  const pieces = part(below.length);
  const last = pieces.length - 1;
  return pieces.map((piece, index) => (index === last ? `${piece}${below}` : piece));
}

/** Splits Markdown into pieces of so many characters at most. */
type Split = (text: string, room: number) => readonly string[];

/** A text that fits is left as it is, white space and open code included, because it goes on growing. */
function whole(text: string, room: number): readonly string[] {
  return text.length <= room ? [text] : splitMarkdown(text, room);
}

function withLabel(text: string, persona: Persona, split: Split): readonly string[] {
  const pieces = split(text, maxMarkdownChars - persona.label.length - longestNumber);
  return pieces.map((piece, index) => `${numberedLabel(persona, index)}\n\n${piece}`);
}

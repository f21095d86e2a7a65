/** How sages and the chair appear in Slack: under a name and picture of their own, or with a label above their text. */

import type { TurnWords } from '../../../domain/languages/english.ts';
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
import { settledMarkdown, type Voice } from './growing-message.ts';

/** Slack's short names by emoji without variation selectors, but for most flags and men, from iamcal's emoji-data 17 (MIT), which Slack uses. */
const shortNames: ReadonlyMap<string, string> = new Map(Object.entries(emojiNames));

const markup = /[\\`*_{}[\]()#+.!|>~-]/g;
const boldBegin = /^([\s>]*)(?:\*\*|__)(?![*_])((?:(?!\*\*|__).)+)(?:\*\*|__)(?![*_])/gm;

/** The personas of a turn, by sage key. */
export function personasOf(seats: readonly Seat[]): Personas {
  return personasIn(seats, { fit: slackName, inert: inertName });
}

/** The name and picture of a sage's messages. */
export function speakingAs({ spokenAs, avatarUrl, sign }: Persona): SpeakingAs {
  if (avatarUrl) return { username: spokenAs, icon_url: avatarUrl };
  const bare = sign.trim().replaceAll('\ufe0f', '');
  const short = shortNames.get(bare) ?? maleName(bare) ?? flagName(bare);
  return { username: spokenAs, ...(short === undefined ? {} : { icon_emoji: `:${short}:` }) };
}

/** Slack's short name of a man or men, as of women: `male-doctor`, `man-running`; `undefined` if there are none. */
function maleName(sign: string): string | undefined {
  const female = sign.replace('♂', '♀').replace('👨', '👩');
  return shortNames.get(female)?.replace(/wo(?=m[ae]n)|fe(?=male)/, '');
}

/** Slack's short name of a country's flag; `undefined` for any other text. */
function flagName(sign: string): string | undefined {
  if (!/^\p{RGI_Emoji_Flag_Sequence}$/v.test(sign)) return undefined;
  const letterOf = (part: string) => String.fromCodePoint((part.codePointAt(0) ?? 0) - 0x1f185);
  return `flag-${[...sign].map(letterOf).join('')}`;
}

/** A sage's name for plain text. */
export function nameOf(sage: string, personas: Personas): string {
  return personas.get(sage)?.name ?? visibleName(sage);
}

/** A name as Markdown, with all markup disabled. */
export function inertName(name: string): string {
  return inertSlackMarkdown(slackName(name).replace(markup, '\\$&'));
}

/**
 * Prepares text for below a label: bold at the start of a line would look like another sage's label, so
 * it becomes italic. Code is unchanged.
 */
export function belowLabel(markdown: string): string {
  return outsideCode(markdown, (prose) => prose.replace(boldBegin, '$1*$2*'));
}

/** Whether a message begins with a label, ignoring Slack's markup. */
export function beginsWithLabel(text: string, { label }: Pick<Persona, 'label'>): boolean {
  const bare = (line: string) =>
    line.replace(/&amp;|&lt;|&gt;|[^\p{L}\p{N}\p{Extended_Pictographic}]/gu, '');
  const [firstLine = ''] = text.split('\n', 1);
  return bare(firstLine) === bare(label);
}

const longestNotice = 300;
/** Room for the number behind a label from the second piece on. */
const longestNumber = 10;
/** Leaves room for the ranking and buttons in the verdict's last message, which count as well. */
const longestVerdictPiece = maxMarkdownChars - 1500;

/**
 * @param sage - Its key.
 * @param hasPersonas - Whether sages may post under their own names; otherwise a label is put above their text.
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

/** The chair's voice while it writes the verdict. */
export function verdictVoice({ verdict: title }: TurnWords): Voice {
  return {
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
    isOwn: ({ username, text }) =>
      username === undefined && beginsWithLabel(text, { label: title }),
  };
}

/**
 * Splits a whole verdict into messages.
 *
 * @param markdown - Inert.
 */
export function verdictPieces(kindTitle: string, markdown: string): readonly string[] {
  return splitMarkdown(titled(kindTitle, markdown), longestVerdictPiece);
}

function titled(heading: string, inert: string): string {
  return `## ${heading}\n\n${inert.trimStart()}`;
}

/** Appends a note to the last piece. @param part - Splits the text, leaving the given room in each piece. */
function partedAbove(note: string, part: (room: number) => readonly string[]): readonly string[] {
  const below = note === '' ? '' : `\n\n${note}`;
  const pieces = part(below.length);
  const last = pieces.length - 1;
  return pieces.map((piece, index) => (index === last ? `${piece}${below}` : piece));
}

/** Splits Markdown into pieces of at most `room` characters. */
type Split = (text: string, room: number) => readonly string[];

/** Leaves a text that fits unchanged, even white space and open code, because it is still growing. */
function whole(text: string, room: number): readonly string[] {
  return text.length <= room ? [text] : splitMarkdown(text, room);
}

function withLabel(text: string, persona: Persona, split: Split): readonly string[] {
  const pieces = split(text, maxMarkdownChars - persona.label.length - longestNumber);
  return pieces.map((piece, index) => `${numberedLabel(persona, index)}\n\n${piece}`);
}

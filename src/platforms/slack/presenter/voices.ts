/** Who speaks in a turn: the sages under names of their own, and the chair. */

import { verdictTitle } from '../../../domain/turn-words.ts';
import { numberedLabel, type Persona } from '../../chat/show/personas.ts';
import { splitMarkdown } from '../../chat/text/split-markdown.ts';
import { escapeSlackText, inertSlackMarkdown, slackNotice } from '../slack-text.ts';
import { mostMarkdownChars } from './blocks.ts';
import { settledMarkdown } from './growing-message.ts';
import { beginsWithLabel, belowLabel, speakingAs } from './persona.ts';
import type { Voice } from './streamed-text.ts';

const longestNotice = 300;
/** What stands behind a label from the second piece on. */
const longestNumber = 10;
/** The ranking and the buttons stand in the verdict's last message, and count as well. */
const longestVerdictPiece = mostMarkdownChars - 1500;

/**
 * @param sage - Its key.
 * @param hasPersonas - Sages may speak under their own names; else a label stands above what they say.
 */
export function sageVoice(sage: string, persona: Persona, hasPersonas: boolean): Voice {
  const labelled = (inert: string, split: Split) =>
    hasPersonas
      ? split(inert.trimStart(), mostMarkdownChars)
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
  const pieces = split(text, mostMarkdownChars - persona.label.length - longestNumber);
  return pieces.map((piece, index) => `${numberedLabel(persona, index)}\n\n${piece}`);
}

/** What a turn says, as messages of Discord. What models wrote is made inert here. */

import { ButtonStyle, ComponentType } from 'discord.js';
import type { TurnEnd } from '../../../council/events.ts';
import type { Ranked } from '../../../domain/stored-turn.ts';
import type { Verdict } from '../../../domain/turn.ts';
import { verdictTitle } from '../../../domain/turn-words.ts';
import { firstCharacters } from '../../../domain/words.ts';
import { againLabel, postLabel, type VerdictOffers } from '../../chat/asking/turn-actions.ts';
import type { Part } from '../../chat/show/canvas.ts';
import type { Personas } from '../../chat/show/personas.ts';
import {
  certaintyLines,
  verdictMarkdown as plainVerdict,
  roundMarkdown,
} from '../../chat/show/verdict-words.ts';
import { splitMarkdown } from '../../chat/text/split-markdown.ts';
import { customIdOf } from '../custom-id.ts';
import type { MessageFile } from '../rest/messages.ts';
import { discordMarkdown, inertDiscordLine, inertDiscordText } from '../text/discord-text.ts';
import {
  accents,
  button,
  buttonRow,
  type Component,
  container,
  filePart,
  type Row,
  textPart,
} from './components.ts';
import { nameOf } from './persona.ts';
import { markOf, mostQuestionPosts } from './turn-marks.ts';

/** One message of an answer. */
export interface AnswerMessage {
  readonly content: string;
  /** Goes with the message and holds all of the answer. */
  readonly file?: MessageFile;
  /** What is said instead where files are not allowed: all of the answer, in pieces. */
  readonly instead?: readonly string[];
}

/** Of a whole turn, so that a thread stays readable and a channel's limits go round. */
const mostPosts = 10;
/** Card, ranking and verdict. */
const besidesAnswers = 3;
/** Ends the beginning of what a file holds. */
export const inFile = '\n-# Only the beginning; the file has all of it.';

/**
 * How many messages each answer may take: at least one, and as many for every seat. Told by the seats
 * alone, so that a turn that is resumed splits as before.
 */
export function answerPosts(seats: number): number {
  return Math.max(1, Math.floor((mostPosts - besidesAnswers) / seats));
}

/**
 * @param markdown - As the model wrote it.
 * @param shape.room - Characters of one message.
 * @param shape.most - Messages that it may take, at least 1.
 * @param shape.suffix - Follows the last message, within its room.
 * @param shape.fileName - Without an ending.
 * @returns At least one message, unless the text is blank.
 */
export function answerMessages(
  markdown: string,
  shape: {
    readonly room: number;
    readonly most: number;
    readonly suffix: string;
    readonly fileName: string;
  },
): readonly AnswerMessage[] {
  const { room, most, suffix, fileName } = shape;
  const shown = discordMarkdown(markdown);
  const roomForTwins = (most - 1) * unseen.length;
  const pieces = withSuffix(splitMarkdown(shown, room - suffix.length - roomForTwins), suffix);
  if (pieces.length <= most) return distinct(pieces).map((content) => ({ content }));
  const note = `${inFile}${suffix}`;
  const [beginning = ''] = splitMarkdown(shown, room - note.length);
  const file = markdownFile(fileName, markdown);
  return [{ content: `${beginning}${note}`, file, instead: pieces }];
}

/** @param name - Without its ending; what a file can't be called by is replaced. */
export function markdownFile(name: string, markdown: string): MessageFile {
  const kept = name.replace(/[^\p{L}\p{N}_-]+/gu, '-');
  return { name: `${kept}.md`, data: markdown, contentType: 'text/markdown; charset=utf-8' };
}

function withSuffix(pieces: readonly string[], suffix: string): readonly string[] {
  const last = pieces.length - 1;
  return pieces.map((piece, index) => (index === last ? `${piece}${suffix}` : piece));
}

/** A space that Discord does not cut off: nothing that is seen follows it. */
const unseen = ' \u200b';

/** A sage's message carries no mark and is known by its words, so no two of an answer may be the same. */
function distinct(pieces: readonly string[]): readonly string[] {
  return pieces.map((piece, index) => {
    const twins = pieces.slice(0, index).filter((other) => other === piece);
    return `${piece}${unseen.repeat(twins.length)}`;
  });
}

/** A message of the council itself. */
export interface CouncilMessage {
  /** The number that the components carry, see `markOf`. */
  readonly mark: number;
  readonly components: readonly Component[];
  readonly files?: readonly MessageFile[];
  /** Id of the one person whom it may mention; absent: none. */
  readonly pings?: string;
  /** What is posted instead where files are not allowed; the first one has the same mark. */
  readonly instead?: readonly CouncilMessage[];
}

/** Room is left for the buttons' labels and the like, which count as well. */
export const longestPiece = 3800;

/** Discord's bound for the label of an option, in characters. */
const longestOption = 100;
/** Room that the parts below a verdict leave to it. */
const longestUses = 300;

const longestVerdictPiece = longestPiece - longestUses;

/** What is in dispute, or what a party says to it. */
export function roundMessage(
  turnId: string,
  { index, said }: Extract<Part, { kind: 'round' }>,
  personas: Personas,
): CouncilMessage {
  const mark = markOf(turnId, 'round', index);
  const names = {
    nameOf: (sage: string) => nameOf(sage, personas),
    inert: inertDiscordLine,
  };
  return inOne(roundMarkdown(said, names), mark);
}

/** As much of a text as fits into one message. */
function inOne(markdown: string, mark: number): CouncilMessage {
  const [piece = ''] = splitMarkdown(markdown, longestPiece);
  return { mark, components: [container([textPart(piece, mark)])] };
}

/** Where the verdict is too long for a message, its beginning, with all of it as a file. */
export function verdictMessage(
  turnId: string,
  verdict: Verdict,
  ranked: Ranked | undefined,
  offers: VerdictOffers,
  personas: Personas,
): CouncilMessage {
  const markdown = verdictMarkdown(verdict, ranked, personas);
  const mark = markOf(turnId, 'verdict', 0);
  const accent = verdict.kind === 'synthesis' ? accents.answered : accents.doubtful;
  const below = belowVerdict(turnId, offers);
  const texts = splitMarkdown(markdown, longestVerdictPiece);
  const pieces = texts.map((piece, index): CouncilMessage => {
    const ownMark = markOf(turnId, 'verdict', index);
    const isLast = index === texts.length - 1;
    const parts = [textPart(piece, ownMark), ...(isLast ? below : [])];
    return { mark: ownMark, components: [container(parts, accent)] };
  });
  const [first, ...more] = pieces;
  if (first && more.length === 0) return first;
  const [beginning = ''] = splitMarkdown(markdown, longestVerdictPiece - inFile.length);
  const file = markdownFile('verdict', markdown);
  const text = textPart(`${beginning}${inFile}`, mark);
  const components = [container([text], accent), filePart(file.name), container(below)];
  return { mark, components, files: [file], instead: pieces };
}

const questionTitle = '-# The whole question\n';

/** The whole question of a turn whose card has only its beginning. */
export function questionMessages(turnId: string, question: string): readonly CouncilMessage[] {
  const whole = `${questionTitle}${inertDiscordText(question)}`;
  return splitMarkdown(whole, longestPiece)
    .slice(0, mostQuestionPosts)
    .map((piece, index) => inOne(piece, markOf(turnId, 'question', index)));
}

/** The only message that may mention a person. */
export function pingMessage(turnId: string, personId: string, words: string): CouncilMessage {
  const mark = markOf(turnId, 'ping');
  return { mark, components: [textPart(`<@${personId}> ${words}`, mark)], pings: personId };
}

/** How a turn ended that no sage answered. */
export function endMessage(turnId: string, end: TurnEnd): CouncilMessage {
  const text = inertDiscordLine(end.explanation);
  const said = end.outcome === 'stopped' ? `⏹️ ${text}` : `⚠️ The council could not answer. ${text}`;
  return inOne(said, markOf(turnId, 'end'));
}

/** Markdown of the whole verdict; longer than one message may be. */
function verdictMarkdown(verdict: Verdict, ranked: Ranked | undefined, personas: Personas): string {
  return [
    `## ${verdictTitle(verdict)}`,
    plainVerdict(verdict, {
      inert: inertDiscordText,
      inertBody: discordMarkdown,
      nameOf: (sage) => nameOf(sage, personas),
    }),
    ...certaintyLines(verdict, ranked, inertDiscordLine).map((line) => `-# ${line}`),
  ].join('\n\n');
}

/** What people can do below a verdict, as parts of a container. */
function belowVerdict(turnId: string, offers: VerdictOffers) {
  const { again, next, mayPost, notes } = offers;
  const uses = firstCharacters(notes.map((note) => `-# ${note}`).join('\n'), longestUses);
  return [
    ...(uses === '' ? [] : [textPart(uses)]),
    ...buttonRow([
      button('👍', { kind: 'feedback', turnId, rating: 'good' }),
      button('👎', { kind: 'feedback', turnId, rating: 'bad' }),
      button('Receipt', { kind: 'view', view: 'receipt', turnId }),
      ...(mayPost ? [button(postLabel, { kind: 'post', turnId })] : []),
    ]),
    ...againMenu(turnId, again),
    ...buttonRow(
      next.map(({ question, number }) =>
        button(question, { kind: 'next', turnId, number }, ButtonStyle.Primary),
      ),
    ),
  ];
}

function againMenu(turnId: string, again: VerdictOffers['again']): readonly Row[] {
  const custom_id = customIdOf({ kind: 'one', turnId });
  if (custom_id === undefined || again.length === 0) return [];
  const options = again.map(({ label, pick }) => ({
    label: firstCharacters(label, longestOption),
    value: pick,
  }));
  const menu = { type: ComponentType.StringSelect, custom_id, placeholder: againLabel, options };
  return [
    { type: ComponentType.ActionRow, components: [{ ...menu, type: ComponentType.StringSelect }] },
  ];
}

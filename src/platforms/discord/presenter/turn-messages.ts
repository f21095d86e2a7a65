/** Builds the messages of a turn. Text by models becomes inert here. */

import { ButtonStyle, ComponentType } from 'discord.js';
import type { TurnEnd } from '../../../council/events.ts';
import type { TurnWords } from '../../../domain/languages/english.ts';
import type { Ranked } from '../../../domain/stored-turn.ts';
import type { Verdict } from '../../../domain/turn.ts';
import { verdictTitle } from '../../../domain/turn-words.ts';
import { firstCharacters } from '../../../domain/words.ts';
import type { VerdictOffers } from '../../chat/asking/turn-actions.ts';
import type { Part } from '../../chat/show/canvas.ts';
import type { Persona, Personas } from '../../chat/show/personas.ts';
import { stoppedSentence } from '../../chat/show/progress-words.ts';
import { certaintyLines, roundMarkdown, verdictMarkdown } from '../../chat/show/verdict-words.ts';
import { splitMarkdown } from '../../chat/text/split-markdown.ts';
import { customIdOf } from '../custom-id.ts';
import { discordMarkdown, inertDiscordLine, inertDiscordText } from '../discord-text.ts';
import type { MessageFile } from '../rest/messages.ts';
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
import { markOf, maxQuestionPosts } from './turn-marks.ts';

/** One message of an answer. */
export interface AnswerMessage {
  readonly content: string;
  /** Attached to the message, with the whole answer. */
  readonly file?: MessageFile;
  /** The whole answer in pieces, for places where files are not allowed. */
  readonly fallback?: readonly string[];
}

/** Discord's limit for a message, in characters. */
const longestMessage = 2000;
/** For ` (7)` and a line feed after a label. */
const labelExtras = 10;
/** Per turn, so that a thread stays readable and within a channel's rate limits. */
const maxPosts = 10;
/** The card, the ranking and the verdict. */
const otherPosts = 3;
/** Follows a text that a file continues. */
function continuedInFile({ onlyBeginning }: TurnWords): string {
  return `\n-# ${onlyBeginning}`;
}

/**
 * @param markdown - As the model wrote it.
 * @param suffix - Ends the last message.
 * @param seats - Of the turn. How many messages the answer may take depends only on them, so a resumed turn
 *   splits as before.
 * @returns At least one message, unless the text is blank.
 */
export function answerMessages(
  { name, label }: Persona,
  markdown: string,
  suffix: string,
  seats: number,
  words: TurnWords,
): readonly AnswerMessage[] {
  // Leaves room for the label of a sage that speaks through the bot.
  const room = longestMessage - label.length - labelExtras;
  const most = Math.max(1, Math.floor((maxPosts - otherPosts) / seats));
  const shown = discordMarkdown(markdown);
  const roomForSuffixes = (most - 1) * invisibleSuffix.length;
  const texts = splitMarkdown(shown, room - suffix.length - roomForSuffixes);
  const pieces = texts.map((text, index) => (index < texts.length - 1 ? text : `${text}${suffix}`));
  if (pieces.length <= most) return distinct(pieces).map((content) => ({ content }));
  const note = `${continuedInFile(words)}${suffix}`;
  const [beginning = ''] = splitMarkdown(shown, room - note.length);
  return [{ content: `${beginning}${note}`, file: markdownFile(name, markdown), fallback: pieces }];
}

/** @param name - Without extension; characters that don't fit a file name are replaced. */
function markdownFile(name: string, markdown: string): MessageFile {
  const kept = name.replace(/[^\p{L}\p{N}_-]+/gu, '-');
  return { name: `${kept}.md`, data: markdown, contentType: 'text/markdown; charset=utf-8' };
}

/** A space that Discord doesn't trim, because an invisible character follows it. */
const invisibleSuffix = ' \u200b';

/** A sage's messages have no marks and are recognized by their text, so no two may be equal. */
function distinct(pieces: readonly string[]): readonly string[] {
  return pieces.map((piece, index) => {
    const repeats = pieces.slice(0, index).filter((other) => other === piece);
    return `${piece}${invisibleSuffix.repeat(repeats.length)}`;
  });
}

/** A message by the council itself. */
export interface CouncilMessage {
  /** The component id by which it is found again, see `markOf`. */
  readonly mark: number;
  readonly components: readonly Component[];
  readonly files?: readonly MessageFile[];
  /** Id of the one person it may mention. */
  readonly pings?: string;
  /** Posted instead where files are not allowed; the first one has the same mark. */
  readonly fallback?: readonly CouncilMessage[];
}

/** In characters, with room for button labels, which count as well. */
export const longestPiece = 3800;

/** Discord's limit for an option's label, in characters. */
const longestOption = 100;
/** The most characters of the notes below a verdict. */
const longestNotes = 300;
/** In characters: Discord's limit without the labels of three next questions. */
const verdictRoom = 4000 - 184;

/** The contradictions, or what a party says about them. */
export function roundMessage(
  turnId: string,
  { index, said }: Extract<Part, { kind: 'round' }>,
  personas: Personas,
  words: TurnWords,
): CouncilMessage {
  const mark = markOf(turnId, 'round', index);
  const names = {
    words,
    nameOf: (sage: string) => nameOf(sage, personas),
    inert: inertDiscordLine,
  };
  return singleMessage(roundMarkdown(said, names), mark);
}

/** One message with as much of the text as fits. */
function singleMessage(markdown: string, mark: number): CouncilMessage {
  const [piece = ''] = splitMarkdown(markdown, longestPiece);
  return { mark, components: [container([textPart(piece, mark)])] };
}

/** The verdict; if it is too long for a message, its beginning and a file with all of it. */
export function verdictMessage(
  turnId: string,
  verdict: Verdict,
  ranked: Ranked | undefined,
  offers: VerdictOffers,
  personas: Personas,
  words: TurnWords,
): CouncilMessage {
  const markdown = [
    `## ${verdictTitle(verdict, words)}`,
    verdictMarkdown(verdict, {
      words,
      inert: inertDiscordText,
      inertBody: discordMarkdown,
      nameOf: (sage) => nameOf(sage, personas),
    }),
    ...certaintyLines(verdict, ranked, inertDiscordLine, words).map((line) => `-# ${line}`),
  ].join('\n\n');
  const mark = markOf(turnId, 'verdict', 0);
  const accent = verdict.kind === 'synthesis' ? accents.answered : accents.doubtful;
  // The labels of all other actions count as well.
  const most = verdictRoom - `${words.receipt}${words.post}${words.again}`.length;
  const below = (said: string) => verdictActions(turnId, offers, most - said.length, words);
  const texts = splitMarkdown(markdown, most);
  const pieces = texts.map((piece, index): CouncilMessage => {
    const ownMark = markOf(turnId, 'verdict', index);
    const isLast = index === texts.length - 1;
    const parts = [textPart(piece, ownMark), ...(isLast ? below(piece) : [])];
    return { mark: ownMark, components: [container(parts, accent)] };
  });
  const [first, ...more] = pieces;
  if (first && more.length === 0) return first;
  const room = most - longestNotes - continuedInFile(words).length;
  const [beginning = ''] = splitMarkdown(markdown, room);
  const file = markdownFile('verdict', markdown);
  const shown = `${beginning}${continuedInFile(words)}`;
  const text = container([textPart(shown, mark)], accent);
  const components = [text, filePart(file.name), container(below(shown))];
  return { mark, components, files: [file], fallback: pieces };
}

/** The whole question, for a turn whose card cuts it short. */
export function questionMessages(
  turnId: string,
  question: string,
  { wholeQuestion }: TurnWords,
): readonly CouncilMessage[] {
  const whole = `-# ${wholeQuestion}\n${inertDiscordText(question)}`;
  return splitMarkdown(whole, longestPiece)
    .slice(0, maxQuestionPosts)
    .map((piece, index) => singleMessage(piece, markOf(turnId, 'question', index)));
}

/** The only message that mentions a person. */
export function pingMessage(turnId: string, personId: string, words: string): CouncilMessage {
  const mark = markOf(turnId, 'ping');
  return { mark, components: [textPart(`<@${personId}> ${words}`, mark)], pings: personId };
}

/** How a turn without answers ended. */
export function endMessage(turnId: string, end: TurnEnd, words: TurnWords): CouncilMessage {
  const text = inertDiscordLine(end.explanation);
  const said =
    end.outcome === 'stopped'
      ? `⏹️ ${stoppedSentence(end, words)}`
      : `⚠️ ${words.couldNotAnswer} ${text}`;
  return singleMessage(said, markOf(turnId, 'end'));
}

/** The actions below a verdict, as parts of a container. @param room - For the notes, in characters; where they need more, there are none. */
function verdictActions(turnId: string, offers: VerdictOffers, room: number, words: TurnWords) {
  const { again, next, mayPost, notes } = offers;
  const small = notes.map((note) => `-# ${note}`).join('\n');
  const noteText = small.length <= room ? firstCharacters(small, longestNotes) : '';
  return [
    ...(noteText === '' ? [] : [textPart(noteText)]),
    ...buttonRow([
      button('👍', { kind: 'feedback', turnId, rating: 'good' }),
      button('👎', { kind: 'feedback', turnId, rating: 'bad' }),
      button(words.receipt, { kind: 'view', view: 'receipt', turnId }),
      ...(mayPost ? [button(words.post, { kind: 'post', turnId })] : []),
    ]),
    ...againMenu(turnId, again, words),
    ...buttonRow(
      next.map(({ question, number }) =>
        button(question, { kind: 'next', turnId, number }, ButtonStyle.Primary),
      ),
    ),
  ];
}

function againMenu(
  turnId: string,
  again: VerdictOffers['again'],
  words: TurnWords,
): readonly Row[] {
  const custom_id = customIdOf({ kind: 'one', turnId });
  if (custom_id === undefined || again.length === 0) return [];
  const options = again.map(({ label, pick }) => ({
    label: firstCharacters(label, longestOption),
    value: pick,
  }));
  const type = ComponentType.StringSelect as const;
  const menu = { type, custom_id, placeholder: words.again, options };
  return [{ type: ComponentType.ActionRow, components: [menu] }];
}

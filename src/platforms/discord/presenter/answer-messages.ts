/** An answer as messages: in pieces, and where it would take too many, its beginning with the whole of it as a file. */

import { splitMarkdown } from '../../chat/text/split-markdown.ts';
import type { MessageFile } from '../rest/messages.ts';
import { discordMarkdown } from '../text/discord-text.ts';

/** One message of several. */
export interface AnswerMessage {
  readonly content: string;
  /** Goes with the message and holds all of the answer. */
  readonly file?: MessageFile;
  /** What is said in its place where files are not permitted: all of the answer, in pieces. */
  readonly instead?: readonly string[];
}

/** Of a whole turn, so that a thread stays readable and a channel's limits go round. */
const mostPosts = 10;
/** Card, ranking and verdict. */
const besidesAnswers = 3;
/** Ends the beginning of what a file holds. */
export const inFile = '\n-# Only the beginning; the file has all of it.';

/**
 * How many messages an answer may take: each at least one, and what is left of a turn's goes round in
 * the order of the seats. Told by the seats alone, so that a turn that is resumed splits as before.
 *
 * @param seat - Which of the seats, from 0.
 */
export function answerPosts(seats: number, seat: number): number {
  const spare = Math.max(0, mostPosts - besidesAnswers - seats);
  return 1 + Math.floor(spare / seats) + (seat < spare % seats ? 1 : 0);
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
  const pieces = withSuffix(splitMarkdown(shown, room - suffix.length), suffix);
  if (pieces.length <= most) return pieces.map((content) => ({ content }));
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

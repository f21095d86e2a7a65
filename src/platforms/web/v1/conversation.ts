/** Splits a sent conversation into the question and what was said before it. */

import { hash } from 'node:crypto';
import type { Heard, HeardMessage, ReadingLimits } from '../../../domain/heard.ts';
import type { Source } from '../../../domain/source.ts';
import { oneLine } from '../../../domain/words.ts';
import { longestShare, withinLimits, wordlessQuestion } from '../../chat/surroundings.ts';
import type { Uploads } from '../question-fields.ts';
import { CodedError } from '../refusals.ts';
import type { SentMessage } from './requests.ts';

/** Limits on what is read of a conversation. */
export interface ConversationLimits extends ReadingLimits {
  readonly maxQuestionChars: number;
}

/** The context of a question. */
export interface Asking {
  /** `platform:workspace:channel`. */
  readonly place: string;
  readonly eventId: string;
  readonly author: { readonly id: string; readonly name: string };
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly limits: ConversationLimits;
  /** Keeps the sent files. */
  readonly uploads: Uploads;
  /** What the council replied in the thread, which remembers it with the questions: neither is read again. */
  readonly replies?: readonly string[];
}

/** A question with its context. */
export interface Conversation {
  readonly question: string;
  /** The program's system prompt; absent: there is none. */
  readonly instructions?: string;
  /** Absent: there is only the question. */
  readonly heard?: Heard;
}

/**
 * Takes the user's last message as the question. If it is too long, the whole message becomes a document, and its
 * beginning and end the question: people ask before or after what they paste, programs after their documents and
 * code. Long instructions and earlier messages become documents too.
 *
 * @throws {CodedError} if no message of the user has text or files.
 */
export function conversationOf(messages: readonly SentMessage[], asking: Asking): Conversation {
  const { place, limits, uploads, replies = [] } = asking;
  const asked = messages.findLast(({ by, text, files }) => {
    return by === 'user' && (text.trim() !== '' || files.some(({ address }) => address !== ''));
  });
  if (!asked) {
    const why = 'There is no question: no user message has any text.';
    throw new CodedError(400, 'invalid_value', why, 'messages');
  }
  const told = messages
    .flatMap(({ by, text }) => (by === 'instructions' ? [text.trim()] : []))
    .join('\n\n');
  const instructions = told.slice(0, limits.contextChars).toWellFormed();
  const whole = asked.text.trim();
  const question = beginningAndEnd(whole, limits.maxQuestionChars) || wordlessQuestion;
  const documentOf = documentsWithin(asking);
  const sources = [
    ...(question.length < whole.length ? documentOf(whole) : []),
    ...(instructions.length < told.length ? documentOf(told) : []),
    ...asked.files.map(({ name, address }) => uploads.keep(name, address)),
  ];
  const isReply = (message: SentMessage | undefined) =>
    message?.by === 'assistant' && replies.some((one) => message.text.trimEnd().endsWith(one));
  // Newest first, so that the newest get the room for documents.
  const earlier = [...messages.entries()].toReversed().flatMap(([index, message]) => {
    const isRemembered = isReply(message.by === 'user' ? messages[index + 1] : message);
    if (message === asked || message.by === 'instructions' || isRemembered) return [];
    // As a message, a longer one would be cut.
    const isShort = message.text.length <= limits.contextChars * longestShare;
    const document = isShort ? [] : documentOf(message.text.trim());
    const shown = { ...message, ...(document.length > 0 && { text: '' }) };
    const said = heardOf(shown, document, messages.length - index, asking);
    return said.text === '' && said.sources === undefined ? [] : [said];
  });
  const heard = withinLimits({ place, of: 'thread' }, earlier, limits);
  const { eventId: id, author, at } = asking;
  const meant = { id, author, at, text: '', isMeant: true as const, sources };
  const all = [...heard.messages, ...(sources.length === 0 ? [] : [meant])];
  return {
    question,
    ...(instructions !== '' && { instructions }),
    ...(all.length > 0 && { heard: { ...heard, messages: all } }),
  };
}

function beginningAndEnd(text: string, mostChars: number): string {
  if (text.length <= mostChars) return text;
  const beginning = `${text.slice(0, mostChars / 4)}\n[…]\n`;
  return `${beginning}${text.slice(beginning.length - mostChars)}`.toWellFormed();
}

/** @param before - Its distance from the end in messages; it orders them, as the time of a message is unknown. */
function heardOf(
  { by, name, text, files }: SentMessage,
  document: readonly Source[],
  before: number,
  { eventId, author, at, uploads }: Asking,
): HeardMessage {
  const speakers = {
    user: author,
    assistant: { id: 'assistant', name: 'Assistant' },
    tool: { id: 'tool', name: 'Tool' },
    instructions: author,
  };
  const speaker = speakers[by];
  const sources = [...document, ...files.map((file) => uploads.keep(file.name, file.address))];
  return {
    id: `${eventId}/${before}`,
    author: name ? { ...speaker, name: oneLine(name).slice(0, 80) } : speaker,
    at: at - before,
    text: text.trim(),
    ...(sources.length > 0 && { sources }),
  };
}

/** Returns a function that turns long messages into documents, cut to the remaining `sourceChars`. */
function documentsWithin({ at, limits }: Asking): (text: string) => readonly Source[] {
  let room = limits.sourceChars;
  return (text) => {
    const kept = text.slice(0, room).toWellFormed();
    if (kept === '') return [];
    room -= kept.length;
    return [
      {
        status: 'read',
        kind: 'file',
        name: 'message.txt',
        text: kept,
        readAt: at,
        bytes: Buffer.byteLength(text),
        sha256: hash('sha256', text),
        ...(kept.length < text.length && { isCut: true as const }),
      },
    ];
  };
}

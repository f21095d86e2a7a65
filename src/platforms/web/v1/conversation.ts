/** What a program sent of a conversation, as a question to the council and what was said before it. */

import { createHash } from 'node:crypto';
import type { Heard, HeardMessage, ReadingLimits } from '../../../domain/heard.ts';
import type { Source } from '../../../domain/source.ts';
import { oneLine } from '../../../domain/words.ts';
import { withinLimits } from '../../chat/hearing.ts';
import { V1Failure } from './failure.ts';
import type { SentFile, SentMessage } from './requests.ts';

/** How much is read of a conversation. */
export interface ConversationLimits extends ReadingLimits {
  readonly maxQuestionChars: number;
}

/** Where and when a question is asked. */
export interface Asking {
  /** `platform:workspace:channel`. */
  readonly place: string;
  readonly eventId: string;
  readonly author: { readonly id: string; readonly name: string };
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly limits: ConversationLimits;
  /** Keeps a file that was sent, and gives the address by which the platform opens it. */
  readonly keep: (file: SentFile) => Source;
  /** The thread knows what was said before: it is not told again. */
  readonly isRemembered: boolean;
}

/** A question with what belongs to it. */
export interface Conversation {
  readonly question: string;
  /** What the program tells every model to do; empty: nothing. */
  readonly instructions: string;
  /** Absent: there is nothing but the question. */
  readonly heard?: Heard;
}

/** Asked with a file and no word. */
const lookAtThis = 'What do you make of this?';

/** Of what may be heard of a conversation, how much one message may be before it is a document: it would be cut. */
const longestShare = 4;

/**
 * Takes the last message of a person as the question. One that is longer than a question may be is kept whole as a
 * document, and its end is the question: programs put documents and code before what is asked about them. So are
 * earlier messages that are too long for talk.
 *
 * @throws {V1Failure} where nothing is asked.
 */
export function conversationOf(messages: readonly SentMessage[], asking: Asking): Conversation {
  const { place, limits, isRemembered } = asking;
  const asked = messages.findLast(({ by, text, files }) => {
    return by === 'user' && (text.trim() !== '' || files.length > 0);
  });
  if (!asked) {
    const why = 'Nothing is asked: no message of a user has any text.';
    throw new V1Failure(400, 'invalid_value', why, 'messages');
  }
  const instructions = messages
    .flatMap(({ by, text }) => (by === 'instructions' ? [text.trim()] : []))
    .join('\n\n')
    .slice(0, limits.contextChars)
    .toWellFormed();
  const whole = asked.text.trim();
  const question = whole.slice(-limits.maxQuestionChars).toWellFormed() || lookAtThis;
  const documentOf = documentsWithin(asking);
  const sources = [
    ...(question.length < whole.length ? documentOf(whole) : []),
    ...asked.files.map(asking.keep),
  ];
  const told = isRemembered ? [] : [...messages.entries()];
  // The newest first, which get what room there is for documents.
  const earlier = told.toReversed().flatMap(([index, message]) => {
    if (message === asked || message.by === 'instructions') return [];
    const isTalk =
      message.by === 'assistant' || message.text.length <= limits.contextChars / longestShare;
    const document = isTalk ? [] : documentOf(message.text.trim());
    const shown = { ...message, ...(document.length > 0 && { text: '' }) };
    const said = heardOf(shown, document, messages.length - index, asking);
    return said.text === '' && said.sources === undefined ? [] : [said];
  });
  const heard = withinLimits({ place, of: 'thread' }, earlier, limits);
  const { eventId: id, author, at } = asking;
  const meant = { id, author, at, text: '', isMeant: true as const, sources };
  const all = [...heard.messages, ...(sources.length === 0 ? [] : [meant])];
  return { question, instructions, ...(all.length > 0 && { heard: { ...heard, messages: all } }) };
}

/** @param before - How many messages before the end it was: nothing tells when it was said. */
function heardOf(
  { by, name, text, files }: SentMessage,
  document: readonly Source[],
  before: number,
  { eventId, author, at, keep }: Asking,
): HeardMessage {
  const speakers = {
    user: author,
    assistant: { id: 'assistant', name: 'Assistant' },
    tool: { id: 'tool', name: 'Tool' },
    instructions: author,
  };
  const speaker = speakers[by];
  const sources = [...document, ...files.map(keep)];
  return {
    id: `${eventId}/${before}`,
    author: name ? { ...speaker, name: oneLine(name).slice(0, 80) } : speaker,
    at: at - before,
    text: text.trim(),
    ...(sources.length > 0 && { sources }),
  };
}

/** Makes documents of long messages, for as long as there is room for any text of them. */
function documentsWithin({ at, limits }: Asking): (text: string) => readonly Source[] {
  let room = limits.sourceChars;
  return (text) => {
    const kept = text.slice(0, room).toWellFormed();
    if (kept === '') return [];
    room -= kept.length;
    return [
      {
        ...{ status: 'read', kind: 'file', name: 'message.txt', text: kept, readAt: at },
        ...{ bytes: Buffer.byteLength(text), sha256: hashOf(text) },
        ...(kept.length < text.length && { isCut: true as const }),
      },
    ];
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

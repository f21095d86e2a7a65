/** What a program sent of a conversation, as a question to the council and what was said before it. */

import { createHash } from 'node:crypto';
import type { Heard, HeardMessage, ReadingLimits } from '../../../domain/heard.ts';
import type { Source } from '../../../domain/source.ts';
import { oneLine } from '../../../domain/words.ts';
import { withinLimits } from '../../chat/hearing/within-limits.ts';
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

/**
 * Takes the last message of a person as the question. One that is longer than a question may be is kept whole as a
 * source, and its end is the question: programs put documents and code before what is asked about them.
 *
 * @throws {V1Failure} where nothing is asked.
 */
export function conversationOf(messages: readonly SentMessage[], asking: Asking): Conversation {
  const { place, limits, isRemembered } = asking;
  const at = messages.findLastIndex(({ by, text, files }) => {
    return by === 'user' && (text.trim() !== '' || files.length > 0);
  });
  const asked = messages[at];
  if (!asked) {
    throw new V1Failure(
      400,
      'invalid_value',
      'Nothing is asked: no message of a user has any text.',
      'messages',
    );
  }
  const instructions = messages
    .flatMap(({ by, text }) => (by === 'instructions' ? [text.trim()] : []))
    .join('\n\n')
    .slice(0, limits.contextChars)
    .toWellFormed();
  const whole = asked.text.trim();
  const question = whole.slice(-limits.maxQuestionChars).toWellFormed() || lookAtThis;
  const sources = [
    ...(question.length < whole.length ? [documentOf(whole, asking)] : []),
    ...asked.files.map(asking.keep),
  ];
  const earlier = isRemembered
    ? []
    : messages.flatMap((message, index) =>
        message === asked || message.by === 'instructions'
          ? []
          : [heardOf(message, index, messages.length, asking)],
      );
  const heard = withinLimits({ place, of: 'thread' }, earlier.filter(isSaid), limits);
  const shown =
    sources.length === 0 ? [] : [{ ...saidBy(asking), isMeant: true as const, sources }];
  const all = [...heard.messages, ...shown];
  return { question, instructions, ...(all.length > 0 && { heard: { ...heard, messages: all } }) };
}

function isSaid({ text, sources = [] }: HeardMessage): boolean {
  return text !== '' || sources.length > 0;
}

function saidBy({ eventId, author, at }: Asking): HeardMessage {
  return { id: eventId, author, at, text: '' };
}

/** Nothing tells when it was said: in its order, before the question. */
function heardOf(
  { by, name, text, files }: SentMessage,
  index: number,
  count: number,
  { eventId, author, at, keep }: Asking,
): HeardMessage {
  const speakers = {
    user: author,
    assistant: { id: 'assistant', name: 'Assistant' },
    tool: { id: 'tool', name: 'Tool' },
    instructions: author,
  };
  const speaker = speakers[by];
  return {
    id: `${eventId}/${index}`,
    author: name ? { ...speaker, name: oneLine(name).slice(0, 80) } : speaker,
    at: at - (count - index),
    text: text.trim(),
    ...(files.length > 0 && { sources: files.map(keep) }),
  };
}

/** A message that is too long for a question, as something to read. */
function documentOf(text: string, { at, limits }: Asking): Source {
  const kept = text.slice(0, limits.sourceChars).toWellFormed();
  return {
    ...{ status: 'read', kind: 'file', name: 'message.txt' },
    ...{ bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') },
    ...{ readAt: at, text: kept },
    ...(kept.length < text.length && { isCut: true as const }),
  };
}

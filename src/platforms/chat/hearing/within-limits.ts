/** Which of what people said goes with a question, where there is more than the limits allow. */

import type { Heard, HeardMessage, HearingLimits } from '../../../domain/heard.ts';
import { channelOf } from '../../../domain/thread-id.ts';
import { shortened } from '../../../domain/words.ts';

/** Beyond it a single message is cut; what is meant may be longer. */
const longestShare = 4;

/**
 * Keeps what the question is about, then the newest, oldest first.
 *
 * @param found - In any order; what is named twice counts once, and is meant if either is.
 */
export function withinLimits(
  heard: Pick<Heard, 'place' | 'of' | 'gap'>,
  found: readonly HeardMessage[],
  { contextMessages, contextChars }: HearingLimits,
): Heard {
  const byId = new Map<string, HeardMessage>();
  for (const message of found) {
    const isMeant = message.isMeant ?? byId.get(message.id)?.isMeant;
    byId.set(message.id, { ...message, ...(isMeant && { isMeant }) });
  }
  const newestFirst = [...byId.values()].toSorted((one, other) => byAge(other, one));
  const wanted = newestFirst.toSorted(
    (one, other) => Number(other.isMeant ?? false) - Number(one.isMeant ?? false),
  );
  let room = contextChars;
  const kept: HeardMessage[] = [];
  for (const message of wanted.slice(0, contextMessages)) {
    const most = message.isMeant ? room : Math.min(room, contextChars / longestShare);
    if (most < 1) break;
    const text = shortened(message.text, Math.floor(most));
    kept.push({ ...message, text });
    room -= text.length;
  }
  const messages = kept.toSorted(byAge);
  return { ...heard, messages, leftOut: byId.size - kept.length };
}

/** A single message as the whole context of a question in this thread: the question is about it. */
export function heardAlone(message: HeardMessage, threadId: string, of: Heard['of']): Heard {
  const messages = [{ ...message, isMeant: true as const }];
  return { place: channelOf(threadId), of, messages, leftOut: 0 };
}

/** The oldest first; ids of one moment grow. */
function byAge(one: HeardMessage, other: HeardMessage): number {
  return one.at - other.at || one.id.localeCompare(other.id, 'en', { numeric: true });
}

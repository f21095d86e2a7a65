/** A store that fails, in words for whoever meets it: what they can do, or how it is mended. */

import type { CoordinationError } from '../queue/coordination.ts';
import { StoreError } from '../store/store.ts';

/** For people who can mend nothing of it; what is wrong with which file or server is in the log. */
const forPeople: Readonly<
  Record<StoreError['reason'], { readonly why: string; readonly whatToDo: string }>
> = {
  full: {
    why: 'its memory is full',
    whatToDo: 'Tell the people who run the bot: they have to make room.',
  },
  corrupt: {
    why: 'its memory is damaged',
    whatToDo: 'Tell the people who run the bot: they have to put back a backup.',
  },
  read_only: {
    why: 'its memory takes no changes',
    whatToDo: 'Ask again in a few minutes. If that does not help, tell the people who run the bot.',
  },
  refused: {
    why: 'its memory does not let it in',
    whatToDo: 'Tell the people who run the bot: the log has the details.',
  },
  too_new: {
    why: 'its memory was written by a newer version',
    whatToDo: 'Tell the people who run the bot: they have to update it.',
  },
  in_use: { why: 'its memory is in use', whatToDo: 'Ask again in a few minutes.' },
  unreachable: { why: 'its memory can’t be reached', whatToDo: 'Ask again in a few minutes.' },
};

/**
 * @param what - What does not go on because of it, without a full stop, e.g. `The council can’t take questions`.
 * @param threadId - Where it is said: the person at the terminal runs the bot, and is told all of it.
 * @param whatToDo - Said to people instead of what they can do in general.
 */
export function storeTrouble(
  error: StoreError | CoordinationError,
  what: string,
  threadId: string,
  whatToDo?: string,
): string {
  if (threadId.startsWith('terminal:')) {
    return `${what}: ${error.message}${whatToDo === undefined ? '' : ` ${whatToDo}`}`;
  }
  const told = forPeople[error instanceof StoreError ? error.reason : 'unreachable'];
  return `${what}, because ${told.why}. ${whatToDo ?? told.whatToDo}`;
}

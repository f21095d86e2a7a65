/** A failing store in words for people: what they can do, or how it is fixed. */

import type { AwayError } from '../domain/failure.ts';
import { StoreError } from '../store/store.ts';

/** For people who can't fix it themselves; the file or server and its error are in the log. */
const forPeople: Readonly<
  Record<StoreError['reason'], { readonly why: string; readonly whatToDo: string }>
> = {
  full: {
    why: 'is full',
    whatToDo: 'Tell the people who run the bot: they have to make room.',
  },
  corrupt: {
    why: 'is damaged',
    whatToDo: 'Tell the people who run the bot: they have to restore a backup.',
  },
  read_only: {
    why: 'refuses writes',
    whatToDo: 'Ask again in a few minutes. If that does not help, tell the people who run the bot.',
  },
  refused: {
    why: 'does not let it in',
    whatToDo: 'Tell the people who run the bot: the log has the details.',
  },
  too_new: {
    why: 'was written by a newer version',
    whatToDo: 'Tell the people who run the bot: they have to update it.',
  },
  in_use: { why: 'is in use', whatToDo: 'Ask again in a few minutes.' },
  unreachable: { why: 'can’t be reached', whatToDo: 'Ask again in a few minutes.' },
};

/** What was interrupted, and for whom. */
export interface Interruption {
  /** Without a full stop, e.g. `The council can’t take questions at the moment`. */
  readonly what: string;
  /** What people know it by. */
  readonly its: 'memory' | 'store';
  /** Where it is said: the person at the terminal runs the bot and sees the whole error. */
  readonly threadId: string;
  /** Replaces the usual advice. */
  readonly whatToDo?: string;
}

/** Explains the failure of a store, or of what the processes share. */
export function storeTrouble(
  error: AwayError,
  { what, its, threadId, whatToDo }: Interruption,
): string {
  if (threadId.startsWith('terminal:')) {
    return `${what}: ${error.message}${whatToDo === undefined ? '' : ` ${whatToDo}`}`;
  }
  const told = forPeople[error instanceof StoreError ? error.reason : 'unreachable'];
  return `${what}, because its ${its} ${told.why}. ${whatToDo ?? told.whatToDo}`;
}

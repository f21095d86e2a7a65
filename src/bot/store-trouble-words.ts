/** Explains to people that the store failed and what they can do. */

import type { AwayError } from '../domain/failure.ts';
import { StoreError } from '../store/store.ts';

/** For people who can't fix it themselves. The log has the file or server and its error. */
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

/** The interrupted action and its audience. */
export interface Interruption {
  /** Without a full stop, e.g. `The council can’t take questions at the moment`. */
  readonly what: string;
  /** The name of the store for people. */
  readonly its: 'memory' | 'store';
  /** Where it is posted. The person at the terminal runs the bot and sees the whole error. */
  readonly threadId: string;
  /** Replaces the usual advice. */
  readonly whatToDo?: string;
}

/** Explains the failure of a store or of the coordination between processes. */
export function storeTrouble(
  error: AwayError,
  { what, its, threadId, whatToDo }: Interruption,
): string {
  if (threadId.startsWith('terminal:')) {
    return `${what}: ${error.message}${whatToDo === undefined ? '' : ` ${whatToDo}`}`;
  }
  const words = forPeople[error instanceof StoreError ? error.reason : 'unreachable'];
  return `${what}, because its ${its} ${words.why}. ${whatToDo ?? words.whatToDo}`;
}

/** Explains to people that the store failed and what they can do. */

import type { AwayError } from '../domain/failure.ts';
import { StoreError } from '../store/store.ts';

const later = 'Ask again in a few minutes.';
const tell = 'Tell the people who run the bot';

/** For people who can't fix it themselves. The log has the file or server and its error. */
const forPeople: Readonly<Record<StoreError['reason'], readonly [why: string, advice: string]>> = {
  full: ['is full', `${tell}: they have to make room.`],
  corrupt: ['is damaged', `${tell}: they have to restore a backup.`],
  read_only: ['refuses writes', `${later} If that does not help, tell the people who run the bot.`],
  refused: ['does not let it in', `${tell}: the log has the details.`],
  too_new: ['was written by a newer version', `${tell}: they have to update it.`],
  in_use: ['is in use', later],
  // What was asked for may still be done: a server that stalls does it when it goes on.
  unreachable: ['can’t be reached', 'If nothing has happened in a few minutes, ask again.'],
};

/**
 * Explains the failure of a store or of the coordination between processes.
 *
 * @param interrupted.what - Without a full stop, e.g. `The council can’t take questions at the moment`.
 * @param interrupted.its - The name of the store for people.
 * @param interrupted.threadId - Where it is posted. The person at the terminal runs the bot and sees the
 *   whole error.
 * @param interrupted.whatToDo - Replaces the usual advice.
 */
export function storeTrouble(
  error: AwayError,
  interrupted: { what: string; its: 'memory' | 'store'; threadId: string; whatToDo?: string },
): string {
  const { what, its, threadId, whatToDo } = interrupted;
  if (threadId.startsWith('terminal:')) {
    return [`${what}: ${error.message}`, whatToDo].filter(Boolean).join(' ');
  }
  const [why, advice] = forPeople[error instanceof StoreError ? error.reason : 'unreachable'];
  return `${what}, because its ${its} ${why}. ${whatToDo ?? advice}`;
}

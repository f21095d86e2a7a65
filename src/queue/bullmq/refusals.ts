/** What a server refuses the queue, and what that means for it. */

import { ErrorCode } from 'bullmq';
import {
  isOfFormerPrimary,
  isPassing,
  isUnknownNow,
  refusalCode,
} from '../../store/redis/errors.ts';

/** Whether a server has said it. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

/** What the client says of a connection; it has neither a class nor a code for it. */
const ofConnections =
  /^(Connection is closed|Command aborted|Stream isn't writeable|Cluster isn't ready|Cluster is ended|Failed to refresh slots|None of startup nodes|Too many Cluster|All sentinels)/;

/** There is a connection, and nothing is said on it. */
export class SilentServerError extends Error {
  override readonly name = 'SilentServerError';
  /** @param waitedMs - For how long it was waited for an answer. */
  constructor(waitedMs: number) {
    super(`no answer within ${waitedMs / 1000} s`);
  }
}

/** Whether it only says that there is no connection, which the watch tells once. */
export function isConnectionTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Of the system, e.g. ECONNREFUSED.
  return (
    ofConnections.test(error.message) ||
    'syscall' in error ||
    ('errors' in error && 'code' in error)
  );
}

/** The node of a cluster that has the queue is gone, and no other has its place yet. */
export function isOutOfReach(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Too many Cluster redirections');
}

/** Said by a server that another has followed. */
const elsewhere = ['UNBLOCKED', 'MASTERDOWN'];

/** It is not, or no longer, the server to ask: the connection is made again, to the right one. */
export function isWrongServer(error: unknown): boolean {
  if (!isRefusal(error)) return false;
  const { message } = error;
  return (
    isOfFormerPrimary(message) || isUnknownNow(message) || elsewhere.includes(refusalCode(message))
  );
}

/** A connection can't be made again: each of them hears so, the one that is watched among them. */
export function isRefusedLogin(error: unknown): boolean {
  return isRefusal(error) && refusalCode(error.message) === 'WRONGPASS';
}

/** It refused before it had done anything, and may not a moment later. */
export function isForNow(error: unknown): boolean {
  return isWrongServer(error) || (isRefusal(error) && isPassing(error.message));
}

/** It takes no changes: because it is full, follows another server, or is just starting. */
export function isRefusalOfChanges(error: unknown): boolean {
  if (!isRefusal(error)) return false;
  return isForNow(error) || ['OOM', 'MISCONF'].includes(refusalCode(error.message));
}

/** A job is another worker's by now, or will be: BullMQ tells of it by an event of its own as well. */
export function isOfLostLock(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  if (code === ErrorCode.JobLockNotExist || code === ErrorCode.JobLockMismatch) return true;
  // It has no class and no code of its own.
  return error.message.startsWith('could not renew lock');
}

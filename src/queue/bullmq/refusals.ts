/** Classifies the errors that Redis and its client return to the queue. */

import { ErrorCode } from 'bullmq';
import { isDemotedPrimary, isTransient, refusalCode } from '../../store/redis/errors.ts';

/** Whether the error is a Redis reply, not a connection error. */
export function isRedisReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

/** The client's messages for a missing connection; they have no class or code. */
const connectionErrorPattern =
  /^(Connection is closed|Command aborted|Stream isn't writeable|Cluster isn't ready|Cluster is ended|Failed to refresh slots|None of startup nodes|Too many Cluster|All sentinels)/;

/** The server is connected but doesn't answer. */
export class SilentServerError extends Error {
  override readonly name = 'SilentServerError';
  constructor(waitedMs: number) {
    super(`no answer within ${waitedMs / 1000} s`);
  }
}

/** Whether the error only says that there is no connection, which the server watch logs once. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // System errors, e.g. ECONNREFUSED.
  return (
    connectionErrorPattern.test(error.message) ||
    'syscall' in error ||
    ('errors' in error && 'code' in error)
  );
}

/** Sent by a server that has become a replica, or whose password changed while connecting. */
const reconnectCodes = ['UNBLOCKED', 'MASTERDOWN', 'NOAUTH'];

/** This isn't the right server, or no longer: reconnect to find the right one. */
export function isWrongServer(error: unknown): boolean {
  if (!isRedisReply(error)) return false;
  const { message } = error;
  return isDemotedPrimary(message) || reconnectCodes.includes(refusalCode(message));
}

/** Redis refused the command without running it; a retry may succeed. */
export function isRetryable(error: unknown): boolean {
  return isWrongServer(error) || (isRedisReply(error) && isTransient(error.message));
}

/** Replies that last until the operator does something. */
const lastingCodes = ['OOM', 'MISCONF', 'WRONGPASS', 'NOPERM'];

/** Redis refuses what the queue does: it is full, a replica, still starting, or wants another password or user. */
export function isRefusal(error: unknown): boolean {
  if (!isRedisReply(error)) return false;
  return isRetryable(error) || lastingCodes.includes(refusalCode(error.message));
}

/** Another worker has the job, or soon will. BullMQ also emits an event for it. */
export function isLostLock(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  if (code === ErrorCode.JobLockNotExist || code === ErrorCode.JobLockMismatch) return true;
  // This one has no class or code.
  return error.message.startsWith('could not renew lock');
}

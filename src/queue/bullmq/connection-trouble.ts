import { ConnectionClosedError } from 'bullmq';
import {
  ClientClosedError,
  ClientOfflineError,
  ConnectionTimeoutError,
  DisconnectsClientError,
  SocketClosedUnexpectedlyError,
  TimeoutError,
} from 'redis';

const classes = [
  ConnectionClosedError,
  ClientClosedError,
  ClientOfflineError,
  ConnectionTimeoutError,
  DisconnectsClientError,
  SocketClosedUnexpectedlyError,
  // Of a command that has waited for a connection.
  TimeoutError,
];

/** There is a connection, and nothing is said on it. */
export class SilentServerError extends Error {
  override readonly name = 'SilentServerError';
  /** @param waitedMs - For how long it was waited for an answer. */
  constructor(waitedMs: number) {
    super(`no answer within ${waitedMs / 1000} s`);
  }
}

/** Whether it only says that there is no connection, which somebody else tells once. */
export function isConnectionTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (classes.some((one) => error instanceof one)) return true;
  // Of the system, e.g. ECONNREFUSED.
  return 'syscall' in error || ('errors' in error && 'code' in error);
}

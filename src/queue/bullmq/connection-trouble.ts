import { ConnectionClosedError } from 'bullmq';
import {
  ClientClosedError,
  ClientOfflineError,
  ConnectionTimeoutError,
  DisconnectsClientError,
  SocketClosedUnexpectedlyError,
} from 'redis';

const classes = [
  ConnectionClosedError,
  ClientClosedError,
  ClientOfflineError,
  ConnectionTimeoutError,
  DisconnectsClientError,
  SocketClosedUnexpectedlyError,
];

/** Whether it only says that there is no connection, which somebody else tells once. */
export function isConnectionTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (classes.some((one) => error instanceof one)) return true;
  // Of the system, e.g. ECONNREFUSED.
  return 'syscall' in error || ('errors' in error && 'code' in error);
}

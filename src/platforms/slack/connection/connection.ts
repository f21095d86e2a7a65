/** How events come from Slack: over a socket that is opened from here, or as requests that come in. */

import type { Receiver } from '@slack/bolt';
import type { ConnectionHealth } from '../../platform.ts';

export interface Connection {
  /** Hands what comes in to Bolt. */
  readonly receiver: Receiver;
  /** The port that requests come to; `undefined` with a socket, and while none come. */
  readonly listeningOn: number | undefined;
  /** @throws {SlackSetupError} for what the operator has to change; `SlackUnanswered` when Slack can't be reached. */
  open(): Promise<void>;
  health(): ConnectionHealth;
  /** Takes in nothing more. Also for a connection that was never opened, or that is just being made. */
  close(): Promise<void>;
}

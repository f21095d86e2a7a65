/** Signed requests that Slack sends, and the pages on which the app is added to a workspace. */

import type { Server } from 'node:http';
import { HTTPReceiver, type HTTPReceiverOptions } from '@slack/bolt';
import type { Log } from '../../../domain/log.ts';
import type { ConnectionHealth } from '../../platform.ts';
import { SlackSetupError } from '../slack-error.ts';
import { boltLog } from './bolt-log.ts';
import type { Connection } from './connection.ts';

/** Where events, commands, buttons and shortcuts are sent. */
export const eventsPath = '/slack/events';

export interface RequestsOptions {
  readonly signingSecret: string;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly log: Log;
  /** How the app is added to several workspaces; absent: it is in one. */
  readonly install?: Pick<
    HTTPReceiverOptions,
    | 'clientId'
    | 'clientSecret'
    | 'stateSecret'
    | 'installationStore'
    | 'scopes'
    | 'redirectUri'
    | 'installerOptions'
  >;
}

/** What Slack sends is far smaller; what is larger comes from somebody else. */
const mostBytes = 1024 * 1024;
/** How long a whole request may take to come in. */
const receivedWithinMs = 15_000;
/** How long requests that are being answered may still take at the end. */
const closedWithinMs = 3000;

export class RequestConnection implements Connection {
  readonly receiver: HTTPReceiver;
  readonly #options: RequestsOptions;
  #server: Server | undefined;
  #silentSince = performance.now();

  constructor(options: RequestsOptions) {
    this.#options = options;
    const { signingSecret, log, install } = options;
    this.receiver = new HTTPReceiver({
      signingSecret,
      endpoints: eventsPath,
      bodyLimit: mostBytes,
      logger: boltLog(log),
      ...install,
    });
  }

  get listeningOn(): number | undefined {
    const address = this.#server?.address();
    return typeof address === 'object' ? address?.port : undefined;
  }

  async open(): Promise<void> {
    const { host, port } = this.#options;
    try {
      this.#server = await this.receiver.start(
        { host, port },
        { requestTimeout: receivedWithinMs },
      );
    } catch (error) {
      throw new SlackSetupError(
        `Slack can't be awaited on ${host}, port ${port}: ${reasonOf(error)}. Set slack.http.host and slack.http.port in config/council.yaml to what is free.`,
        { cause: error },
      );
    }
  }

  health(): ConnectionHealth {
    if (this.#server?.listening) {
      return { isListening: true, silentMs: 0, text: `awaiting Slack on port ${this.listeningOn}` };
    }
    const silentMs = performance.now() - this.#silentSince;
    return { isListening: false, silentMs, text: 'not awaiting Slack' };
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    this.#silentSince = performance.now();
    // Who sends slowly is not waited for.
    const timer = setTimeout(() => server.closeAllConnections(), closedWithinMs);
    await this.receiver.stop().finally(() => clearTimeout(timer));
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'the reason is unknown';
}

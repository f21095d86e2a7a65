/** Receives Slack's signed requests, and serves the pages on which a workspace adds the app. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import {
  HTTPModuleFunctions,
  HTTPReceiver,
  HTTPReceiverDeferredRequestError,
  type HTTPReceiverOptions,
  isRawBodyError,
} from '@slack/bolt';
import type { Log } from '../../../domain/log.ts';
import { HandlingFailures } from '../../chat/handling-failures.ts';
import { SetupError } from '../../chat/pacing/platform-error.ts';
import type { ConnectionHealth } from '../../platform.ts';
import { boltLog } from './bolt.ts';
import type { Connection } from './workspaces.ts';

/** Slack sends events, commands, buttons and shortcuts here. */
const eventsPath = '/slack/events';

export interface RequestsOptions {
  readonly signingSecret: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly log: Log;
  /** How workspaces add the app; absent when it serves one workspace. */
  readonly install?: Omit<HTTPReceiverOptions, 'signingSecret'>;
}

/** Slack's requests are far smaller. */
const maxBytes = 1024 * 1024;
/** How long a whole request may take to arrive. */
const receivedWithinMs = 15_000;
/** How long requests in progress may take at shutdown. */
const closedWithinMs = 3000;

export class RequestConnection implements Connection {
  /** @see https://docs.slack.dev/apis/events-api/#retries: at once, after a minute, after five. */
  readonly redeliveredForMs = 300_000;
  readonly receiver: HTTPReceiver;
  readonly #options: RequestsOptions;
  readonly #failures: HandlingFailures;
  #server: Server | undefined;
  #silentSince = performance.now();

  constructor(options: RequestsOptions) {
    this.#options = options;
    const { signingSecret, log, install } = options;
    this.#failures = new HandlingFailures(log);
    this.receiver = new HTTPReceiver({
      signingSecret,
      endpoints: eventsPath,
      bodyLimit: maxBytes,
      logger: boltLog(log),
      dispatchErrorHandler: ({ error, response }) => this.#notServed(error, response),
      ...install,
    });
    const serve = this.receiver.requestListener;
    this.receiver.requestListener = (request, response) => {
      if (request.method === 'POST') void this.#receive(request, response, serve);
      else serve(request, response);
    };
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
      throw new SetupError(
        `Can't listen for Slack on ${host}, port ${port}: ${reasonOf(error)}. Set slack.http.host and slack.http.port in config/council.yaml to a free address.`,
        { cause: error },
      );
    }
  }

  health(): ConnectionHealth {
    const silentSince = this.#server?.listening ? undefined : this.#silentSince;
    const listening = `listening for Slack on port ${this.listeningOn}`;
    return this.#failures.health(silentSince, listening, 'not listening for Slack');
  }

  /** Bolt parses bodies in a promise that it does not await: a `null` body would end the process. Never rejects. */
  async #receive(request: IncomingMessage, response: ServerResponse, serve: Serve): Promise<void> {
    let status = 400;
    try {
      const whole = await HTTPModuleFunctions.bufferIncomingMessage(request, maxBytes);
      if (HTTPModuleFunctions.parseHTTPRequestBody(whole) === null) throw new TypeError('null');
      status = 404;
      serve(whole, response);
    } catch (error) {
      if (isRawBodyError(error)) status = error.statusCode;
      this.#notServed(error, response, status);
    }
  }

  #notServed(error: unknown, response: ServerResponse, status = 404): void {
    const isUnknownPath = error instanceof HTTPReceiverDeferredRequestError;
    if (!isUnknownPath) this.#failures.note('a request', error);
    if (response.headersSent) response.destroy();
    else response.writeHead(status).end();
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    this.#silentSince = performance.now();
    // Slow senders can't delay the shutdown.
    const timer = setTimeout(() => server.closeAllConnections(), closedWithinMs);
    await this.receiver.stop().finally(() => clearTimeout(timer));
  }
}

type Serve = HTTPReceiver['requestListener'];

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'the reason is unknown';
}

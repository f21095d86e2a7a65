/** Signed requests that Slack sends, and the pages on which the app is added to a workspace. */

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
import type { ConnectionHealth } from '../../platform.ts';
import { SlackSetupError } from '../slack-error.ts';
import { boltLog } from './bolt.ts';
import type { Connection } from './workspaces.ts';

/** Where events, commands, buttons and shortcuts are sent. */
const eventsPath = '/slack/events';

export interface RequestsOptions {
  readonly signingSecret: string;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly log: Log;
  /** How the app is added to several workspaces; absent: it is in one. */
  readonly install?: Omit<HTTPReceiverOptions, 'signingSecret'>;
}

/** What Slack sends is far smaller; what is larger is not from Slack. */
const maxBytes = 1024 * 1024;
/** How long a whole request may take to come in. */
const receivedWithinMs = 15_000;
/** How long requests that are being answered may still take at the end. */
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
      if (request.method === 'POST') void this.#take(request, response, serve);
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
      throw new SlackSetupError(
        `Slack can't be awaited on ${host}, port ${port}: ${reasonOf(error)}. Set slack.http.host and slack.http.port in config/council.yaml to what is free.`,
        { cause: error },
      );
    }
  }

  health(): ConnectionHealth {
    const silentSince = this.#server?.listening ? undefined : this.#silentSince;
    const awaiting = `awaiting Slack on port ${this.listeningOn}`;
    return this.#failures.health(silentSince, awaiting, 'not awaiting Slack');
  }

  /** Bolt reads a body in a function that it does not await: a `null` in it would end the process. Never rejects. */
  async #take(request: IncomingMessage, response: ServerResponse, serve: Serve): Promise<void> {
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
    const isElsewhere = error instanceof HTTPReceiverDeferredRequestError;
    if (!isElsewhere) this.#failures.note('a request', error);
    if (response.headersSent) response.destroy();
    else response.writeHead(status).end();
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

type Serve = HTTPReceiver['requestListener'];

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'the reason is unknown';
}

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

const unsigned =
  'a request was refused. If Slack sent it, SLACK_SIGNING_SECRET is not the Signing Secret on your app’s page, under Basic Information, or the clock is wrong';

export function requestConnection(options: RequestsOptions): Connection {
  const { signingSecret, host, port, log, install } = options;
  const failures = new HandlingFailures(log);
  const receiver = new HTTPReceiver({
    signingSecret,
    endpoints: eventsPath,
    bodyLimit: maxBytes,
    logger: boltLog(log),
    dispatchErrorHandler: ({ error, response }) => notServed(error, response),
    ...install,
  });
  const serve = receiver.requestListener;
  receiver.requestListener = (request, response) => {
    if (request.method === 'POST') void receive(request, response);
    else serve(request, response);
  };
  let server: Server | undefined;
  let silentSince = performance.now();

  /** Bolt parses bodies in a promise that it does not await: a `null` body would end the process. Never rejects. */
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let status = 400;
    try {
      const whole = await HTTPModuleFunctions.bufferIncomingMessage(request, maxBytes);
      // Anyone may send what is not signed: Bolt refuses it unparsed.
      const isSigned = await HTTPModuleFunctions.parseAndVerifyHTTPRequest(
        { signingSecret },
        whole,
        response,
      ).then(Boolean, () => false);
      if (isSigned && HTTPModuleFunctions.parseHTTPRequestBody(whole) === null)
        throw new TypeError('null');
      status = 404;
      response.once('finish', () => {
        if (response.statusCode === 401) log.warn({}, unsigned);
      });
      serve(whole, response);
    } catch (error) {
      if (isRawBodyError(error)) status = error.statusCode;
      notServed(error, response, status);
    }
  }

  function notServed(error: unknown, response: ServerResponse, status = 404): void {
    const isUnknownPath = error instanceof HTTPReceiverDeferredRequestError;
    if (!isUnknownPath) failures.note('a request', error);
    if (response.headersSent) response.destroy();
    else response.writeHead(status).end();
  }

  return {
    /** @see https://docs.slack.dev/apis/events-api/#retries: at once, after a minute, after five. */
    redeliveredForMs: 300_000,
    receiver,

    get listeningOn() {
      const address = server?.address();
      return typeof address === 'object' ? address?.port : undefined;
    },

    async open() {
      try {
        server = await receiver.start({ host, port }, { requestTimeout: receivedWithinMs });
      } catch (error) {
        const why = error instanceof Error ? error.message : 'the reason is unknown';
        throw new SetupError(
          `Can't listen for Slack on ${host}, port ${port}: ${why}. Set slack.http.host and slack.http.port to a free address.`,
          { cause: error },
        );
      }
    },

    health() {
      const since = server?.listening ? undefined : silentSince;
      const listening = `listening for Slack on port ${this.listeningOn}`;
      return failures.health(since, listening, 'not listening for Slack');
    },

    async close() {
      if (!server) return;
      const closing = server;
      server = undefined;
      silentSince = performance.now();
      // Slow senders can't delay the shutdown.
      const timer = setTimeout(() => closing.closeAllConnections(), closedWithinMs);
      await receiver.stop().finally(() => clearTimeout(timer));
    },
  };
}

/** The council on the web: a page, and ways in for programs, served by the bot's own process. */

import type { TurnEvent } from '../../council/events.ts';
import type { Log } from '../../domain/log.ts';
import { partsOf } from '../../domain/thread-id.ts';
import type { Ingress, PresentedTurn, ServedPlatform } from '../platform.ts';
import { apiRoutes } from './api/api-routes.ts';
import { Callers, isLoopback, type KeyRecords } from './caller.ts';
import { LiveTurns } from './live-turns.ts';
import { mcpRoutes } from './mcp.ts';
import { pageRoutes } from './page/page-routes.ts';
import { Uploads } from './question.ts';
import {
  startWebServer,
  type WebExample,
  type WebParts,
  type WebRoutes,
  type WebServer,
  WebSetupError,
} from './server.ts';
import { type V1Options, v1Routes } from './v1/v1-routes.ts';
import {
  createWebCouncil,
  type ShareRecords,
  type WebCouncil,
  type WebRecords,
  webName,
} from './web-council.ts';

export interface WebOptions {
  /** Address to listen on. One that others reach too needs a key. */
  readonly host: string;
  /** 0 takes a free one; absent: nothing is listened on, and its council is asked by this process alone. */
  readonly port?: number | undefined;
  /** Address under which it is reached from elsewhere, e.g. `https://council.example.org`; absent: only from this machine. */
  readonly publicUrl?: string | undefined;
  /** Origins of pages of other sites that may call `/v1` and `/api` from a browser; absent: none. */
  readonly origins?: readonly string[];
  readonly keys: KeyRecords;
  /** Reads what signs the sessions: at least 32 random bytes, the same at every start. */
  readonly sessionSecret: () => Promise<string>;
  readonly records: WebRecords;
  readonly shares: ShareRecords;
  /** Recorded councils that can be looked at; they are in the store. */
  readonly examples?: readonly WebExample[];
  /** How programs are answered that ask the council as a model. */
  readonly v1: Pick<V1Options, 'limits' | 'reasoningField'>;
  readonly log: Log;
}

export interface Web extends ServedPlatform {
  /** Where it is reached, e.g. `http://127.0.0.1:8010`. Throws before the start. */
  address(): string;
  /** The port that it listens on; absent: it does not. */
  readonly port: number | undefined;
  readonly council: WebCouncil;
}

/** All that is served; the first that fits takes a request. */
function routesOn(parts: WebParts, { v1 }: Pick<WebOptions, 'v1'>): readonly WebRoutes[] {
  const ofModel = v1Routes({ ...parts, ...v1 });
  return [ofModel, apiRoutes(parts), mcpRoutes(parts), pageRoutes(parts)];
}

export function createWeb(options: WebOptions): Web {
  const {
    host,
    port,
    publicUrl,
    keys,
    records,
    log,
    shares,
    examples = [],
    origins = [],
  } = options;
  const live = new LiveTurns();
  const uploads = new Uploads();
  const startedAt = performance.now();
  const finished = Promise.withResolvers<void>();
  let server: WebServer | undefined;
  let bot: Ingress | undefined;
  const council = createWebCouncil(
    () => {
      if (bot) return bot;
      throw new Error('The web platform has not been started.');
    },
    live,
    records,
  );
  const address = () => {
    if (!server) throw new Error('The web platform has not been started.');
    const name = host.includes(':') ? `[${host}]` : host;
    return publicUrl ?? `http://${name}:${server.port}`;
  };

  return {
    name: webName,
    council,
    address,
    finished: finished.promise,
    get port() {
      return server?.port;
    },
    async start(ingress) {
      bot = ingress;
      if (port === undefined) return;
      if ((publicUrl !== undefined || !isLoopback(host)) && !(await keys.any())) {
        throw new WebSetupError(
          'The web is set to be reached from elsewhere, and no key is made, so that everybody could ask. Make one with `npm run council -- keys`, or set web.host to 127.0.0.1 and take web.publicUrl out.',
        );
      }
      const callers = new Callers({
        keys,
        publicUrl,
        sessionSecret: await options.sessionSecret(),
      });
      const shared = { council, callers, log, publicUrl, uploads, examples, shares };
      const routes = routesOn(shared, options);
      server = await startWebServer({ host, port, publicUrl, origins, callers, routes, log });
    },
    async stop() {
      await server?.[Symbol.asyncDispose]();
      server = undefined;
    },
    health() {
      if (server) return { isListening: true, silentMs: 0, text: `listens on ${address()}` };
      const silentMs = performance.now() - startedAt;
      return { isListening: false, silentMs, text: 'does not listen yet' };
    },
    present: (turn, events, shutdown) => tell(turn, events, shutdown, live),
    retract: async ({ request }) => live.drop(request.turnId),
    // Each page is made anew from what is kept.
    redraw: async () => undefined,
    // A workspace has one channel, and no place beside its threads.
    post: async () => undefined,
    unpost: async () => undefined,
    hear: async () => undefined,
    openFile: async (_place, address) => uploads.open(address),
    isIn: async () => true,
    linkTo: (threadId) =>
      publicUrl === undefined
        ? undefined
        : `${publicUrl.replace(/\/$/, '')}/threads/${partsOf(threadId).thread}`,
    sageChanged: () => undefined,
    reply: async ({ threadId }) => log.info({ threadId }, 'a notice could not be shown to anyone'),
  };
}

/** Tells the readers of this process what happens in a turn, for as long as it is this process's. */
async function tell(
  turn: PresentedTurn,
  events: AsyncIterable<TurnEvent>,
  shutdown: AbortSignal,
  live: LiveTurns,
): Promise<void> {
  if (turn.isAlreadyShown) return;
  const { turnId } = turn.request;
  const told = live.begin(turnId);
  let hasEnded = false;
  try {
    for await (const event of events) {
      shutdown.throwIfAborted();
      if (event.type !== 'answer_grew' && event.type !== 'verdict_grew') await turn.assertHeld();
      told.add(event);
      hasEnded = event.type === 'ended';
    }
    if (!hasEnded) shutdown.throwIfAborted();
  } finally {
    // What broke off is told on from the store, or by the process that has it now.
    if (hasEnded) told.end();
    else if (live.get(turnId) === told) live.drop(turnId);
  }
}

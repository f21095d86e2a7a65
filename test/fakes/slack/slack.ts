/**
 * A small Slack on loopback: the Web API, Socket Mode and signed requests.
 * `clientOptions: { slackApiUrl: slack.api }` is all that the app needs to use it.
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import { adjustableClock } from '../discord/world/clock.ts';
import { violationLog } from '../violation-log.ts';
import { waiting } from '../waiting.ts';
import { createFaults } from './api/faults.ts';
import { createJournal } from './api/journal.ts';
import { createLimits } from './api/limits.ts';
import { requestHandler } from './api/serve.ts';
import { building, newWorkspace } from './control/building.ts';
import { forging } from './control/forging.ts';
import { reading } from './control/reading.ts';
import { createEvents } from './delivery/events.ts';
import { httpTransport } from './delivery/http.ts';
import { createInteract } from './delivery/interact.ts';
import { createRetries, slacksRetryDelaysMs } from './delivery/retries.ts';
import { createSocketMode } from './delivery/socket-mode.ts';
import type { Transport } from './delivery/transport.ts';
import { methodsOf } from './methods/index.ts';
import { assertNone, type Violation } from './schema/violations.ts';
import { type App, usualEvents, usualScopes } from './world/app.ts';
import type { Assistant } from './world/assistant.ts';
import { createChangeSignal } from './world/change-signal.ts';
import { idsInOrder, timestampsInOrder } from './world/ids.ts';
import { install, uninstall, withdraw } from './world/installing.ts';
import type { Workspace } from './world/records.ts';
import { emptyState } from './world/state.ts';
import { createStreams } from './world/streams.ts';
import { createTriggers } from './world/triggers.ts';
import type { World } from './world/world.ts';

export interface SlackOptions {
  /** What an installation grants; all that Council can use when left out. */
  readonly scopes?: readonly string[];
  /** What the app subscribed to; all that Council can use when left out. */
  readonly events?: readonly string[];
  /** Whether it is installed for a whole organisation. It is not when left out. */
  readonly isOrgWide?: boolean;
  /** Whether calls are limited. Off when left out. */
  readonly limits?: boolean;
  /** When an event that was not acknowledged is sent again; as Slack does when left out. */
  readonly retryDelaysMs?: readonly number[];
  /** How long after its start Slack closes a stream; five minutes when left out. */
  readonly streamsCloseAfterMs?: number;
  /** Where the bot reaches it, e.g. `https://slack.test`; its own address when left out. */
  readonly origin?: string;
}

export type FakeSlack = Awaited<ReturnType<typeof startSlack>>;

/** Starts a Slack with one workspace, in which the app is installed, on a free port of 127.0.0.1. */
export async function startSlack(options: SlackOptions = {}) {
  const clock = adjustableClock();
  const nextId = idsInOrder();
  const app: App = {
    id: nextId('A'),
    name: 'Council',
    appToken: 'xapp-1-fake-app-token',
    signingSecret: 'fake-signing-secret-of-32-chars-!',
    clientId: '1234567890.1234567890',
    clientSecret: 'fake-client-secret',
    scopes: options.scopes ?? usualScopes,
    events: options.events ?? usualEvents,
    commands: ['/council'],
    organisation: options.isOrgWide ? nextId('E') : undefined,
  };
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The port is not known.');
  const origin = options.origin ?? `http://127.0.0.1:${address.port}`;

  const state = emptyState();
  const journal = createJournal();
  const faults = createFaults();
  const limits = createLimits(clock, options.limits ?? false);
  const violations = violationLog<Violation>();
  const changes = createChangeSignal();
  journal.onCall(changes.notify);
  const sockets = createSocketMode(app.id, origin);
  let transport: Transport = sockets;
  const retries = createRetries(options.retryDelaysMs ?? slacksRetryDelaysMs);
  const events = createEvents({
    app,
    state,
    transport: () => transport,
    nextEventId: () => nextId('Ev'),
    nowMs: () => clock.now(),
    onSent: changes.notify,
    retries,
  });
  sockets.onConnected(() => void events.deliverKept());
  const streams = createStreams(clock, options.streamsCloseAfterMs ?? 300_000);
  const assistant: Assistant = { statuses: [], prompts: [], titles: [] };
  const world: World = {
    app,
    state,
    streams,
    assistant,
    views: { modals: new Map(), homes: new Map() },
    triggers: createTriggers(clock),
    responseUrls: new Map(),
    grants: new Map(),
    uploads: new Map(),
    clock,
    nextId,
    nextTs: timestampsInOrder(),
    violations,
    origin,
    changes,
    events,
    interact: createInteract(() => transport, changes.notify),
  };
  const workspace = newWorkspace(world, 'Agora');
  install(world, workspace);
  const methods = methodsOf(() => sockets.openUrl());

  const serve = requestHandler({ world, methods, journal, faults, limits });
  server.on('request', (request, response) => {
    serve(request, response).catch((error: unknown) => {
      // A call may still be under way when the test is over.
      if (isClosing) return;
      response.writeHead(500).end();
      violations.add({ method: String(request.url), code: 'broken', problems: [String(error)] });
    });
  });
  server.on('upgrade', (request, socket, head) => sockets.upgrade(request, socket, head));

  const goAway = async (): Promise<void> => {
    const closed = once(server, 'close');
    sockets.cut();
    server.close();
    server.closeAllConnections();
    await closed;
  };

  let isClosing = false;
  const close = async (): Promise<void> => {
    isClosing = true;
    retries.cancelAll();
    await sockets.end();
    if (server.listening) await goAway();
  };

  return {
    /** For `clientOptions: { slackApiUrl }`. */
    api: `${origin}/api/`,
    origin,
    port: address.port,
    app,
    workspace,
    clock,
    /** Every call of the Web API, oldest first. */
    calls: journal.calls,
    onCall: journal.onCall,
    faults,
    limits,
    events,
    sockets,
    violations,
    streams,
    /** The statuses, suggested prompts and titles that the app set, oldest first. */
    assistant,
    until: waiting({
      onChange: changes.onChange,
      last: () =>
        journal.calls.map(
          ({ method, answer }) => `${method} -> ${JSON.stringify(answer)?.slice(0, 160)}`,
        ),
    }),
    ...building(world, workspace),
    ...reading(world),
    ...forging(app, clock),

    /** The app is taken out of a workspace. */
    uninstall: (from: Workspace = workspace) => uninstall(world, from),

    /** The app is taken out of a workspace, and not told so. */
    withdraw: (from: Workspace = workspace): void => void withdraw(world, from),

    /** Throws when the app sent anything that Slack would have refused or passed over. */
    assertNoViolations: () => assertNone(violations),

    /** From now on the app is told by signed requests to this address. */
    deliverTo(url: string): void {
      transport = httpTransport(url, app.signingSecret, clock);
    },

    /** Slack is out of reach: every connection is cut, and none can be made. What is in it stays. */
    goAway,

    /** It is back, under the same address. */
    async comeBack(): Promise<void> {
      server.listen(address.port, '127.0.0.1');
      await once(server, 'listening');
    },

    /** Ends every connection; `await using` does so by itself. */
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * A small Discord on loopback: REST under `/api/v10` and a gateway, held against Discord's own description
 * in both directions. `new Client({ rest: { api: discord.api } })` is all it takes to use it.
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import { ApplicationFlags, GatewayIntentBits } from 'discord-api-types/v10';
import { WebSocketServer } from 'ws';
import { violationLog } from '../violation-log.ts';
import { waiting } from '../waiting.ts';
import { building } from './control/building.ts';
import { interacting } from './control/interacting.ts';
import { moderating } from './control/moderating.ts';
import { talking } from './control/talking.ts';
import { createGateway } from './gateway/gateway.ts';
import { noFlags } from './payloads/no-flags.ts';
import { userPayload } from './payloads/users.ts';
import { createFaults } from './rest/faults.ts';
import { createJournal } from './rest/journal.ts';
import { createRateLimits } from './rest/rate-limits.ts';
import { restHandler } from './rest/rest-server.ts';
import { routes } from './routes/index.ts';
import type { Violation } from './spec/violations.ts';
import { type AdjustableClock, adjustableClock } from './world/clock.ts';
import { snowflakes } from './world/snowflakes.ts';
import { emptyState } from './world/state.ts';
import type { World } from './world/world.ts';

type PrivilegedIntent = 'GuildMembers' | 'GuildPresences' | 'MessageContent';

export interface DiscordOptions {
  /** The switches of the developer portal; message content alone is on when left out. */
  readonly privilegedIntents?: readonly PrivilegedIntent[];
  /** Whether requests are limited. The headers are there either way. Off when left out. */
  readonly rateLimits?: boolean;
  /** How many shards a client is told to open; 1 when left out. */
  readonly shards?: number;
  /** What HELLO asks for; Discord's 41,250 ms when left out. */
  readonly heartbeatIntervalMs?: number;
  readonly clock?: AdjustableClock;
  /** Where the bot reaches it, e.g. `https://discord.test`; its own address when left out. */
  readonly origin?: string;
}

export type FakeDiscord = Awaited<ReturnType<typeof startDiscord>>;

/** Starts an empty Discord with one bot account, on a free port of 127.0.0.1. */
export async function startDiscord(options: DiscordOptions = {}) {
  const { privilegedIntents = ['MessageContent'] } = options;
  const clock = options.clock ?? adjustableClock();
  const nextId = snowflakes(clock);
  const journal = createJournal();
  const faults = createFaults();
  const rateLimits = createRateLimits(clock, options.rateLimits ?? false);
  const violations = violationLog<Violation>();
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The port is not known.');
  const host = `127.0.0.1:${address.port}`;
  const origin = options.origin ?? `http://${host}`;
  const owner = userPayload({ id: nextId(), name: 'Application owner' });
  const bot = userPayload({ id: nextId(), name: 'Council', isBot: true });
  const token = `${Buffer.from(bot.id).toString('base64url')}.fake.${nextId()}`;
  let isRevoked = false;
  const isToken = (candidate: string) => candidate === token && !isRevoked;
  const state = emptyState();
  state.users.set(owner.id, owner);
  state.users.set(bot.id, bot);

  const world: World = {
    state,
    clock,
    nextId,
    bot,
    owner,
    applicationId: bot.id,
    applicationFlags: portalFlags(privilegedIntents),
    mayReadContent: privilegedIntents.includes('MessageContent'),
    shards: options.shards ?? 1,
    violations,
    rateLimits,
    origin: () => origin,
    dispatch: (event) => gateway.dispatch(event),
  };
  const gateway = createGateway({
    world,
    isToken,
    allowedIntents: privilegedIntents.reduce((bits, name) => bits | GatewayIntentBits[name], 0),
    heartbeatIntervalMs: options.heartbeatIntervalMs ?? 41_250,
    resumeUrl: () => `${origin.replace('http', 'ws')}/resume`,
  });

  server.on('request', restHandler({ world, routes, journal, faults, isToken }));
  server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (client) => {
      gateway.accept(
        client,
        new URL(request.url ?? '/', world.origin()).pathname.replace(/\/$/, ''),
      );
    });
  });

  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    gateway.dropConnections();
    server.close();
    server.closeAllConnections();
    await closed;
  };

  return {
    /** For `new Client({ rest: { api } })`. */
    api: `http://${host}/api`,
    gatewayUrl: `ws://${host}/gateway`,
    token,
    bot,
    applicationId: bot.id,
    clock,
    /** Every REST request of the bot, oldest first. */
    calls: journal.calls,
    /** What broke Discord's description, in either direction, or its limits. A test expects none. */
    violations,
    faults,
    rateLimits,
    gateway,
    state,
    until: waiting({
      onChange: journal.onCall,
      last: () => journal.calls.map(({ route, status }) => `${route} -> ${status ?? 'no answer'}`),
    }),
    onCall: journal.onCall,
    ...building(world),
    ...talking(world),
    ...interacting(world),
    ...moderating(world),

    /** The token stops being valid: REST answers 401, the gateway closes with 4004. */
    revokeToken(): void {
      isRevoked = true;
    },

    /** Ends every connection at once and frees the port; `await using` does so by itself. */
    close,
    [Symbol.asyncDispose]: close,
  };
}

function portalFlags(intents: readonly PrivilegedIntent[]): number {
  const flags = {
    GuildMembers: ApplicationFlags.GatewayGuildMembersLimited,
    GuildPresences: ApplicationFlags.GatewayPresenceLimited,
    MessageContent: ApplicationFlags.GatewayMessageContentLimited,
  } as const;
  return intents.reduce((bits, name) => bits | flags[name], noFlags);
}

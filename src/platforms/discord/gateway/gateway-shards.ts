/** Detects gateway shards that stay silent, and isolates errors that discord.js would let end the process. */

import { EventEmitter } from 'node:events';
import { type Client, type ClientOptions, Events, SimpleShardingStrategy } from 'discord.js';
import { z } from 'zod';
import { within } from '../../../waiting.ts';
import { guardMethod, type HandlingFailures } from '../../chat/handling-failures.ts';

/** Discord lets one gateway shard identify at a time; the others wait. */
const identifyGapMs = 5000;

/**
 * Detects a gateway shard that lost its connection and didn't recover: if a RESUME is never answered, the
 * client waits forever and looks connected.
 */
export class GatewayShardWatch {
  readonly #lost = new Map<number, NodeJS.Timeout>();

  constructor(
    client: Client,
    deafAfterMs: number,
    on: {
      /** A gateway shard has been silent for too long, including its turn behind shards lost before it. */
      readonly deaf: (shard: number) => void;
      /** {@link silentShards} changed. */
      readonly change: () => void;
    },
  ) {
    client.on(Events.ShardReconnecting, (shard) => {
      if (this.#lost.has(shard)) return;
      const queueMs = this.#lost.size * identifyGapMs;
      const timer = setTimeout(() => on.deaf(shard), deafAfterMs + queueMs);
      this.#lost.set(shard, timer.unref());
      on.change();
    });
    const isBack = (shard: number) => {
      clearTimeout(this.#lost.get(shard));
      if (this.#lost.delete(shard)) on.change();
    };
    client.on(Events.ShardResume, isBack);
    client.on(Events.ShardReady, isBack);
  }

  /** The gateway shards that are silent now. */
  get silentShards(): readonly number[] {
    return [...this.#lost.keys()];
  }

  end(): void {
    for (const timer of this.#lost.values()) clearTimeout(timer);
  }
}

type BuildStrategy = NonNullable<NonNullable<ClientOptions['ws']>['buildStrategy']>;

/**
 * For the client's options: catches what discord.js throws while handling a connection's frames. The
 * library expects packets as Discord documents them; any other would end the process.
 */
export function guardedStrategy(failures: HandlingFailures): BuildStrategy {
  return (manager) => {
    const strategy = new SimpleShardingStrategy(manager);
    const spawn = strategy.spawn.bind(strategy);
    strategy.spawn = async (shardIds) => {
      await spawn(shardIds);
      const shards: unknown = Reflect.get(strategy, 'shards');
      if (!(shards instanceof Map))
        throw new Error('discord.js keeps its gateway shards elsewhere now.');
      for (const id of shardIds) {
        const shard: unknown = shards.get(id);
        if (typeof shard !== 'object' || shard === null) throw new Error(`No gateway shard ${id}.`);
        guardMethod(shard, 'onMessage', (error) => failures.note('a frame', error));
        endConnections(shard);
      }
    };
    return strategy;
  };
}

/** How long Discord has to answer that a connection closes, in milliseconds. The library waits for 30 s. */
const closedWithinMs = 3000;

/**
 * Makes `destroy` end the connection for good. The library leaves one behind that is still being opened, without
 * a listener, so that its failure would end the process. Before a connection's first packet, it also calls
 * `destroy` again by itself, connects anew, and never finishes the first call. While it waits to connect anew,
 * `destroy` does nothing.
 */
function endConnections(shard: object): void {
  const destroy = methodOf(shard, 'destroy');
  const connect = methodOf(shard, 'internalConnect');
  let isEnded = false;
  const destroyed = async (options?: { readonly recover?: unknown }): Promise<void> => {
    if (isEnded) return;
    const connection: unknown = Reflect.get(shard, 'connection');
    if (isConnection(connection)) connection.on('error', () => undefined);
    isEnded = options?.recover === undefined;
    const done = destroy(options);
    await (isEnded ? within(done, { ms: closedWithinMs }) : done);
    if (isConnection(connection)) connection.terminate();
  };
  const connected = async (): Promise<void> => {
    if (!isEnded) await connect();
  };
  Object.defineProperty(shard, 'destroy', { value: destroyed, configurable: true });
  Object.defineProperty(shard, 'internalConnect', { value: connected, configurable: true });
}

function methodOf(shard: object, name: string): (...given: unknown[]) => Promise<unknown> {
  const method: unknown = Reflect.get(shard, name);
  if (typeof method !== 'function') throw new Error(`A gateway shard has no method ${name} now.`);
  return async (...given) => Reflect.apply(method, shard, given);
}

function isConnection(one: unknown): one is EventEmitter & { terminate(): void } {
  return one instanceof EventEmitter && 'terminate' in one;
}

/** Only Discord's event names are logged; any other word could be anything. */
const namedSchema = z.object({ t: z.string().regex(/^[A-Z_]{1,50}$/) });

/** Also guards packets queued until the client was ready, which {@link guardedStrategy} doesn't cover. */
export function guardPackets(client: Client, failures: HandlingFailures): void {
  guardMethod(client.ws, 'handlePacket', (error, [packet]) => {
    failures.note(namedSchema.safeParse(packet).data?.t ?? 'a packet', error);
  });
}

/** A real Redis Cluster for tests: its nodes are servers of `redis-server.ts`, which know each other. */

import { setTimeout as wait } from 'node:timers/promises';
import type { Certificate } from './certificates.ts';
import { freePort, type RedisServer, startRedisServer } from './redis-server.ts';

/** How a cluster is started. */
export interface RedisClusterOptions {
  /** How many nodes hold slots. Default 3. */
  readonly masters?: number;
  /** How many nodes follow each of them. Default 0. */
  readonly replicasOfEach?: number;
  /** Settings of every node by name, e.g. `{ appendonly: 'yes' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Has all speak by TLS alone, and be known by name. */
  readonly certificate?: Certificate;
}

/** A cluster whose slots are all served. */
export interface RedisCluster {
  /**
   * `redis+cluster://127.0.0.1:<port>,…`, with TLS `rediss+cluster://localhost:<port>,…`, with every
   * node; the test adds user and password.
   */
  readonly url: string;
  /** Nodes that held slots at the start, in the order of their slots; each knows commands of its own. */
  readonly masters: readonly RedisServer[];
  /** Nodes that follow, in the order of whom they followed at the start. */
  readonly replicas: readonly RedisServer[];
  /** Sends a command to each node of the start that held slots, e.g. `FLUSHALL`. */
  everywhere(...words: readonly string[]): Promise<readonly unknown[]>;
  /** The node that a key's slot is at now. Asks any node that runs. */
  ownerOf(key: string): Promise<RedisServer>;
  /** Takes a slot with its keys to another node; others use it meanwhile. */
  moveSlot(slot: number, to: RedisServer): Promise<void>;
  /** Ends all nodes and removes their folders. */
  remove(): Promise<void>;
}

const slotCount = 16_384;
/** How long no one may hear of a node until its replica takes its place, in milliseconds. */
const nodeTimeoutMs = 1000;
const keysAtOnce = 10;
const patienceMs = 30_000;

/** Starts a cluster that keeps nothing on disk, save who its nodes are, unless the settings say so. */
export async function startRedisCluster({
  masters: masterCount = 3,
  replicasOfEach = 0,
  settings = {},
  certificate,
}: RedisClusterOptions = {}): Promise<RedisCluster> {
  const host = certificate ? 'localhost' : '127.0.0.1';
  const nodes: RedisServer[] = [];
  const busPorts = new Map<RedisServer, number>();
  const password = settings.requirepass;

  async function startNode(): Promise<void> {
    const busPort = await freePort();
    const node = await startRedisServer({
      settings: {
        'cluster-enabled': 'yes',
        'cluster-node-timeout': String(nodeTimeoutMs),
        'cluster-port': String(busPort),
        'repl-diskless-sync-delay': '0',
        ...(password !== undefined && { masterauth: password }),
        ...(certificate && {
          'cluster-announce-hostname': host,
          'cluster-preferred-endpoint-type': 'hostname',
        }),
        ...settings,
      },
      certificate,
    });
    nodes.push(node);
    busPorts.set(node, busPort);
  }

  async function ask(node: RedisServer, ...words: readonly string[]): Promise<unknown> {
    const connection = await node.connect(password);
    try {
      return await connection.command(...words);
    } finally {
      connection.close();
    }
  }

  const idOf = async (node: RedisServer) => String(await ask(node, 'CLUSTER', 'MYID'));
  const infoOf = async (node: RedisServer) => String(await ask(node, 'CLUSTER', 'INFO'));

  const strangersOf = async (node: RedisServer) => {
    const lines = String(await ask(node, 'CLUSTER', 'NODES'))
      .trim()
      .split('\n');
    return lines.filter((line) => !line.includes(`,${host} `)).join('\n') || 'none';
  };

  async function remove(): Promise<void> {
    for (const node of nodes) await node.remove();
  }

  async function acquaint(masters: readonly RedisServer[], replicas: readonly RedisServer[]) {
    // A node takes a number only while it knows no one.
    for (const [at, node] of nodes.entries()) {
      await ask(node, 'CLUSTER', 'SET-CONFIG-EPOCH', String(at + 1));
    }
    for (const node of nodes) {
      for (const other of nodes) {
        const place = [String(other.port), String(busPorts.get(other))];
        if (other !== node) await ask(node, 'CLUSTER', 'MEET', '127.0.0.1', ...place);
      }
    }
    for (const [at, master] of masters.entries()) {
      const [first, next] = [at, at + 1].map((one) => Math.floor((one * slotCount) / masterCount));
      await ask(master, 'CLUSTER', 'ADDSLOTSRANGE', String(first), String((next ?? 0) - 1));
    }
    const known = `cluster_known_nodes:${nodes.length}\r`;
    for (const node of nodes) {
      await comesToSay(() => infoOf(node), known);
    }
    for (const [at, replica] of replicas.entries()) {
      const master = masters[Math.floor(at / replicasOfEach)];
      if (master === undefined) continue;
      const id = await idOf(master);
      // A node is counted from its first greeting on, under an id of its own at first.
      await comesToSay(() => ask(replica, 'CLUSTER', 'NODES'), id);
      await ask(replica, 'CLUSTER', 'REPLICATE', id);
    }
    for (const node of nodes) {
      await comesToSay(() => infoOf(node), 'cluster_state:ok');
      // Names are told later than addresses.
      if (certificate) await comesToSay(() => strangersOf(node), 'none');
    }
    for (const replica of replicas) {
      await comesToSay(() => ask(replica, 'INFO', 'replication'), 'master_link_status:up');
    }
  }

  /** Which master has which slots since when, as a node knows it. */
  const epochsOf = async (node: RedisServer) => {
    const lines = String(await ask(node, 'CLUSTER', 'NODES')).split('\n');
    const words = lines.map((line) => line.split(' ')).filter(([, , , of]) => of === '-');
    return words
      .map(([id, , , , , , epoch, , ...slots]) => [id, epoch, slots].join(' '))
      .toSorted()
      .join('\n');
  };

  /** From any node that answers, as `CLUSTER NODES` tells it. */
  async function ownerOfSlot(slot: number): Promise<RedisServer> {
    for (const node of nodes) {
      const said = await ask(node, 'CLUSTER', 'NODES').catch(() => undefined);
      const port = String(said)
        .split('\n')
        .filter((line) => line.split(' ')[2]?.includes('master'))
        .find((line) =>
          line
            .split(' ')
            .slice(8)
            .some((range) => holds(range, slot)),
        )
        ?.match(/:(\d+)@/)?.[1];
      const owner = nodes.find((one) => String(one.port) === port);
      if (owner !== undefined) return owner;
    }
    throw new Error(`Nobody serves slot ${slot}.`);
  }

  async function startAll() {
    for (let at = 0; at < masterCount * (1 + replicasOfEach); at += 1) await startNode();
    const [masters, replicas] = [nodes.slice(0, masterCount), nodes.slice(masterCount)];
    await acquaint(masters, replicas);
    return { masters, replicas };
  }

  const { masters, replicas } = await startAll().catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  return {
    url: `${certificate ? 'rediss' : 'redis'}+cluster://${nodes.map(({ port }) => `${host}:${port}`).join(',')}`,
    masters,
    replicas,
    everywhere: (...words) => Promise.all(masters.map((node) => ask(node, ...words))),
    ownerOf: async (key) => {
      const [node] = masters;
      if (node === undefined) throw new Error('The cluster has no node.');
      return ownerOfSlot(Number(await ask(node, 'CLUSTER', 'KEYSLOT', key)));
    },
    moveSlot: async (slot, to) => {
      const from = await ownerOfSlot(slot);
      const at = String(slot);
      await ask(to, 'CLUSTER', 'SETSLOT', at, 'IMPORTING', await idOf(from));
      await ask(from, 'CLUSTER', 'SETSLOT', at, 'MIGRATING', await idOf(to));
      const auth = password === undefined ? [] : ['AUTH', password];
      for (;;) {
        const reply = await ask(from, 'CLUSTER', 'GETKEYSINSLOT', at, String(keysAtOnce));
        const keys = Array.isArray(reply) ? reply.map(String) : [];
        if (keys.length === 0) break;
        const target = ['127.0.0.1', String(to.port), '', '0', '5000'];
        await ask(from, 'MIGRATE', ...target, ...auth, 'KEYS', ...keys);
      }
      // The new owner first: else the old one sends there what is not known there yet.
      const owner = await idOf(to);
      for (const node of [to, from]) await ask(node, 'CLUSTER', 'SETSLOT', at, 'NODE', owner);
      // Before all know the new owner's epoch, an older word of another node can take a slot back.
      const moved = await epochsOf(to);
      for (const node of masters) await comesToSay(() => epochsOf(node), moved);
    },
    remove,
  };
}

/** Asks again and again, until the answer has the text in it. */
async function comesToSay(ask: () => Promise<unknown>, text: string): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    const said = String(await ask());
    if (said.includes(text)) return;
    if (performance.now() - startedAt > patienceMs) {
      throw new Error(`A node of the cluster does not come to say ${text}, but:\n${said}`);
    }
    await wait(20);
  }
}

/** @param range - `0-5460`, `7`, or `[7->-…` for a slot that is on its way. */
function holds(range: string, slot: number): boolean {
  const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? [];
  return first !== undefined && Number(first) <= slot && slot <= Number(last);
}

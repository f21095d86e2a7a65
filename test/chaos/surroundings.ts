/** Everything around the processes of a run: Redis, the platforms, the models, and their configuration. */

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import { Asking } from './asking.ts';
import type { ChaosOptions } from './chaos.ts';
import { startCountedModels } from './counted-models.ts';
import type { Crowd } from './crowd.ts';
import { startDiscordCrowd } from './discord-crowd.ts';
import { Fleet, type FleetOptions } from './fleet.ts';
import type { Random } from './random.ts';
import type { RunRecord } from './record.ts';
import { startSlackCrowd } from './slack-crowd.ts';

export interface Surroundings {
  readonly redis: RedisServer;
  readonly asking: Asking;
  readonly calls: RunRecord['calls'];
  readonly crowds: readonly Crowd[];
  /** How the processes are started. */
  readonly fleet: Omit<FleetOptions, 'workers' | 'onLine'>;
}

/** With what is compiled kept here, starts take half the time, so that more processes can be killed. */
const compiled = fileURLToPath(new URL('../../node_modules/.cache/chaos', import.meta.url));
/** Of a model's reply, in milliseconds. */
const latencyMs = [200, 1500] as const;

/**
 * @param open - What is opened is closed with it.
 * @param deadline - Ends all waiting.
 */
export async function openSurroundings(
  { threads, environment = {} }: ChaosOptions,
  random: Random,
  open: AsyncDisposableStack,
  deadline: AbortSignal,
): Promise<Surroundings> {
  const redis = await startRedisServer({
    settings: { appendonly: 'yes', appendfsync: 'always', 'maxmemory-policy': 'noeviction' },
  });
  open.defer(() => redis.remove());
  const asking = open.use(await Asking.open(redis.url, random, deadline));
  const models = open.use(
    await startCountedModels(random, latencyMs, (caller, question) =>
      asking.isStored(caller, question),
    ),
  );
  const crowds = await startCrowds(threads);
  for (const crowd of crowds) open.defer(() => crowd.close());
  const settings = [models.settings, ...crowds.map((crowd) => crowd.settings)];
  const folder = projectFolder(Object.assign({}, ...settings), threads);
  open.defer(() => rmSync(folder, { recursive: true, force: true }));
  const common = {
    ...Object.fromEntries(crowds.flatMap((crowd) => Object.entries(crowd.environment))),
    REDIS_URL: redis.url,
    NODE_COMPILE_CACHE: compiled,
  };
  const fleet = { folder, random, signal: deadline };
  if (!existsSync(compiled)) {
    // What is compiled is kept by a process that ends in good order.
    const first = new Fleet({ ...fleet, environment: common, workers: 1, onLine: () => undefined });
    open.defer(() => first.end());
    await first.start();
    await first.end();
  }
  return {
    redis,
    asking,
    crowds,
    calls: models.made,
    fleet: { ...fleet, environment: { ...common, ...environment } },
  };
}

/** Three quarters in Discord and the rest in Slack. */
async function startCrowds(threads: number): Promise<readonly Crowd[]> {
  const inSlack = Math.floor(threads / 4);
  return [await startDiscordCrowd(threads - inSlack), await startSlackCrowd(inSlack)];
}

/** A folder with a configuration of two sages. */
function projectFolder(settings: object, threads: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'council-chaos-'));
  const council = {
    memory: { interactions: 0 },
    // A worker that is left alone has a place for the turns of all: nobody waits for one.
    limits: {
      maxConcurrentTurns: threads,
      maxQueuedTurnsPerUser: 1000,
      maxQueuedTurnsPerThread: 1000,
    },
    ...settings,
  };
  const files = {
    'council.yaml': JSON.stringify(council),
    'sages/ada.md': '---\nname: Ada Sage\ndescription: Looks for what breaks first.\n---\n',
    'sages/ben.md': '---\nname: Ben Sage\ndescription: Counts what a thing costs.\n---\n',
  };
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, 'config', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return folder;
}

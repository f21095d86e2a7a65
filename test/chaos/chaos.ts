/**
 * A fleet of real processes that are killed and halted at random while people ask: one gateway and
 * some workers over a real Redis server with its append-only file on, in a Discord and a Slack on
 * loopback that answer some posts with errors, late or not at all.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import { programMissing, programPath } from '../fakes/slack/binary/program.ts';
import { Asking } from './asking.ts';
import { startCountedModels } from './counted-models.ts';
import type { Crowd } from './crowd.ts';
import { startDiscordCrowd } from './discord-crowd.ts';
import { Fleet, gatewayShare, type Strike } from './fleet.ts';
import { temporaryProject } from './project.ts';
import { type Random, seededRandom } from './random.ts';
import type { Line, Post, RunRecord, Span } from './record.ts';
import { watchPulse } from './redis-pulse.ts';
import { startSlackCrowd } from './slack-crowd.ts';

export interface ChaosSize {
  /** How many people there are, each in a thread of their own; a quarter of them in Slack. */
  readonly threads: number;
  readonly workers: number;
  /** A fifth of them are of gateways. */
  readonly kills: number;
  readonly halts: number;
  readonly redisRestarts: number;
  /** Share of the posts that go wrong. */
  readonly spoiled: number;
  /** What passes between two kills, between these, in milliseconds. */
  readonly betweenKillsMs: readonly [number, number];
  /** How long a short halt is, which no other process should notice, and a long one, in milliseconds. */
  readonly shortHaltMs: readonly [number, number];
  readonly longHaltMs: readonly [number, number];
  /** How long the last question may take once nothing is done to anybody any more, in milliseconds. */
  readonly patienceMs: number;
  /** For how long everything is watched after the last turn has ended, in milliseconds. */
  readonly quietMs: number;
  /** After which the run is ended, in milliseconds. */
  readonly deadlineMs: number;
}

export interface ChaosOptions extends ChaosSize {
  readonly seed: number;
  readonly tell: (line: string) => void;
  /** Further variables of the processes' environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Of a model's reply, in milliseconds. */
const latencyMs = [200, 1500] as const;

/**
 * Runs it once. Every process that it has started has ended when it returns.
 *
 * @throws When it could not be set up before its deadline.
 */
export async function runChaos(options: ChaosOptions): Promise<RunRecord> {
  const { deadlineMs } = options;
  const deadline = AbortSignal.timeout(deadlineMs);
  await using open = new AsyncDisposableStack();
  const late = new Promise<'late'>((resolve) => {
    deadline.addEventListener('abort', () => resolve('late'), { once: true });
  });
  const run = await Promise.race([setUp(options, deadline, open), late]);
  if (run === 'late') throw new Error(`Nothing was up after ${deadlineMs / 1000} s.`);
  const ended = await Promise.race([run.disturb(), late]);
  const record = await run.record();
  return ended === 'late' ? { ...record, deadlineMs } : record;
}

async function setUp(
  options: ChaosOptions,
  deadline: AbortSignal,
  open: AsyncDisposableStack,
): Promise<Run> {
  const { seed, threads, workers, tell, environment = {} } = options;
  const random = seededRandom(seed);
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
  const crowds = await startCrowds(threads, tell);
  for (const crowd of crowds) open.defer(() => crowd.close());
  const folder = temporaryProject(
    {
      ...models.settings,
      ...Object.fromEntries(crowds.flatMap(({ settings }) => Object.entries(settings))),
    },
    threads,
  );
  open.defer(() => folder.remove());
  const lines: Line[] = [];
  const common = {
    folder: folder.path,
    environment: {
      ...Object.fromEntries(crowds.flatMap((crowd) => Object.entries(crowd.environment))),
      REDIS_URL: redis.url,
      // Starts take half the time, so that more of them can be killed.
      NODE_COMPILE_CACHE: `${folder.path}/compiled`,
      ...environment,
    },
    random,
    signal: deadline,
  };
  // What is compiled is kept by a process that ends in good order.
  const first = new Fleet({ ...common, workers: 1, onLine: () => undefined });
  open.defer(() => first.end());
  await first.start();
  await first.end();
  const fleet = new Fleet({
    ...{ ...common, workers },
    onLine: ({ time, pid, level, msg, turnId }) =>
      lines.push({ at: time.getTime(), pid, level, msg, ...(turnId && { turnId }) }),
  });
  open.defer(() => fleet.end());
  const run = new Run({
    options,
    redis,
    asking,
    calls: models.made,
    crowds,
    fleet,
    lines,
    random,
    deadline,
  });
  // A process that hangs in its start is told of in the record.
  await Promise.race([fleet.start(), aborted(deadline)]);
  return run;
}

/** Three quarters in Discord and the rest in Slack, where there can be one. */
async function startCrowds(
  threads: number,
  tell: (line: string) => void,
): Promise<readonly Crowd[]> {
  if (programPath === undefined) {
    tell(`All of it is in Discord, because the Slack on loopback ${programMissing}.`);
    return [await startDiscordCrowd(threads)];
  }
  const inSlack = Math.floor(threads / 4);
  return [await startDiscordCrowd(threads - inSlack), await startSlackCrowd(inSlack)];
}

interface RunParts {
  readonly options: ChaosOptions;
  readonly redis: RedisServer;
  readonly asking: Asking;
  readonly calls: RunRecord['calls'];
  readonly crowds: readonly Crowd[];
  readonly fleet: Fleet;
  readonly lines: Line[];
  readonly random: Random;
  readonly deadline: AbortSignal;
}

/** One run, and what is noted of it on the way. */
class Run {
  readonly #parts: RunParts;
  readonly #from = Date.now();
  readonly #spoiled: string[] = [];
  readonly #redisDown: Span[] = [];
  readonly #over = new AbortController();
  readonly #redisSilent: readonly Span[];

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#redisSilent = watchPulse(parts.redis, this.#over.signal);
  }

  /** Resolves when all that was asked is answered, and nothing happens any more. */
  async disturb(): Promise<void> {
    const { options, asking, crowds, fleet, random, deadline } = this.#parts;
    const { tell, spoiled, quietMs, patienceMs } = options;
    for (const crowd of crowds) crowd.spoil(random, spoiled, (kind) => this.#spoiled.push(kind));
    const calm = new AbortController();
    const asked = asking.keepAsking(
      crowds.flatMap(({ seats }) => seats),
      calm.signal,
      () => fleet.happens('asked'),
    );
    await Promise.all([this.#kill(), this.#halt()]);
    calm.abort();
    await asked;
    tell(`${asking.count} questions were asked; nothing is done to anybody any more.`);
    await asking.allEnded(patienceMs);
    await wait(quietMs, undefined, { signal: deadline });
  }

  async #kill(): Promise<void> {
    const { options, fleet, random, deadline } = this.#parts;
    const { kills, redisRestarts, betweenKillsMs } = options;
    const events = [
      ...strikes(kills),
      ...Array.from({ length: redisRestarts }, () => 'redis' as const),
    ];
    for (const event of shuffled(events, random)) {
      await wait(random.between(...betweenKillsMs), undefined, { signal: deadline });
      if (event === 'redis') await this.#restartRedis();
      else await fleet.kill(event);
    }
  }

  async #restartRedis(): Promise<void> {
    const from = Date.now();
    await this.#parts.redis.restart();
    this.#redisDown.push({ from, to: Date.now() });
  }

  async #halt(): Promise<void> {
    const { options, fleet, random, deadline } = this.#parts;
    const { halts, shortHaltMs, longHaltMs } = options;
    for (const strike of shuffled(strikes(halts), random)) {
      const forMs = random.between(...random.pick([shortHaltMs, longHaltMs]));
      await fleet.halt(strike, forMs);
      await wait(random.between(0, 1000), undefined, { signal: deadline });
    }
  }

  async record(): Promise<RunRecord> {
    const { options, redis, asking, calls, crowds, fleet, lines } = this.#parts;
    this.#over.abort();
    const questions = await asking.questions();
    const asked = new Map(
      questions.flatMap(({ turn, number }) => (turn ? [[turn.turnId, number]] : [])),
    );
    const posts = crowds
      .flatMap(({ seats }) => seats)
      .flatMap(({ thread, posts }) =>
        posts().map((post): Post => {
          if (post.kind === 'answer') return { thread, ...post };
          const { isClosed, question = asked.get(post.turnId ?? '') ?? Number.NaN } = post;
          return { thread, kind: 'card', isClosed, question };
        }),
      );
    const dead = await redis.command('HLEN', 'council:{queue}:dead').catch(() => 0);
    return structuredClone({
      seed: options.seed,
      span: { from: this.#from, to: Date.now() },
      wanted: { kills: options.kills, halts: options.halts, restarts: options.redisRestarts },
      ...{ questions, posts, calls, lines, lives: fleet.lives, spoiled: this.#spoiled },
      ...{ redisDown: this.#redisDown, redisSilent: this.#redisSilent },
      putAside: Number(dead),
      violations: crowds.flatMap((crowd) => crowd.violations()),
      troubles: [...fleet.troubles],
    });
  }
}

const aimsAt = {
  gateway: ['asked', 'any'],
  worker: ['turn taken from the queue', 'any', 'verdict reached', 'any', 'council seated', 'any'],
} as const;

/** A fifth are the gateway's; half of all come when something short is under way. */
function strikes(count: number): readonly Strike[] {
  const gateways = Math.round(count * gatewayShare);
  return Array.from({ length: count }, (_, index): Strike => {
    const role = index < gateways ? 'gateway' : 'worker';
    const aims = aimsAt[role];
    return { role, aim: aims[index % aims.length] ?? 'any' };
  });
}

function shuffled<Item>(items: readonly Item[], random: Random): readonly Item[] {
  return items
    .map((item) => ({ item, place: random.next() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * A fleet of real processes that are killed and halted at random while people ask: one gateway and
 * some workers over a real Redis server with its append-only file on, in a Discord and a Slack on
 * loopback that answer some posts with errors, late or not at all.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { Fleet, gatewayShare, type Strike } from './fleet.ts';
import { type Random, seededRandom } from './random.ts';
import type { Line, Post, RunRecord, Span } from './record.ts';
import { watchHeartbeat } from './redis-heartbeat.ts';
import { openSurroundings, type Surroundings } from './surroundings.ts';

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

/** What is set up for a run is up within this, in milliseconds. */
const setUpWithinMs = 180_000;

/**
 * Runs it once. Every process that it has started has ended when it returns.
 *
 * @throws When a stand-in could not be set up.
 */
export async function runChaos(options: ChaosOptions): Promise<RunRecord> {
  const { deadlineMs } = options;
  const deadline = new AbortController();
  await using open = new AsyncDisposableStack();
  const random = seededRandom(options.seed);
  const settingUp = AbortSignal.timeout(setUpWithinMs);
  const around = await Promise.race([
    openSurroundings(options, random, open, deadline.signal),
    aborted(settingUp),
  ]);
  if (around === 'late') throw new Error(`Nothing was up after ${setUpWithinMs / 1000} s.`);
  const lines: Line[] = [];
  const fleet = new Fleet({
    ...around.fleet,
    workers: options.workers,
    onLine: ({ time, pid, level, msg, turnId, starts }) =>
      lines.push({
        at: time.getTime(),
        pid,
        level,
        msg,
        ...(turnId && { turnId }),
        ...(starts !== undefined && { starts }),
      }),
  });
  open.defer(() => fleet.end());
  const timer = setTimeout(() => deadline.abort(), deadlineMs);
  open.defer(() => clearTimeout(timer));
  const run = new Run({ ...around, options, fleet, lines, random, deadline: deadline.signal });
  const ended = await Promise.race([run.run(), aborted(deadline.signal)]);
  const record = await run.record();
  return ended === 'late' ? { ...record, deadlineMs } : record;
}

function aborted(signal: AbortSignal): Promise<'late'> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve('late'), { once: true });
  });
}

interface RunParts extends Omit<Surroundings, 'fleet'> {
  readonly options: ChaosOptions;
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
    this.#redisSilent = watchHeartbeat(parts.redis, this.#over.signal);
  }

  /** Resolves when all that was asked is answered, and nothing happens any more. */
  async run(): Promise<void> {
    const { options, asking, crowds, fleet, random, deadline } = this.#parts;
    const { tell, spoiled, quietMs, patienceMs } = options;
    await fleet.start();
    for (const crowd of crowds) crowd.spoil(random, spoiled, (kind) => this.#spoiled.push(kind));
    const calm = new AbortController();
    const asked = asking.keepAsking(
      crowds.flatMap(({ seats }) => seats),
      calm.signal,
      () => fleet.happens('asked'),
    );
    // The deadline may end the strikes first; nobody awaits it then.
    asked.catch(() => undefined);
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
    const asked = questions.flatMap(({ turn, number }) =>
      turn ? [[turn.turnId, number] as const] : [],
    );
    const posts = crowds
      .flatMap(({ seats }) => seats)
      .flatMap(({ thread, posts }) =>
        posts().flatMap((post): readonly Post[] => {
          if (post.kind === 'answer') return [{ thread, ...post }];
          const [, question] = asked.find(([turnId]) => post.isOf(turnId)) ?? [];
          return question === undefined
            ? []
            : [{ thread, kind: 'card', isClosed: post.isClosed, question }];
        }),
      );
    const dead = await redis.command('HLEN', 'council:{queue}:dead').catch(() => 0);
    return structuredClone({
      seed: options.seed,
      span: { from: this.#from, to: Date.now() },
      wanted: { kills: options.kills, halts: options.halts, restarts: options.redisRestarts },
      questions,
      posts,
      calls,
      lines,
      lives: fleet.lives,
      spoiled: this.#spoiled,
      redisDown: this.#redisDown,
      redisSilent: this.#redisSilent,
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

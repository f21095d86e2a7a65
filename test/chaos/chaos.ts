/**
 * A fleet of real processes that are killed at random while people ask: one gateway and some workers
 * over a real Redis server with its append-only file on, in a Discord on loopback that answers some
 * posts late, with errors or not at all. A further platform joins as another crowd beside Discord's.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startRedisServer } from '../fakes/redis-server.ts';
import { type CountedModels, startCountedModels } from './counted-models.ts';
import { type Asked, ask, comesToHold, faultsOf, spoilPosts, startCrowd } from './discord-crowd.ts';
import { Fleet } from './fleet.ts';
import type { LogLine } from './program.ts';
import { seededRandom } from './random.ts';

export interface ChaosOptions {
  readonly seed: number;
  readonly turns: number;
  readonly threads: number;
  readonly workers: number;
  /** What somebody waits after a question was taken until the next one, between these, in milliseconds. */
  readonly pausesMs: readonly [number, number];
  readonly kills: number;
  readonly redisRestarts: number;
  /** Share of the posts that go wrong. */
  readonly spoiled: number;
  /** How long the last question may take once nothing is killed any more, in milliseconds. */
  readonly patienceMs: number;
  readonly tell: (line: string) => void;
  /** Told every warning and error of the processes; most are what the chaos does to them. */
  readonly onTrouble: (line: LogLine) => void;
}

export interface ChaosReport {
  /** Empty when all is well. */
  readonly faults: readonly string[];
  /** Questions that the gateway was killed over before it had taken them. */
  readonly askedAgain: number;
  /** How long turns waited for another process while Redis was there, shortest first. */
  readonly takeOversMs: readonly number[];
  /** The same around a restart of Redis. */
  readonly takeOversAroundRestartsMs: readonly number[];
  readonly paidAgain: number;
  readonly calls: number;
  readonly seconds: number;
}

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const {
    seed,
    turns,
    threads,
    workers,
    pausesMs,
    kills,
    redisRestarts,
    spoiled,
    patienceMs,
    tell,
    onTrouble,
  } = options;
  const startedAt = performance.now();
  const random = seededRandom(seed);
  const redis = await startRedisServer({
    settings: { appendonly: 'yes', 'maxmemory-policy': 'noeviction' },
  });
  await using models = await startCountedModels(random, [300, 3000]);
  const { discord, seats } = await startCrowd(threads);
  const folder = project(models, discord.api);
  const environment = { REDIS_URL: redis.url, DISCORD_TOKEN: discord.token };
  const fleet = new Fleet({ folder, environment, workers, onTrouble });
  try {
    await fleet.start();
    tell(`A gateway and ${workers} workers are up.`);
    spoilPosts(discord, random, spoiled);
    const asked: Asked[] = [];
    let askedAgain = 0;
    // Asked while the server is starting again, it does not know.
    const look = (...words: readonly string[]) => redis.command(...words).catch(() => undefined);
    const isTaken = async ({ seat, eventId }: Asked) => {
      const [platform, workspace] = seat.threadId.split(':');
      return (await look('EXISTS', `council:event:${platform}:${workspace}:${eventId}`)) === 1;
    };
    const hasEnded = async () => (await look('ZCARD', 'council:unfinished')) === 0;
    /** A killed gateway does not hear what was said before it came back: then people say it again. */
    const insist = async (question: Asked) => {
      while (!(await comesToHold(() => isTaken(question), 15_000))) {
        askedAgain += 1;
        question.eventId = ask(discord, question.seat, question.number);
      }
    };

    const killing = (async () => {
      const events = [
        ...Array.from({ length: kills }, () => 'kill' as const),
        ...Array.from({ length: redisRestarts }, () => 'redis' as const),
      ].toSorted(() => random.next() - 0.5);
      for (const event of events) {
        await wait(random.between(500, 2500));
        if (event === 'redis') {
          tell('Redis is killed and started again.');
          const from = Date.now();
          await redis.restart();
          fleet.takeOvers.redisWasAway(from, Date.now());
        } else await fleet.killOne(random);
      }
    })();
    const asking = Promise.all(
      seats.map(async (seat, index) => {
        for (let number = index + 1; number <= turns; number += threads) {
          const question: Asked = { number, seat, eventId: ask(discord, seat, number) };
          asked.push(question);
          // The next one waits until this one is taken, so that the order is known; not until it is answered.
          await insist(question);
          await wait(random.between(...pausesMs));
        }
      }),
    );
    await asking;
    tell(`${asked.length} questions are taken.`);
    await killing;
    tell(`${fleet.kills} kills and ${redisRestarts} restarts of Redis are done.`);
    const faults: string[] = [];
    if (!(await comesToHold(hasEnded, patienceMs))) {
      faults.push(`${await redis.command('ZCARD', 'council:unfinished')} turns have not ended`);
    }
    for (const seat of seats) {
      const here = asked.filter((question) => question.seat === seat);
      faults.push(...faultsOf(discord, seat, here));
    }
    const dead = await redis.command('HLEN', 'council:{queue}:dead');
    if (dead !== 0) faults.push(`${dead} turns were put aside`);
    faults.push(...discord.violations.all.map(String));
    return {
      faults: [...faults, ...fleet.faults],
      askedAgain,
      takeOversMs: fleet.takeOvers.waitsMs(false),
      takeOversAroundRestartsMs: fleet.takeOvers.waitsMs(true),
      paidAgain: models.paidAgain(),
      calls: models.calls(),
      seconds: (performance.now() - startedAt) / 1000,
    };
  } finally {
    await fleet.end();
    await discord.close();
    await redis.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A folder with a configuration of two sages. */
function project({ settings }: CountedModels, apiUrl: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'council-chaos-'));
  const council = {
    ...settings,
    memory: { interactions: 0 },
    limits: { maxQueuedTurnsPerUser: 1000, maxQueuedTurnsPerThread: 1000 },
    discord: { apiUrl },
  };
  const files = {
    'council.yaml': JSON.stringify(council),
    'sages/ada.md': '---\nname: Ada Sage\ndescription: Looks for what breaks first.\n---\n',
    'sages/ben.md': '---\nname: Ben Sage\ndescription: Counts what a thing costs.\n---\n',
  };
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, 'config', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return folder;
}

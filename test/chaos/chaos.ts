/**
 * A fleet of real processes that are killed at random while people ask: one gateway and some workers
 * over a real Redis server with its append-only file on, in a Discord and a Slack on loopback that
 * answer some posts with errors, late or not at all.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type RedisServer, startRedisServer } from '../fakes/redis-server.ts';
import { programMissing, programPath } from '../fakes/slack/binary/program.ts';
import { unfinishedTurns } from '../fakes/unfinished-turns.ts';
import { type CountedModels, startCountedModels } from './counted-models.ts';
import { type Asked, type Crowd, faultsOf, questionText, type Seat } from './crowd.ts';
import { startDiscordCrowd } from './discord-crowd.ts';
import { Fleet } from './fleet.ts';
import type { LogLine } from './program.ts';
import { type Random, seededRandom } from './random.ts';
import { watchPulse } from './redis-pulse.ts';
import { startSlackCrowd } from './slack-crowd.ts';
import type { TakeOver } from './take-overs.ts';
import { comesToHold } from './waiting.ts';

/** What is promised, in milliseconds; `take-overs.ts` says from when to when. */
export const takenOverWithinMs = 10_000;

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
  /** Turns that another process went on with, the shortest wait first. */
  readonly takeOvers: readonly TakeOver[];
  /** For how long Redis ran and did not answer, e.g. because its disk was busy. */
  readonly haltedMs: number;
  readonly paidAgain: number;
  readonly calls: number;
  readonly seconds: number;
}

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, threads, workers, kills, redisRestarts, spoiled, patienceMs } = options;
  const { tell, onTrouble } = options;
  const startedAt = performance.now();
  const random = seededRandom(seed);
  const redis = await startRedisServer({
    settings: { appendonly: 'yes', appendfsync: 'always', 'maxmemory-policy': 'noeviction' },
  });
  await using models = await startCountedModels(random, [300, 3000]);
  const crowds = await startCrowds(threads, tell);
  const folder = project(models, crowds, threads);
  const environment = {
    ...Object.fromEntries(crowds.flatMap((crowd) => Object.entries(crowd.environment))),
    REDIS_URL: redis.url,
  };
  const fleet = new Fleet({ folder, environment, workers, onTrouble });
  try {
    await fleet.start();
    tell(`A gateway and ${workers} workers are up.`);
    for (const crowd of crowds) crowd.spoil(random, spoiled);
    const drawn = { ...options, random };
    const seats = crowds.flatMap((crowd) => crowd.seats);
    const pulse = watchPulse(redis, fleet.takeOvers);
    const asking = askAll(seats, redis, drawn);
    const killing = killMany(fleet, redis, drawn);
    const { asked, askedAgain } = await asking;
    tell(`${asked.length} questions are taken.`);
    await killing;
    tell(`${fleet.kills} kills and ${redisRestarts} restarts of Redis are done.`);
    const faults: string[] = [];
    if (fleet.kills < kills) faults.push(`there were only ${fleet.kills} kills`);
    const open = () => unfinishedTurns(redis).catch(() => undefined);
    if (!(await comesToHold(async () => (await open()) === 0, patienceMs))) {
      faults.push(`${await open()} turns have not ended`);
    }
    for (const crowd of crowds) {
      for (const seat of crowd.seats) {
        const here = asked.filter((question) => question.seat === seat);
        faults.push(...faultsOf(seat, here));
      }
      faults.push(...crowd.violations());
    }
    const dead = await countOf(redis, 'HLEN', 'council:{queue}:dead');
    if (dead !== 0) faults.push(`${dead} turns were put aside`);
    const haltedMs = await pulse.end();
    const takeOvers = fleet.takeOvers.all();
    for (const { turnId, waitMs } of takeOvers) {
      if (waitMs > takenOverWithinMs) {
        faults.push(`turn ${turnId} was taken over after ${(waitMs / 1000).toFixed(1)} s`);
      }
    }
    return {
      faults: [...faults, ...fleet.faults],
      askedAgain,
      takeOvers,
      haltedMs,
      paidAgain: models.paidAgain(),
      calls: models.calls(),
      seconds: (performance.now() - startedAt) / 1000,
    };
  } finally {
    await fleet.end();
    for (const crowd of crowds) await crowd.close();
    await redis.remove();
    rmSync(folder, { recursive: true, force: true });
  }
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

type Drawn = ChaosOptions & { readonly random: Random };

/** A figure of the server; `undefined` while that is starting again. */
async function countOf(redis: RedisServer, ...words: readonly string[]): Promise<unknown> {
  return redis.command(...words).catch(() => undefined);
}

/** Where the store keeps which turn an event has made. */
function eventKeyOf(eventId: string): string {
  return `council:{${eventId.split(':', 2).join(':')}}:event:${eventId}`;
}

/** Everybody asks one question after another, each as soon as the one before it is taken. */
async function askAll(
  seats: readonly Seat[],
  redis: RedisServer,
  { turns, pausesMs, random }: Drawn,
) {
  const asked: Asked[] = [];
  let askedAgain = 0;
  const isTaken = async ({ eventId }: Asked) =>
    (await countOf(redis, 'EXISTS', eventKeyOf(eventId))) === 1;
  await Promise.all(
    seats.map(async (seat, index) => {
      for (let number = index + 1; number <= turns; number += seats.length) {
        const text = questionText(number);
        const question: Asked = { number, seat, eventId: await seat.ask(text) };
        asked.push(question);
        while (!(await comesToHold(() => isTaken(question), seat.patienceMs))) {
          askedAgain += 1;
          question.eventId = await seat.ask(text);
        }
        await wait(random.between(...pausesMs));
      }
    }),
  );
  return { asked, askedAgain };
}

async function killMany(
  fleet: Fleet,
  redis: RedisServer,
  { kills, redisRestarts, random, tell }: Drawn,
) {
  const events = [
    ...Array.from({ length: kills }, () => 'kill' as const),
    ...Array.from({ length: redisRestarts }, () => 'redis' as const),
  ]
    .map((event) => ({ event, place: random.next() }))
    .toSorted((one, other) => one.place - other.place);
  for (const { event } of events) {
    await wait(random.between(500, 2500));
    if (event === 'kill') {
      await fleet.killOne(random);
      continue;
    }
    tell('Redis is killed and started again.');
    const from = Date.now();
    await redis.restart();
    fleet.takeOvers.redisWasAway(from, Date.now());
  }
}

/** A folder with a configuration of two sages. */
function project({ settings }: CountedModels, crowds: readonly Crowd[], threads: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'council-chaos-'));
  const council = {
    ...settings,
    memory: { interactions: 0 },
    // A worker that is left alone has a place for the turns of all: nobody waits for one.
    limits: {
      maxConcurrentTurns: threads,
      maxQueuedTurnsPerUser: 1000,
      maxQueuedTurnsPerThread: 1000,
    },
    ...Object.fromEntries(crowds.flatMap((crowd) => Object.entries(crowd.settings))),
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

/** A bot in a process of its own that is killed, and another one that goes on where it died. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { FakeDiscord } from '../../fakes/discord/discord.ts';
import type { Death } from './mortal-store.ts';
import { startWholeBot } from './whole-council.ts';
import { routes as known } from './whole-turn.ts';

const program = fileURLToPath(new URL('whole-bot.ts', import.meta.url));

/** Starts the bot, and waits until it is connected. */
export async function startProcess(
  discord: FakeDiscord,
  path: string,
  death?: Death,
): Promise<ChildProcess> {
  const given = [discord.api, discord.token, path, ...(death ? [JSON.stringify(death)] : [])];
  const child = spawn(process.execPath, [program, ...given], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout ?? child, 'data');
  return child;
}

export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Processes begin slowly on a busy machine. */
export const patienceMs = 60_000;

/** Requests that make something people see, after a command has its answer. */
export const posts: readonly string[] = [known.thread, known.webhookPost, known.botPost];
/** What a kill leaves of a request: its effect and no answer, or nothing at all. */
export type Left = 'done' | 'not done';

interface TwoLives {
  readonly discord: FakeDiscord;
  /** Asks, in the life of the first process. */
  readonly begin: () => unknown;
  /** What the person does once the second one is connected. */
  readonly goOn?: () => unknown;
  /** Whether the turn is over, in the life of the second one. */
  readonly isOver: () => boolean;
}

/** Lets a process live until it dies, and then a bot in this one bring the turn to its end. */
async function live(
  { discord, begin, goOn, isOver }: TwoLives,
  death: Death | undefined,
  end: (child: ChildProcess) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'council-kill-'));
  const path = join(folder, 'council.db');
  const child = await startProcess(discord, path, death);
  try {
    const ended = end(child);
    await begin();
    await ended;
    // By then Discord has forgotten every nonce.
    discord.clock.advance(10 * 60_000);
    const store = openSqliteStore({ path });
    const next = await startWholeBot(discord, store, 'the next one');
    await goOn?.();
    await discord.until(isOver, 'the end of the turn', patienceMs);
    await next.shutDown();
    await store.close();
  } finally {
    await kill(child);
    await rm(folder, { recursive: true });
  }
}

/** Kills the bot at its request of this number, and starts another one. */
export function outlive(
  life: TwoLives & {
    readonly number: number;
    readonly left: Left;
    /** Which requests count; absent: {@link posts}. */
    readonly counted?: readonly string[];
    /** What happens while no bot lives. */
    readonly between?: () => void;
  },
): Promise<void> {
  const { discord, number, left, counted = posts } = life;
  return live(life, undefined, async (child) => {
    let count = 0;
    if (number === 1 && left === 'not done') dropNext(discord, counted);
    await new Promise<void>((resolve) => {
      discord.onCall(({ route }) => {
        if (!counted.includes(route)) return;
        count += 1;
        if (count === number) resolve(kill(child));
        // Planned before the request comes in, for any that may be the next one.
        if (count === number - 1 && left === 'not done') dropNext(discord, counted);
      });
    });
    // What was planned for other requests is not for the next process.
    for (const route of counted) while (discord.faults.take(route) !== undefined);
    life.between?.();
  });
}

/** Lets the bot die at a call of its store, and starts another one. */
export function outliveStore(
  life: TwoLives & {
    readonly death: Death;
    /** Looks at what the first process has left. */
    readonly between?: () => void;
  },
): Promise<void> {
  return live(life, life.death, async (child) => {
    await once(child, 'exit');
    life.between?.();
  });
}

function dropNext(discord: FakeDiscord, routes: readonly string[]): void {
  for (const route of routes) discord.faults.failNext(route, { kind: 'drop' });
}

/** Whether a message is a turn's card. It quotes what a command asked, and tells how far the turn is or leads to its end. */
export function isCardText(text: string): boolean {
  return /^> |⏳ |The council has answered\.|Read the (?:whole council|verdict)/m.test(text);
}

/** Whether a card is in its last state, of a turn that was answered. */
export function hasEnded(card: string): boolean {
  return /Confidence: medium|The council has answered\./.test(card);
}

/** All that was said in a turn, each text once; the sages in any order. */
export function expectAllSaid(texts: readonly string[]): void {
  const starts = ['Ada says yes.', 'Ben says no.', 'Cleo says later.', 'Dan says in parts.'];
  const spoken = texts.slice(0, 4);
  expect(spoken.map((text) => starts.find((start) => text.includes(start))).toSorted()).toEqual(
    starts.toSorted(),
  );
  expect(texts.slice(4)).toEqual([
    expect.stringContaining('### Ranking by 4 blind ballots'),
    expect.stringContaining('## Verdict'),
  ]);
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { startWorld } from '../../fakes/discord/connected-client.ts';
import type { FakeDiscord } from '../../fakes/discord/discord.ts';
import { ask, textOf } from '../../platforms/discord/discord-world.ts';
import { routes } from './whole-turn.ts';

const program = fileURLToPath(new URL('whole-bot.ts', import.meta.url));

async function startProcess(discord: FakeDiscord, path: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, discord.api, discord.token, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout ?? child, 'data');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Processes begin slowly on a busy machine. */
const patienceMs = 60_000;

/** Requests that make something people see, after a command has its answer. */
const posts: readonly string[] = [routes.thread, routes.webhookPost, routes.botPost];
/** What a kill leaves of a request: its effect and no answer, or nothing at all. */
type Left = 'done' | 'not done';

interface Life {
  readonly discord: FakeDiscord;
  /** Asks, in the life of the first process. */
  readonly begin: () => void;
  readonly number: number;
  readonly left: Left;
  /** Whether the turn is over, in the life of the second one. */
  readonly isOver: () => boolean;
}

/** Kills the bot at its post of this number, and starts another one that brings the turn to its end. */
async function outlive({ discord, begin, number, left, isOver }: Life): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'council-kill-'));
  const path = join(folder, 'council.db');
  let child = await startProcess(discord, path);
  try {
    let count = 0;
    const killed = new Promise<void>((resolve) => {
      discord.onCall(({ route }) => {
        if (!posts.includes(route)) return;
        count += 1;
        if (count === number) resolve(kill(child));
        // Planned before the request comes in, for any post that may be the next one.
        if (count === number - 1 && left === 'not done') dropNext(discord);
      });
    });
    if (number === 1 && left === 'not done') dropNext(discord);
    begin();
    await killed;
    // What was planned for other posts is not for the next process.
    for (const route of posts) while (discord.faults.take(route) !== undefined);
    // By then Discord has forgotten every nonce.
    discord.clock.advance(10 * 60_000);
    child = await startProcess(discord, path);
    await discord.until(isOver, 'the end of the turn', patienceMs);
  } finally {
    await kill(child);
    await rm(folder, { recursive: true });
  }
}

function dropNext(discord: FakeDiscord): void {
  for (const route of posts) discord.faults.failNext(route, { kind: 'drop' });
}

/** All that was said in a turn, each text once; the sages in any order, the pieces of one in theirs. */
function expectAllSaid(texts: readonly string[]): void {
  const starts = [
    'Ada says yes.',
    'Ben says no.',
    'Ben says never.',
    'Cleo says later.',
    'Dan says in parts.',
  ];
  const spoken = texts.slice(0, 5);
  expect(spoken.map((text) => starts.find((start) => text.includes(start))).toSorted()).toEqual(
    starts.toSorted(),
  );
  const ofBen = spoken.findIndex((text) => text.includes('Ben says no.'));
  expect(spoken[ofBen + 1]).toContain('Ben says never.');
  expect(texts.slice(5)).toEqual([
    expect.stringContaining('### Ranking by 4 blind ballots'),
    expect.stringContaining('## Verdict'),
  ]);
}

const inServer = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((number) =>
  (['done', 'not done'] as const).map((left) => ({ number, left })),
);

vi.setConfig({ testTimeout: 2 * patienceMs });

test.concurrent.each(inServer)(
  'killed with post $number $left, a bot that was asked by command has said everything once after a restart',
  async ({ number, left }) => {
    await using world = await startWorld();
    const { discord, channel } = world;
    const cards = () => discord.messages(channel.id).map(textOf);
    await outlive({
      ...{ discord, number, left },
      begin: () => ask(world, 'Should we rewrite the engine?'),
      isOver: () => cards().some((card) => card.includes('Read the whole council')),
    });
    expect(cards()).toHaveLength(1);
    const [thread, ...more] = discord.threads(channel.id);
    expect(more).toEqual([]);
    expectAllSaid(discord.messages(thread?.id ?? '').map(textOf));
    expect(discord.violations.all).toEqual([]);
  },
);

test.concurrent.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'killed with post %i done, a bot that was asked in a direct message has said everything once after a restart',
  async (number) => {
    await using world = await startWorld();
    const { discord, ada } = world;
    const direct = discord.directMessages(ada);
    const texts = () =>
      discord
        .messages(direct.id)
        .filter(({ wire }) => wire.author.bot === true)
        .map(textOf);
    await outlive({
      ...{ discord, number, left: 'done' },
      begin: () => discord.userSays(direct, ada, 'Should we rewrite the engine?'),
      isOver: () => texts()[0]?.includes('Rewrite it in parts') === true,
    });
    const [, ...said] = texts();
    expectAllSaid(said);
    expect(discord.violations.all).toEqual([]);
  },
);

test('a bot that is killed after every single post says everything once, in ten lives', async () => {
  await using world = await startWorld();
  const { discord, channel, ada } = world;
  const folder = await mkdtemp(join(tmpdir(), 'council-kill-'));
  const path = join(folder, 'council.db');
  let child = await startProcess(discord, path);
  let lives = 1;
  let died = Promise.withResolvers<void>();
  discord.onCall(({ route, status = 500 }) => {
    // A thread that is there already is no post.
    if (posts.includes(route) && status < 300) kill(child).then(died.resolve, died.reject);
  });
  const asked = discord.userSays(channel, ada, 'Should we rewrite the engine?', {
    mentionsBot: true,
  });
  const cards = () =>
    discord
      .messages(channel.id)
      .filter(({ wire }) => wire.id !== asked.wire.id)
      .map(textOf);
  const isOver = () => cards().some((card) => card.includes('Read the whole council'));
  try {
    while (!isOver()) {
      await Promise.race([died.promise, discord.until(isOver, 'the end of the turn', patienceMs)]);
      if (isOver()) break;
      discord.clock.advance(10 * 60_000);
      died = Promise.withResolvers<void>();
      child = await startProcess(discord, path);
      lives += 1;
    }
  } finally {
    await kill(child);
    await rm(folder, { recursive: true });
  }
  expect(lives).toBe(10);
  expect(cards()).toHaveLength(1);
  expectAllSaid(discord.messages(asked.wire.id).map(textOf));
});

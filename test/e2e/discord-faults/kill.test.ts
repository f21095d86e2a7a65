import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startWorld } from '../../fakes/discord/connected-client.ts';
import { ask, textOf } from '../../platforms/discord/discord-world.ts';
import {
  expectAllSaid,
  hasEnded,
  kill,
  outlive,
  patienceMs,
  posts,
  startProcess,
} from './lives.ts';

/** A thread or a card, four answers, the ranking and the verdict. */
const numbers = [1, 2, 3, 4, 5, 6, 7];
const inServer = numbers.flatMap((number) =>
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
      discord,
      number,
      left,
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

test.concurrent.each(numbers)(
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
      discord,
      number,
      left: 'done',
      begin: () => discord.userSays(direct, ada, 'Should we rewrite the engine?'),
      isOver: () => hasEnded(texts()[0] ?? ''),
    });
    const [, ...said] = texts();
    expectAllSaid(said);
    expect(discord.violations.all).toEqual([]);
  },
);

test('a bot that is killed after every single post says everything once, in nine lives', async () => {
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
  expect(lives).toBe(9);
  expect(cards()).toHaveLength(1);
  expectAllSaid(discord.messages(asked.wire.id).map(textOf));
  // Nine starts, one after another, beside those of the other tests.
}, 300_000);

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type SlackWorld, startSlackWorld } from '../../platforms/slack/slack-world.ts';
import { begin, connected, goOn, kill, killAtCall, type Left, patienceMs, posts } from './lives.ts';
import { expectAllSaid, isOver, question, saidIn } from './whole-turn.ts';

vi.setConfig({ testTimeout: 3 * patienceMs });

interface Life {
  readonly world: SlackWorld;
  readonly number: number;
  readonly left: Left;
}

/** Asks, kills the bot at its post of this number, and starts another one that brings the turn to its end. */
async function outlive({ world, number, left }: Life): Promise<string> {
  const { slack, channel, ada } = world;
  const folder = await mkdtemp(join(tmpdir(), 'council-kill-'));
  const path = join(folder, 'council.db');
  const child = begin(slack, path);
  try {
    await connected(child);
    const killed = killAtCall(slack, child, { number, left });
    const { thread } = await ada.mentions(channel, question);
    await killed;
    await using _next = await goOn(slack, path);
    await slack.until(() => isOver(world, thread), 'the end of the turn', patienceMs);
    return thread;
  } finally {
    await kill(child);
    await rm(folder, { recursive: true });
  }
}

const kills = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((number) =>
  (['done', 'not done'] as const).map((left) => ({ number, left })),
);

describe('a bot in Slack that is killed', () => {
  test.concurrent.each(kills)(
    'with post $number $left, has said everything once after a restart',
    async ({ number, left }) => {
      const world = await startSlackWorld();
      try {
        const thread = await outlive({ world, number, left });
        expectAllSaid(world, thread);
        world.slack.assertNoViolations();
      } finally {
        await world.slack.close();
      }
    },
  );

  test('after every single post, says everything once in as many lives', async () => {
    const world = await startSlackWorld();
    const { slack, channel, ada } = world;
    const folder = await mkdtemp(join(tmpdir(), 'council-kill-'));
    const path = join(folder, 'council.db');
    let child = begin(slack, path);
    await connected(child);
    let lives = 1;
    let died = Promise.withResolvers<void>();
    slack.onCall(({ method, answer }) => {
      // What is refused because it is there already is no post.
      const isDone = z.looseObject({ ok: z.literal(true) }).safeParse(answer).success;
      if (posts.includes(method) && isDone) kill(child).then(died.resolve, died.reject);
    });
    const { thread } = await ada.mentions(channel, question);
    const isDone = () => isOver(world, thread);
    try {
      while (!isDone()) {
        await Promise.race([died.promise, slack.until(isDone, 'the end of the turn', patienceMs)]);
        if (isDone()) break;
        died = Promise.withResolvers<void>();
        child = begin(slack, path);
        lives += 1;
        await connected(child);
      }
      // Sages begin at the same time, so one kill may come after several posts.
      expect(lives).toBeGreaterThan(3);
      expectAllSaid(world, thread);
      expect(saidIn(world, thread)).toHaveLength(6);
    } finally {
      await kill(child);
      await rm(folder, { recursive: true });
      await slack.close();
    }
  });
});

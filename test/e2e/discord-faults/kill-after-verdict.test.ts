import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { startWorld } from '../../fakes/discord/connected-client.ts';
import { ask, textOf } from '../../platforms/discord/discord-world.ts';
import { answered, customIds, idWith } from '../../platforms/discord/private-answers.ts';
import { hasEnded, kill, type Left, patienceMs, startProcess } from './lives.ts';
import { startWholeBot } from './whole-council.ts';
import { routes } from './whole-turn.ts';

vi.setConfig({ testTimeout: 2 * patienceMs });

/** By then a process that was at it is taken for gone. */
const laterMs = 61_000;

interface Killed {
  readonly what: 'post' | 'one';
  /** The request that it is killed at. */
  readonly at: keyof typeof routes;
  readonly left: Left;
}

const kills: readonly Killed[] = (['done', 'not done'] as const).flatMap((left) => [
  ...(['callback', 'botPost', 'cardEdit'] as const).map((at) => ({
    what: 'post' as const,
    at,
    left,
  })),
  ...(['callback', 'botPost', 'webhookPost'] as const).map((at) => {
    return { what: 'one' as const, at, left };
  }),
]);

test.concurrent.each(kills)(
  'what “$what” does below a verdict is done once, though a bot was killed with its $at $left',
  async ({ what, at, left }) => {
    await using world = await startWorld();
    const { discord, channel, ada } = world;
    const folder = await mkdtemp(join(tmpdir(), 'council-kill-'));
    const path = join(folder, 'council.db');
    const child = await startProcess(discord, path);
    ask(world, 'Should we rewrite the engine?');
    const texts = (id: string) => discord.messages(id).map(textOf);
    await discord.until(() => texts(channel.id).some(hasEnded), 'the first end', patienceMs);
    const thread = discord.threads(channel.id)[0]?.id ?? '';
    const shown = () => {
      const verdict = discord.messages(thread).find((one) => textOf(one).includes('## Verdict'));
      if (!verdict) throw new Error('There is no verdict.');
      return verdict;
    };
    const press = () => {
      const id = idWith(shown(), `|${what}|`);
      return what === 'one'
        ? discord.select(ada, shown(), id, ['ada'])
        : discord.pressButton(ada, shown(), id);
    };
    const killed = new Promise<void>((resolve) => {
      if (left === 'not done') discord.faults.failNext(routes[at], { kind: 'drop' });
      discord.onCall(({ route }) => {
        if (route === routes[at]) resolve(kill(child));
      });
    });
    press();
    await killed;
    discord.faults.take(routes[at]);
    discord.clock.advance(10 * 60_000);
    const now = () => Date.now() + laterMs;
    const store = openSqliteStore({ path, now });
    const next = await startWholeBot(discord, store, 'the next one', now);
    const isOffered = customIds(shown()).some((id) => id.includes(`|${what}|`));
    if (isOffered) await answered(world, press());
    await next.idle();
    const inThread = texts(thread).filter((text) => text.includes('Ada says yes.'));
    // Pressed again after it was answered, it is asked again.
    const threadId = `discord:${world.guild.id}:${channel.id}:${thread}`;
    const turns = await store.turns.list(threadId, { limit: 9 });
    expect(turns.length > 1).toBe(what === 'one');
    expect(inThread).toHaveLength(turns.length);
    const posted = texts(channel.id).filter((text) => text.includes('Rewrite it in parts'));
    expect(posted).toHaveLength(what === 'post' ? 2 : 1);
    const done = what === 'post' ? 'Posted to the channel.' : 'Asked again since: Ada Sage.';
    await discord.until(() => textOf(shown()).includes(done), 'what was done', patienceMs);
    expect(discord.violations.all).toEqual([]);
    await next.shutDown();
    await store.close();
    await rm(folder, { recursive: true });
  },
);

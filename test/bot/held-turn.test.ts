import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { HeldTurn } from '../../src/bot/held-turn.ts';
import type { TurnEvent } from '../../src/council/events.ts';
import type { PresentedTurn } from '../../src/platforms/platform.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { type Store, SupersededError } from '../../src/store/store.ts';
import { newTurn, turnKey } from '../contracts/store/samples.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { CollectingPlatform, question, startBot } from './bot-fixture.ts';

/** As long as it is taken for granted that a turn is held, and a little more. */
const notForGrantedMs = 300;

/** Says an answer later than it could, as a platform does whose limits are reached. */
class SlowPlatform extends CollectingPlatform {
  readonly said: string[] = [];
  /** Waited for before an answer is said. */
  pause: () => Promise<void> = async () => undefined;

  override async present(
    turn: PresentedTurn,
    events: AsyncIterable<TurnEvent>,
    shutdown?: AbortSignal,
  ): Promise<void> {
    for await (const event of events) {
      if (event.type !== 'answered') continue;
      await this.pause();
      await turn.assertHeld().catch((error: unknown) => {
        shutdown?.throwIfAborted();
        throw error;
      });
      this.said.push(event.answer.answer);
    }
  }
}

async function takeAgain(store: Store): Promise<void> {
  const [turn] = await store.turns.unfinished(1);
  if (turn) await store.turns.take(turn);
}

describe('a turn that is held', () => {
  test('asks the store only when it has not heard from it for a while', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    await store.turns.begin(newTurn('one'));
    const record = await store.turns.take(turnKey('one'));
    let writes = 0;
    const checkpoint: Store['turns']['checkpoint'] = async (step) => {
      writes += 1;
      await store.turns.checkpoint(step);
    };
    if (!record) throw new Error('The turn was not taken.');
    let now = 0;
    const held = new HeldTurn({ ...store.turns, checkpoint }, record, () => now);
    await held.assertHeld();
    await held.assertHeld();
    expect(writes).toBe(1);
    now += notForGrantedMs;
    await held.assertHeld();
    expect(writes).toBe(2);
    expect(held.lost.aborted).toBe(false);
    await takeAgain(store);
    await held.assertHeld();
    now += notForGrantedMs;
    await expect(held.assertHeld()).rejects.toThrow(SupersededError);
    expect(held.lost.aborted).toBe(true);
  });
});

describe('an answer that waits for a platform’s limits', () => {
  test('is not said any more when another process has taken the turn meanwhile', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const platform = new SlowPlatform();
    platform.pause = async () => {
      await wait(notForGrantedMs);
      await takeAgain(store);
    };
    const models = scriptedModels({ sages: { ben: [answer('Once.')] } });
    const { bot, idle } = await startBot(models, { platforms: [platform] }, store);
    await bot.ask({ ...question, sages: ['ben'] });
    await idle();
    expect(platform.said).toEqual([]);
    expect(await store.turns.unfinished(9)).toMatchObject([{ attempt: 2 }]);
  });

  test('is said when nobody has', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const platform = new SlowPlatform();
    platform.pause = () => wait(notForGrantedMs);
    const models = scriptedModels({ sages: { ben: [answer('Once.')] } });
    const { bot, idle } = await startBot(models, { platforms: [platform] }, store);
    await bot.ask({ ...question, sages: ['ben'] });
    await idle();
    expect(platform.said).toEqual(['Once.']);
    expect(await store.turns.unfinished(9)).toEqual([]);
  });
});

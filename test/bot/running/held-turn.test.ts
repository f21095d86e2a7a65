import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { OpenModels } from '../../../src/bot/money/money.ts';
import { Halts, HeldTurn } from '../../../src/bot/running/held-turn.ts';
import type { TurnEvent } from '../../../src/council/events.ts';
import { withPermits } from '../../../src/models/usage.ts';
import type { PresentedTurn } from '../../../src/platforms/platform.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { type Store, SupersededError } from '../../../src/store/store.ts';
import { newTurn, turnKey } from '../../contracts/store/samples.ts';
import { deepScript, mapped } from '../../council/deep-council.ts';
import {
  answer,
  scriptedModels,
  seating,
  verdict,
  wholeScript,
} from '../../council/scripted-council.ts';
import { hang, type Line } from '../../fakes/scripted-model.ts';
import { CollectingPlatform, question, startBot } from '../bot-fixture.ts';
import { command, textOf } from '../commanding.ts';

/** Longer than any halt that could be overlooked. */
const longHaltMs = 1200;
/** Of a store that is far away. */
const roundTripMs = 50;
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
    const held = new HeldTurn(record, {
      turns: { ...store.turns, checkpoint },
      halts: { since: () => false },
      takenAt: 0,
      now: () => now,
    });
    await held.assertHeld();
    expect(writes).toBe(0);
    now += notForGrantedMs;
    await held.assertHeld();
    await held.assertHeld();
    expect(writes).toBe(1);
    expect(held.lost.aborted).toBe(false);
    await takeAgain(store);
    await held.assertHeld();
    now += notForGrantedMs;
    await expect(held.assertHeld()).rejects.toThrow(SupersededError);
    expect(held.lost.aborted).toBe(true);
  });
});

test('a process that stood still asks the store before it pays for a further call', async () => {
  const near = openSqliteStore({ path: ':memory:' });
  const checkpoint: Store['turns']['checkpoint'] = async (step) => {
    await wait(roundTripMs);
    return near.turns.checkpoint(step);
  };
  const store = { ...near, turns: { ...near.turns, checkpoint } };
  const models = scriptedModels({
    moderator: [seating(['ada', 'ben'])],
    sages: {
      ada: [answer('At once.')],
      ben: [
        async () => {
          await takeAgain(store);
          // Nothing else is done meanwhile, as while a process is halted.
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, longHaltMs);
          return answer('Once.');
        },
      ],
    },
    chair: [verdict],
  });
  const openModels: OpenModels = (_count, _choice, mayCall = async () => undefined) => {
    const acquire = async () => {
      await mayCall();
      return () => undefined;
    };
    return {
      ...models,
      sage: (sage) => withPermits(models.sage(sage), { acquire }),
      chair: withPermits(models.chair, { acquire }),
      compactor: models.chair,
    };
  };
  const { bot, idle } = await startBot(models, { openModels }, store);
  await bot.ask({ ...question, depth: 'quick' });
  await idle();
  expect(models.sage({ key: 'ben' }).requests).toHaveLength(1);
  expect(models.chair.requests).toHaveLength(0);
  expect(await store.turns.unfinished(9)).toMatchObject([{ attempt: 2 }]);
});

test('that a process stood still is known at once, and forgotten of what came after it', () => {
  const times = [0, 0];
  const halts = new Halts(times.map((_, clock) => () => times[clock] ?? 0));
  onTestFinished(() => halts.stop());
  times.fill(900);
  expect(halts.since(0)).toBe(false);
  times.fill(2000);
  expect(halts.since(900)).toBe(true);
  times.fill(2100);
  expect(halts.since(900)).toBe(true);
  expect(halts.since(2050)).toBe(false);
  // As while the machine is suspended.
  times[1] = 60_000;
  expect(halts.since(2050)).toBe(true);
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

  test('is said when no one has', async () => {
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

describe('a process that finds its turn taken by another', () => {
  /** @param meanwhile - What becomes of the turn while the sage of the first process thinks. */
  async function runTwice(meanwhile: (store: Store) => Promise<void>) {
    const store = openSqliteStore({ path: ':memory:' });
    const late = async () => {
      await meanwhile(store);
      return answer('Late.');
    };
    const { bot, idle, platform } = await startBot(
      scriptedModels({ sages: { ben: [late] } }),
      {},
      store,
    );
    await bot.ask({ ...question, sages: ['ben'] });
    await idle();
    return platform;
  }

  test('shows it once more, as it was told and ended there', async () => {
    const platform = await runTwice(async (store) => {
      const models = scriptedModels({ sages: { ben: [answer('Once.')] } });
      const { idle } = await startBot(models, {}, store);
      await idle();
    });
    const [begun, told] = platform.shown;
    expect(begun?.events.at(-1)?.type).not.toBe('ended');
    expect(told?.turn).toMatchObject({ isResumed: true, isAlreadyShown: true });
    expect(told?.events).toMatchObject([
      { type: 'stage_started', stage: 'moderator' },
      { type: 'seated' },
      { type: 'stage_started', stage: 'sages' },
      { type: 'sage_started', sage: 'ben' },
      { type: 'answered', answer: { answer: 'Once.' } },
      { type: 'ended', end: { outcome: 'answered' } },
    ]);
    expect(platform.shown).toHaveLength(2);
  });

  test('shows one that went deeper with the answers before it, and the verdict as it was used', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const last = (lines: readonly Line[]) => lines.slice(1);
    const { sages = {}, reviews = {}, chair = [] } = deepScript;
    const others = { sages: mapped(sages, last), reviews: mapped(reviews, last), chair };
    const late = async () => {
      const { bot, idle } = await startBot(scriptedModels(others), {}, store);
      await idle();
      expect(textOf(await command(bot, 'post', {}))).toContain('in the channel now');
      return JSON.stringify({ consensus: [], contradictions: [], unique: [], blind_spots: [] });
    };
    const models = scriptedModels({ ...wholeScript, chair: [verdict, late, hang] });
    const { bot, idle, platform } = await startBot(models, {}, store);
    await bot.ask(question);
    await idle();
    await command(bot, 'deeper', {});
    await idle();
    const told = platform.shown.at(-1);
    expect(told?.turn).toMatchObject({ isResumed: true, isAlreadyShown: true });
    expect(told?.events[0]).toMatchObject({
      type: 'recalled',
      seated: { seats: { length: 4 } },
      answers: ['Ada says yes.', 'Ben says no.', 'Cleo says later.', 'Dan says in parts.'].map(
        (said) => ({ status: 'answered', answer: said }),
      ),
    });
    expect(told?.events.at(-1)).toMatchObject({ end: { outcome: 'answered' } });
    expect(platform.redrawn).toMatchObject([
      {
        seats: { length: 4 },
        reviews: { length: 4 },
        verdict: { verdict: 'Leave it for a year.' },
      },
    ]);
    expect(platform.redrawn[0]?.posted?.post).toBe(`post of ${told?.turn.request.turnId}`);
  });

  test('leaves it alone while the other is at work', async () => {
    const platform = await runTwice(takeAgain);
    expect(platform.shown).toHaveLength(1);
  });
});

import { describe, expect, test } from 'vitest';
import type { Reply } from '../../commands/command.ts';
import type { TurnEvent } from '../../src/council/events.ts';
import { type Log, silentLog } from '../../src/domain/log.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { type Store, StoreError } from '../../src/store/store.ts';
import { answer, type Script, scriptedModels, wholeScript } from '../council/scripted-council.ts';
import { hang } from '../fakes/scripted-model.ts';
import {
  CollectingPlatform,
  fileSettings,
  person,
  place,
  question,
  startBot,
} from './bot-fixture.ts';

const oneAnswer: Script = { sages: { ben: [answer('No.')] } };
const toBen = { ...question, sages: ['ben'] };

function textOf(reply: { readonly blocks: readonly unknown[] }): string {
  return JSON.stringify(reply.blocks);
}

describe('a question', () => {
  test('is answered, and the whole turn group is in the store', async () => {
    const { bot, store, platform, idle } = await startBot(scriptedModels(wholeScript));
    const asked = await bot.ask(question);
    await idle();
    if (asked.status !== 'accepted') throw new Error(JSON.stringify(asked));
    const record = await store.turns.read({ ...question, ...asked });
    expect(record).toMatchObject({ status: 'ended', outcome: 'answered', attempt: 1 });
    expect(record?.messages.map(({ role, sage, status }) => [role, sage, status])).toEqual([
      ['human', undefined, 'complete'],
      ...['ada', 'ben', 'cleo', 'dan'].map((key) => ['ai', key, 'complete']),
    ]);
    const kinds = record?.steps.map(({ kind }) => kind);
    expect(kinds).toEqual([
      'settings',
      'seated',
      'own_answer',
      ...Array(4).fill('reviewed'),
      'ranked',
      'verdict',
      'ended',
      'scored',
    ]);
    expect(record?.usage).toHaveLength(11);
    expect(platform.shown[0]?.events.at(-1)).toMatchObject({ type: 'ended' });
  });

  test('that is delivered three times makes one turn', async () => {
    const { bot, platform, idle } = await startBot(scriptedModels(oneAnswer));
    const answers = await Promise.all([bot.ask(toBen), bot.ask(toBen), bot.ask(toBen)]);
    await idle();
    expect(new Set(answers.map((asked) => asked.status === 'accepted' && asked.turnId)).size).toBe(
      1,
    );
    expect(platform.shown).toHaveLength(1);
  });

  test('that begins with a name is answered by that sage alone', async () => {
    const models = scriptedModels(oneAnswer);
    const { bot, platform, idle } = await startBot(models);
    await bot.ask({ ...question, question: 'Ben: and you?' });
    await idle();
    expect(models.unsaid()).toBe(0);
    expect(platform.shown[0]?.events.at(-1)).toMatchObject({ end: { outcome: 'answered' } });
  });

  test.each([
    ['is empty', { question: '  ' }, 'I don’t see a question'],
    ['is too long', { question: 'x'.repeat(201) }, 'the limit is 200'],
    ['names a stranger', { sages: ['zoe'] }, 'You can choose from: ada'],
    ['names nobody', { sages: [] }, 'You can choose from: ada'],
  ])(
    'that %s is refused with what was expected, and stores nothing',
    async (_case, change, said) => {
      const { bot, store } = await startBot(scriptedModels({}));
      const asked = await bot.ask({ ...question, ...change });
      expect(asked).toMatchObject({ status: 'refused', reason: expect.stringContaining(said) });
      expect(await store.turns.list(question.threadId, { limit: 5 })).toEqual([]);
    },
  );

  test('of somebody with five open ones is refused, also in a burst of 500', async () => {
    const { bot, shutDown } = await startBot(
      scriptedModels({ sages: { ben: [hang, hang, hang, hang, hang] } }),
    );
    const burst = Array.from({ length: 500 }, (_, number) =>
      bot.ask({ ...toBen, eventId: `event-${number}`, threadId: `test:w:c:${number}` }),
    );
    const taken = (await Promise.all(burst)).filter(({ status }) => status === 'accepted');
    expect(taken).toHaveLength(5);
    await shutDown();
  });

  test('sees what was said before in its thread, and nothing of another', async () => {
    const models = scriptedModels({
      sages: { ben: [answer('No.'), answer('Still no.'), answer('Who?')] },
    });
    const { bot, idle } = await startBot(models);
    await bot.ask(toBen);
    await bot.ask({ ...toBen, eventId: 'event-2', question: 'And now?' });
    await bot.ask({ ...toBen, eventId: 'event-3', threadId: 'test:other:c:t' });
    await idle();
    const prompts = models
      .sage({ key: 'ben' })
      .requests.map(({ messages }) => JSON.stringify(messages));
    const second = prompts.find((prompt) => prompt.includes('And now?'));
    expect(second).toContain('In short: No.');
    expect(prompts.filter((prompt) => prompt.includes('In short'))).toHaveLength(1);
  });
});

describe('budgets', () => {
  test('refuse a question before any call, saying whose, how much is left and when it renews', async () => {
    const models = scriptedModels(oneAnswer);
    const now = Date.UTC(2026, 10, 21, 12);
    const { bot } = await startBot(models, {
      priceOf: () => 0.1,
      budgets: { userUsdPerDay: 0.05 },
      now: () => now,
    });
    const asked = await bot.ask(toBen);
    expect(asked).toMatchObject({ status: 'refused' });
    const reason = asked.status === 'refused' ? asked.reason : '';
    expect(reason).toContain('Your budget of $0.0500 a day has $0.0500 left');
    expect(reason).toContain('<t:1795305600>');
    expect(models.unsaid()).toBe(1);
  });

  test('reckon with what may be recalled, where the channel remembers anything', async () => {
    // A question and its instructions are some 800 tokens, what is recalled up to 4,000.
    const priceOf = (_model: string, input: number) => input / 10_000;
    const budgets = { userUsdPerDay: 0.2 };
    const { bot } = await startBot(scriptedModels(oneAnswer), { priceOf, budgets });
    const asked = await bot.ask(toBen);
    expect(asked).toMatchObject({
      reason: expect.stringContaining('this question may cost up to $0.48.'),
    });
    const settings = { ...fileSettings, memory: false };
    const forgetful = await startBot(scriptedModels(oneAnswer), { priceOf, budgets, settings });
    expect(await forgetful.bot.ask(toBen)).toMatchObject({ status: 'accepted' });
    await forgetful.idle();
  });

  test('count what was really spent, in every scope', async () => {
    const { bot, store, idle } = await startBot(scriptedModels(oneAnswer), {
      budgets: { workspaceUsdPerDay: 10 },
    });
    await bot.ask(toBen);
    await idle();
    const spent = await store.spent(
      ['user:any:any:test:u1', 'channel:test:w:c', 'total:any:any', 'workspace:test:x'],
      0,
    );
    // 10 tokens in at $10,000 and 5 out at $20,000 a million.
    expect(spent.map((usd) => usd.toFixed(4))).toEqual(['0.2000', '0.2000', '0.2000', '0.0000']);
  });

  test('can not be passed by many questions at once', async () => {
    const { bot, shutDown } = await startBot(scriptedModels({ sages: { ben: [hang, hang] } }), {
      priceOf: () => 0.1,
      budgets: { userUsdPerDay: 0.25 },
    });
    const burst = [1, 2, 3, 4].map((number) =>
      bot.ask({ ...toBen, eventId: `event-${number}`, threadId: `test:w:c:${number}` }),
    );
    const taken = (await Promise.all(burst)).filter(({ status }) => status === 'accepted');
    expect(taken).toHaveLength(2);
    await shutDown();
  });
});

describe('stopping', () => {
  test('ends a running turn as stopped and one that waits before it begins', async () => {
    const models = scriptedModels({ sages: { ben: [hang] } });
    const { bot, platform, idle } = await startBot(models);
    await bot.ask(toBen);
    await bot.ask({ ...toBen, eventId: 'event-2' });
    await expect.poll(() => models.sage({ key: 'ben' }).requests.length).toBe(1);
    const reply = await bot.command({ place, person, command: 'stop', options: {} });
    await idle();
    expect(textOf(reply)).toContain('Stopped 2 questions');
    const ends = platform.shown.map(({ events }) => events.at(-1));
    expect(ends).toEqual(
      Array(2).fill(
        expect.objectContaining({ end: expect.objectContaining({ outcome: 'stopped' }) }),
      ),
    );
  });

  test('is for one’s own questions, unless one manages the channel', async () => {
    const models = scriptedModels({ sages: { ben: [hang] } });
    const { bot, idle } = await startBot(models);
    await bot.ask(toBen);
    const stranger = { ...person, id: 'u2' };
    const refused = await bot.command({ place, person: stranger, command: 'stop', options: {} });
    expect(textOf(refused)).toContain('You have nothing running');
    const manager = { ...stranger, isManager: true };
    const done = await bot.command({ place, person: manager, command: 'stop', options: {} });
    expect(textOf(done)).toContain('Stopped one question');
    await idle();
  });
});

describe('a shutdown', () => {
  test('leaves a running turn to the next start, which pays for no finished answer again', async () => {
    const first = scriptedModels({ ...wholeScript, chair: [hang] });
    const before = await startBot(first);
    await before.bot.ask(question);
    await expect.poll(() => first.chair.requests.length).toBe(1);
    await before.shutDown();
    expect(before.platform.shown[0]?.events.at(-1)?.type).not.toBe('ended');

    const second = scriptedModels({ chair: wholeScript.chair ?? [] });
    const after = await startBot(second, {}, before.store);
    await after.idle();
    const [shown] = after.platform.shown;
    expect(shown?.turn.isResumed).toBe(true);
    expect(shown?.events.at(-1)).toMatchObject({ type: 'ended', end: { outcome: 'answered' } });
    const [turn] = await after.store.turns.list(question.threadId, { limit: 1 });
    const record = turn && (await after.store.turns.read(turn));
    expect(record?.messages.filter(({ role }) => role === 'ai')).toHaveLength(4);
    const answered = record?.usage.filter(({ outcome }) => outcome === 'answered');
    expect(answered).toHaveLength(11);
  });
});

describe('a turn that was resumed', () => {
  test('is stopped by the person who asked it, and by no other member', async () => {
    const first = scriptedModels({ sages: { ben: [hang] } });
    const before = await startBot(first);
    await before.bot.ask(toBen);
    await expect.poll(() => first.sage({ key: 'ben' }).requests.length).toBe(1);
    await before.shutDown();

    const second = scriptedModels({ sages: { ben: [hang] } });
    const { bot, platform, idle } = await startBot(second, {}, before.store);
    await expect.poll(() => second.sage({ key: 'ben' }).requests.length).toBe(1);
    const stop = (by: typeof person) =>
      bot.command({ place, person: by, command: 'stop', options: {} });
    expect(textOf(await stop({ ...person, id: 'u2' }))).toContain('You have nothing running');
    expect(textOf(await stop(person))).toContain('Stopped one question');
    await idle();
    expect(platform.shown[0]?.events.at(-1)).toMatchObject({ end: { outcome: 'stopped' } });
  });
});

describe('faults', () => {
  test('of the program end a turn as failed, in plain words, and are logged', async () => {
    const errors: object[] = [];
    const log: Log = {
      ...silentLog,
      error: (facts) => {
        errors.push(facts);
      },
      child: () => log,
    };
    const { bot, platform, idle } = await startBot(scriptedModels({}), {
      log: { ...log, child: () => log },
    });
    await bot.ask(toBen);
    await idle();
    const end: TurnEvent | undefined = platform.shown[0]?.events.at(-1);
    expect(end).toMatchObject({
      end: { outcome: 'failed', explanation: expect.stringContaining('The log has the details') },
    });
    expect(errors).toHaveLength(1);
  });
});

test('what is said is kept with what it answers: an answer with its question, a question with the post', async () => {
  const { bot, store, idle } = await startBot(scriptedModels(oneAnswer));
  await bot.ask({ ...toBen, repliesTo: 'post-7' });
  await idle();
  const [said, asked] = await store.messages.page(toBen.threadId, { limit: 9 });
  expect(asked?.parentId).toBe('test:w:post-7');
  expect(said).toMatchObject({ sage: 'ben', status: 'complete', parentId: asked?.id });
});

describe('a receipt', () => {
  test('tells seats, ballots, calls and cost of the last turn', async () => {
    const { bot, idle } = await startBot(scriptedModels(wholeScript));
    await bot.ask(question);
    await idle();
    const reply = await bot.command({ place, person, command: 'receipt', options: {} });
    const text = textOf(reply);
    for (const part of [
      'Chosen by the moderator',
      '4 read, 0 abstained',
      'agreement 1.00',
      'Dan Sage',
      '11 calls',
    ]) {
      expect(text).toContain(part);
    }
  });

  test('calls a cost that is not known unknown', async () => {
    const prices = { own: () => undefined, listed: () => undefined };
    const { bot, idle } = await startBot(scriptedModels(wholeScript), { prices });
    await bot.ask(question);
    await idle();
    const reply = await bot.command({ place, person, command: 'receipt', options: {} });
    expect(textOf(reply)).toMatch(/Unknown for 11 calls, \d+ tokens in, \d+ out: no price is set/);
    expect(textOf(reply)).not.toContain('$0');
  });

  test('asked for the moment the end is shown tells of the end', async () => {
    const replies: Promise<Reply>[] = [];
    const platform = new CollectingPlatform();
    platform.onEnd = () =>
      replies.push(bot.command({ place, person, command: 'receipt', options: {} }));
    const { bot, idle } = await startBot(scriptedModels(oneAnswer), { platforms: [platform] });
    await bot.ask(toBen);
    await idle();
    expect(replies).toHaveLength(1);
    expect((await Promise.all(replies)).map(textOf)).toEqual([
      expect.stringContaining('"value":"answered"'),
    ]);
  });

  test('of another channel is as unknown as one that does not exist', async () => {
    const { bot, idle } = await startBot(scriptedModels(oneAnswer));
    const asked = await bot.ask({ ...toBen, threadId: 'test:w:private:t' });
    await idle();
    const turn = asked.status === 'accepted' ? asked.turnId : '';
    const foreign = await bot.command({ place, person, command: 'receipt', options: { turn } });
    expect(textOf(foreign)).toContain('in this channel. Leave the id out');
    expect(textOf(foreign)).not.toContain('Ben');
  });
});

/** The store, with one verb of its turns replaced. */
function withTurns(store: Store, change: Partial<Store['turns']>): Store {
  return { ...store, turns: { ...store.turns, ...change } };
}

describe('a store that fails in the middle of a turn', () => {
  test('interrupts the turn for people in plain words, and leaves it to be resumed', async () => {
    const whole = openSqliteStore({ path: ':memory:' });
    let checkpoints = 0;
    const failing = withTurns(whole, {
      checkpoint: async (checkpoint) => {
        checkpoints += 1;
        if (checkpoints === 3) throw new StoreError('The disk is full.', { reason: 'full' });
        return whole.turns.checkpoint(checkpoint);
      },
    });
    const { bot, platform, idle } = await startBot(scriptedModels(wholeScript), {}, failing);
    await bot.ask(question);
    await idle();
    const interrupted =
      /^The turn was interrupted, because its store is full\. .* it goes on as soon as/;
    expect(platform.shown[0]?.events.at(-1)).toMatchObject({
      end: { outcome: 'failed', explanation: expect.stringMatching(interrupted) },
    });
    const [left] = await whole.turns.unfinished(5);
    const before = left && (await whole.turns.read(left));
    const done = before?.messages.filter(
      (message) => message.sage && message.status === 'complete',
    );

    const models = scriptedModels(wholeScript);
    const after = await startBot(models, {}, whole);
    await after.idle();
    expect(after.platform.shown[0]?.events.at(-1)).toMatchObject({ end: { outcome: 'answered' } });
    expect(models.moderator.requests).toHaveLength(0);
    for (const { sage = '' } of done ?? []) {
      expect(models.sage({ key: sage }).requests).toHaveLength(0);
    }
  });

  test('shows nothing that it has not kept', async () => {
    const whole = openSqliteStore({ path: ':memory:' });
    const failing = withTurns(whole, {
      checkpoint: async () =>
        Promise.reject(new StoreError('The disk is full.', { reason: 'full' })),
    });
    const { bot, platform, idle } = await startBot(scriptedModels(wholeScript), {}, failing);
    await bot.ask(question);
    await idle();
    const shown = platform.shown[0]?.events.map(({ type }) => type) ?? [];
    expect(shown).not.toContain('seated');
    expect(shown).not.toContain('answered');
    expect(shown.at(-1)).toBe('ended');
  });
});

describe('a turn that somebody else has taken', () => {
  test('is given up without another word, and nothing of it is stored twice', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const { promise: taken, resolve: take } = Promise.withResolvers<void>();
    const models = scriptedModels({
      sages: {
        ben: [
          async () => {
            const [turn] = await store.turns.unfinished(1);
            if (turn) await store.turns.take(turn);
            take();
            return answer('No.');
          },
        ],
      },
    });
    const { bot, platform, idle } = await startBot(models, {}, store);
    await bot.ask(toBen);
    await taken;
    await idle();
    expect(platform.shown[0]?.events.map(({ type }) => type)).not.toContain('answered');
    const [turn] = await store.turns.unfinished(1);
    const record = turn && (await store.turns.read(turn));
    expect(record?.messages.filter(({ status }) => status === 'complete')).toHaveLength(1);
  });
});

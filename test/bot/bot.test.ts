import { describe, expect, test } from 'vitest';
import { silentLog } from '../../src/domain/log.ts';
import { InlineQueue } from '../../src/queue/inline/inline-queue.ts';
import { answer, type Script, scriptedModels, wholeScript } from '../council/scripted-council.ts';
import { hang } from '../fakes/scripted-model.ts';
import { CollectingPlatform, person, place, question, startBot } from './bot-fixture.ts';

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
    ['names a stranger', { sages: ['zoe'] }, 'You can choose from: Ada Sage'],
    ['names nobody', { sages: [] }, 'You can choose from: Ada Sage'],
  ])(
    'that %s is refused with what was expected, and stores nothing',
    async (_case, change, said) => {
      const { bot, store } = await startBot(scriptedModels({}));
      const asked = await bot.ask({ ...question, ...change });
      expect(asked).toMatchObject({ status: 'refused', reason: expect.stringContaining(said) });
      expect(await store.turns.list(question.threadId, { limit: 5 })).toEqual([]);
    },
  );

  test('of someone with five open ones is refused, also in a burst of 500', async () => {
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

test('what is said is kept with what it answers: an answer with its question, a question with the post', async () => {
  const { bot, store, idle } = await startBot(scriptedModels(oneAnswer));
  await bot.ask({ ...toBen, repliesTo: 'post-7' });
  await idle();
  const [said, asked] = await store.messages.page(toBen.threadId, { limit: 9 });
  expect(asked?.parentId).toBe('test:w:post-7');
  expect(said).toMatchObject({ sage: 'ben', status: 'complete', parentId: asked?.id });
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
    expect(textOf(refused)).toContain('those who manage this channel can stop');
    const manager = { ...stranger, isManager: true };
    const done = await bot.command({ place, person: manager, command: 'stop', options: {} });
    expect(textOf(done)).toContain('Stopped one question');
    await idle();
  });
});

test('programs that wait are released at a stop, also when the queue fails to stop', async () => {
  class Watched extends CollectingPlatform {
    over: AbortSignal | undefined;
    override async stop(over?: AbortSignal): Promise<void> {
      this.over = over;
    }
  }
  class Stuck extends InlineQueue {
    override async stop(): Promise<void> {
      throw new Error('The queue did not stop.');
    }
  }
  const platform = new Watched();
  const queue = new Stuck({
    concurrency: 1,
    tries: 1,
    willPass: () => false,
    unfinished: async () => [],
    log: silentLog,
  });
  const { shutDown } = await startBot(scriptedModels({}), { platforms: [platform], queue });
  await expect(shutDown()).rejects.toThrow('did not stop');
  expect(platform.over?.aborted).toBe(true);
});

import { describe, expect, test } from 'vitest';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { StoreError, type TurnStore } from '../../../src/store/store.ts';
import { answer, scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import { type BotChanges, fileSettings, question, startBot, type TestBot } from '../bot-fixture.ts';
import { command, here, member, textOf } from '../commanding.ts';
import { another, concluded, suggesting, textsOf, turnsOf } from './concluded.ts';

describe('a sage that is asked again', () => {
  test('answers the same question alone, and knows nothing of what was said since', async () => {
    const started = await concluded([answer('Ada says so again.'), answer('Ada says no now.')]);
    const { bot, models, turnId } = started;
    // What people say of it since is no less telling.
    await bot.ask({
      ...question,
      eventId: 'e2',
      question: 'Ada: why did you say yes?',
      askedAt: 2000,
    });
    await started.idle();
    const reply = await command(bot, 'again', { sage: 'ada sage', turn: turnId }, another);
    expect(textOf(reply)).toContain('The council is being seated.');
    await started.idle();
    const prompt = JSON.stringify(models.sage({ key: 'ada' }).requests[2]?.messages);
    expect(prompt).toContain('Should we rewrite the engine?');
    expect(prompt).toContain('What breaks first?');
    expect(prompt).not.toMatch(/Ada says|Ben says|In short|in parts|why did you/);
    const [again, , first] = await turnsOf(started);
    expect(again?.past.answers.map((one) => one.answer)).toEqual(['Ada says no now.']);
    expect(again?.past.request).toMatchObject({ author: { id: 'u2' }, follows: { turnId } });
    expect(first?.past.answers.map((one) => one.answer)).toContain('Ada says yes.');
    expect(first?.past.followed).toEqual([{ turnId: again?.turnId, sage: 'ada' }]);
    expect(started.platform.redrawn.map(({ followed }) => followed)).toEqual([
      first?.past.followed,
    ]);
    const receipt = textOf(await command(bot, 'receipt', { turn: turnId }));
    expect(receipt).toContain('Asked again: Ada Sage');
    expect(textOf(await command(bot, 'export', {}))).toContain('Asked again');
  });

  test('is shown what was said before the question was asked first', async () => {
    const sages = { ada: [answer('Old.'), answer('First.'), answer('Second.')] };
    const models = scriptedModels({ sages });
    const started = await startBot(models);
    const { bot } = started;
    for (const [at, text] of ['Ada: is it old?', 'Ada: is it slow?'].entries()) {
      await bot.ask({ ...question, eventId: `e${at}`, question: text, askedAt: 1000 + at });
      await started.idle();
    }
    await command(bot, 'again', { sage: 'ada' });
    await started.idle();
    const prompt = JSON.stringify(models.sage({ key: 'ada' }).requests[2]?.messages);
    expect(prompt).toContain('is it old?');
    expect(prompt).not.toContain('First.');
  });

  test('is asked once by two presses at a time, and once more when it has answered', async () => {
    const started = await concluded([answer('Again.'), answer('And again.')]);
    const { bot, turnId } = started;
    const press = () => command(bot, 'again', { sage: 'ada', turn: turnId });
    expect(textsOf(await Promise.all([press(), press()]))).toEqual([
      expect.stringContaining('It has been asked already.'),
      expect.stringContaining('The council is being seated.'),
    ]);
    await started.idle();
    expect(await turnsOf(started)).toHaveLength(2);
    await press();
    await started.idle();
    expect(await turnsOf(started)).toHaveLength(3);
    expect((await turnsOf(started))[0]?.past.answers[0]?.answer).toBe('And again.');
  });

  test('is asked once although the process died before that was noted', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    let isDying = true;
    const remark: TurnStore['remark'] = async (...asked) => {
      if (isDying) throw new StoreError('The process is gone.', { reason: 'unreachable' });
      return store.turns.remark(...asked);
    };
    const frail = { ...store, turns: { ...store.turns, remark } };
    const started = await concluded([answer('Again.')], {}, [suggesting], frail);
    await command(started.bot, 'again', { sage: 'ada' });
    isDying = false;
    expect(textOf(await command(started.bot, 'again', { sage: 'ada' }))).toContain('already');
    await started.idle();
    const [again, first, ...more] = await turnsOf(started);
    expect(more).toEqual([]);
    expect(first?.past.followed).toEqual([{ turnId: again?.turnId, sage: 'ada' }]);
  });

  test('is asked once by two processes', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const started = await concluded([answer('Again.')], {}, [suggesting], store);
    const other = await startBot(scriptedModels({}), { role: 'gateway' }, store);
    const press = ({ bot }: Pick<TestBot, 'bot'>) => command(bot, 'again', { sage: 'ada' });
    expect(textsOf(await Promise.all([press(started), press(other)]))).toEqual([
      expect.stringContaining('It has been asked already.'),
      expect.stringContaining('The council is being seated.'),
    ]);
    await other.shutDown();
    await started.shutDown();
    expect(await turnsOf(started)).toHaveLength(2);
  });

  test('speaks with another model that took part, and with no other', async () => {
    const chosen: string[] = [];
    const models = scriptedModels({
      ...wholeScript,
      sages: { ...wholeScript.sages, ada: [answer('Ada says yes.'), answer('Otherwise.')] },
    });
    const openModels: BotChanges['openModels'] = (_, { sageModel }) => {
      chosen.push(sageModel);
      return { ...models, compactor: models.chair };
    };
    const started = await startBot(models, { openModels });
    await started.bot.ask(question);
    await started.idle();
    const refused = await command(started.bot, 'again', { sage: 'ada', model: 'test:other-chair' });
    expect(textOf(refused)).toContain('took no part in that turn. You can choose test:chair.');
    chosen.length = 0;
    await command(started.bot, 'again', { sage: 'ada', model: 'test:chair' });
    await started.idle();
    expect(new Set(chosen)).toEqual(new Set(['test:chair']));
    expect(chosen.length).toBeGreaterThan(1);
  });

  test('counts as a question of the person who asks', async () => {
    const settings = { ...fileSettings, questionsPerUserPerHour: 1 };
    const started = await concluded([], { settings });
    const reply = await command(started.bot, 'again', { sage: 'ada' });
    expect(reply.isRefusal).toBe(true);
    expect(await turnsOf(started)).toHaveLength(1);
    expect((await turnsOf(started))[0]?.past.followed).toEqual([]);
  });

  test('is none of a recorded council', async () => {
    const started = await concluded();
    const threadId = 'recorded:council:examples:rewrite';
    const turn = { turnId: 'recorded-rewrite', threadId, eventId: 'rewrite', createdAt: 1 };
    const asked = { ...question, threadId, turnId: turn.turnId };
    const content = { type: 'user_query', text: question.question };
    await started.store.turns.begin({
      ...turn,
      request: asked,
      question: {
        id: 'q',
        threadId,
        turnId: turn.turnId,
        role: 'human',
        type: 'user_query',
        status: 'complete',
        content,
        createdAt: 1,
      },
    });
    const recorded = { ...here, threadId, platform: 'recorded' };
    const reply = await command(started.bot, 'again', { sage: 'ada' }, member, recorded);
    expect(textOf(reply)).toContain('This council was recorded.');
  });

  test('hears what people had said around the question, and goes with its message', async () => {
    const said = {
      id: 'm1',
      author: { id: 'u3', name: 'Pia' },
      at: 500,
      text: 'The quay is slow.',
    };
    const heard = { place: 'test:w:c', of: 'thread' as const, messages: [said], leftOut: 0 };
    const models = scriptedModels({ sages: { ada: [answer('Yes.'), answer('No.')] } });
    const started = await startBot(models, { settings: { ...fileSettings, forgetDeleted: true } });
    await started.bot.ask({ ...question, question: 'Ada: is it slow?', heard });
    await started.idle();
    await command(started.bot, 'again', { sage: 'ada' });
    await started.idle();
    const [again] = await turnsOf(started);
    expect(again?.past.heard?.messages).toEqual([said]);
    const prompt = JSON.stringify(models.sage({ key: 'ada' }).requests[1]?.messages);
    expect(prompt).toContain('The quay is slow.');
    const post = { eventId: question.eventId, threadId: question.threadId, postedAt: Date.now() };
    await started.bot.deleted({ kind: 'posts', posts: [post] });
    expect(await turnsOf(started)).toEqual([]);
  });

  test('is forgotten with the question that it answers again, which somebody else had asked', async () => {
    const started = await concluded([answer('Again.'), answer('What else?')]);
    const { bot, memory, idle } = started;
    await command(bot, 'again', { sage: 'ada' }, another);
    await idle();
    const asks = { ...question, author: another, sages: ['ada'], question: 'And Windows?' };
    await bot.ask({ ...asks, eventId: 'e2' });
    await idle();
    const subject = { kind: 'person', workspace: 'test:w', personId: question.author.id } as const;
    expect(await memory.forgetting.preview(subject)).toMatchObject({ questions: 2 });
    await memory.forgetting.forget(subject, new AbortController().signal);
    const left = await turnsOf(started);
    expect(left.map(({ past }) => past.request.question)).toEqual(['And Windows?']);
  });

  test('is one that sat there, in a turn that is not forgotten', async () => {
    const { bot, turnId, memory } = await concluded();
    expect(textOf(await command(bot, 'again', { sage: 'eve' }))).toContain(
      'You can ask Ada Sage, Ben Sage, Cleo Sage or Dan Sage again.',
    );
    const subject = { kind: 'turn', turnId, threadId: here.threadId } as const;
    await memory.forgetting.forget(subject, new AbortController().signal);
    const gone = await command(bot, 'again', { sage: 'ada', turn: turnId });
    expect(textOf(gone)).toContain('There is no turn');
  });
});

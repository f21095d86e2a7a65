import { describe, expect, test } from 'vitest';
import type { Reply } from '../../../commands/command.ts';
import type { TurnLinks } from '../../../src/bot/parts.ts';
import { readPastTurn } from '../../../src/council/past-turn.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { type Store, StoreError, type TurnStore } from '../../../src/store/store.ts';
import {
  answer,
  ranks,
  type Script,
  scriptedModels,
  verdict,
  wholeScript,
} from '../../council/scripted-council.ts';
import type { Line } from '../../fakes/scripted-model.ts';
import { type BotChanges, fileSettings, question, startBot, type TestBot } from '../bot-fixture.ts';
import { channelManager, command, here, member, textOf } from '../commanding.ts';

const suggestions = ['What about Windows?', 'Who would do it?'];
const suggesting = JSON.stringify({ ...JSON.parse(verdict), next_questions: suggestions });
const another = { ...member, id: 'u2', name: 'Otto' };

/** The whole council has answered once; what Ada says after that, by call. */
async function concluded(
  more: readonly Line[] = [],
  changes: BotChanges = {},
  chair: readonly Line[] = [suggesting],
  store?: Store,
) {
  const sages = { ...wholeScript.sages, ada: [answer('Ada says yes.'), ...more] };
  const models = scriptedModels({ ...wholeScript, sages, chair });
  const started = await startBot(models, changes, store);
  const asked = await started.bot.ask(question);
  if (asked.status !== 'accepted') throw new Error('It was not taken.');
  await started.idle();
  return { ...started, models, turnId: asked.turnId };
}

async function turnsOf({ store }: Pick<TestBot, 'store'>) {
  const headers = await store.turns.list(here.threadId, { limit: 20 });
  const records = await Promise.all(headers.map((header) => store.turns.read(header)));
  return records.flatMap((record) => (record ? [{ ...record, past: readPastTurn(record) }] : []));
}

function textsOf(replies: readonly Reply[]): readonly string[] {
  return replies.map((reply) => textOf(reply)).toSorted();
}

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
      ...{ ...turn, request: asked },
      question: {
        ...{ id: 'q', threadId, turnId: turn.turnId, role: 'human', type: 'user_query' },
        ...{ status: 'complete', content, createdAt: 1 },
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

describe('what a verdict suggests', () => {
  const follow: Script = { ...wholeScript, chair: [suggesting, verdict] };

  test('is asked by its number, once, with what was said before', async () => {
    const models = scriptedModels({
      ...follow,
      moderator: [...(follow.moderator ?? []), ...(follow.moderator ?? [])],
      sages: {
        ada: ['Ada says yes.', 'A'].map(answer),
        ben: ['Ben says no.', 'B'].map(answer),
        cleo: ['Cleo says later.', 'C'].map(answer),
        dan: ['Dan says in parts.', 'D'].map(answer),
      },
      reviews: Object.fromEntries(
        Object.entries(follow.reviews ?? {}).map(([key, lines]) => [
          key,
          [...lines, ranks('A', 'B', 'C', 'D')],
        ]),
      ),
    });
    const started = await startBot(models);
    const { bot } = started;
    await bot.ask(question);
    await started.idle();
    const press = () => command(bot, 'next', { question: '2' }, another);
    expect(textsOf(await Promise.all([press(), press()]))).toEqual([
      expect.stringContaining('It has been asked already.'),
      expect.stringContaining('The council is being seated.'),
    ]);
    await started.idle();
    const [next, first] = await turnsOf(started);
    expect(next?.past.request).toMatchObject({
      question: 'Who would do it?',
      author: { id: 'u2' },
    });
    expect(first?.past.followed).toEqual([{ turnId: next?.turnId, suggestion: 1 }]);
    expect(JSON.stringify(models.chair.requests[1]?.messages)).toContain('Rewrite it in parts.');
    expect(started.platform.redrawn.at(-1)?.followed).toEqual(first?.past.followed);
  });

  test('is asked again once the turn that asked it was forgotten', async () => {
    const chair = JSON.stringify({ ...JSON.parse(verdict), next_questions: ['Ada: and Windows?'] });
    const started = await concluded([answer('Fine.'), answer('Still fine.')], {}, [chair]);
    const { bot, turnId, memory, idle } = started;
    const press = () => command(bot, 'next', { question: '1', turn: turnId });
    for (const times of [1, 2]) {
      expect(textOf(await press())).toContain('The council is being seated.');
      await idle();
      expect(textOf(await press())).toContain('It has been asked already.');
      const [next] = await turnsOf(started);
      expect(next?.past.answers[0]?.answer).toBe(times === 1 ? 'Fine.' : 'Still fine.');
      if (times === 2) break;
      const subject = {
        kind: 'turn',
        turnId: next?.turnId ?? '',
        threadId: here.threadId,
      } as const;
      await memory.forgetting.forget(subject, new AbortController().signal);
    }
  });

  test('is at most three questions of one line, none longer than a button', async () => {
    const many = [' One? ', 'Two\nlines?', 'One?', 'x'.repeat(61), 'Three?', 'Four?'];
    const chair = JSON.stringify({ ...JSON.parse(verdict), next_questions: many });
    const [turn] = await turnsOf(await concluded([], {}, [chair]));
    expect(turn?.past.verdict?.nextQuestions).toEqual(['One?', 'Two lines?', 'Three?']);
  });

  test('is nothing where that is switched off, nor where there is no such number', async () => {
    const settings = { ...fileSettings, nextQuestions: false };
    const started = await concluded([], { settings });
    const [turn] = await turnsOf(started);
    expect(turn?.past.verdict?.nextQuestions).toBeUndefined();
    expect(JSON.stringify(started.models.chair.requests[0]?.messages)).not.toContain(
      'next_questions',
    );
    expect(textOf(await command(started.bot, 'next', { question: '1' }))).toContain('no such');
    const on = await concluded();
    expect(JSON.stringify(on.models.chair.requests[0]?.messages)).toContain('next_questions');
    expect(textOf(await command(on.bot, 'next', { question: '3' }))).toContain('no such');
  });
});

describe('a turn that is shared', () => {
  test('has a link by the person who asked or a manager alone, until it is withdrawn', async () => {
    const made = new Set<string>();
    const links: TurnLinks = {
      make: async ({ turnId }) => {
        made.add(turnId);
        return `https://council.example/shared/of-${turnId}`;
      },
      withdraw: async ({ turnId }) => void made.delete(turnId),
    };
    const { bot, turnId } = await concluded([], { links });
    expect(textOf(await command(bot, 'share', {}, another))).toContain('Only the person who asked');
    expect(made.size).toBe(0);
    const link = `https://council.example/shared/of-${turnId}`;
    expect(textOf(await command(bot, 'share', {}))).toContain(link);
    expect(textOf(await command(bot, 'share', { turn: turnId }, channelManager))).toContain(link);
    const withdraw = { do: 'withdraw' };
    expect(textOf(await command(bot, 'share', withdraw, another))).toContain('Only the person');
    expect(made.size).toBe(1);
    expect(textOf(await command(bot, 'share', withdraw))).toContain('leads to nothing');
    expect(made.size).toBe(0);
  });

  test('has none where the council is not on the web', async () => {
    const { bot } = await concluded();
    expect(textOf(await command(bot, 'share', {}))).toContain('not on the web');
  });
});

describe('a verdict that is posted', () => {
  test('is in the channel once, by the person who asked or a manager alone', async () => {
    const started = await concluded();
    const { bot, platform, turnId } = started;
    expect(textOf(await command(bot, 'post', {}, another))).toContain('Only the person who asked');
    const press = () => command(bot, 'post', { turn: turnId });
    expect(textsOf(await Promise.all([press(), press()]))).toEqual([
      expect.stringContaining('It has just been tried.'),
      expect.stringContaining('The verdict is in the channel now.'),
    ]);
    expect(textOf(await command(bot, 'post', {}, channelManager))).toContain('already');
    expect(platform.posted).toEqual([turnId]);
    const [turn] = await turnsOf(started);
    expect(turn?.past.posted).toMatchObject({ post: `post of ${turnId}` });
    expect(platform.redrawn.at(-1)?.posted).toEqual(turn?.past.posted);
    expect(textOf(await command(bot, 'receipt', {}))).toContain('Posted to the channel');
  });

  test('is looked for by the next press where no one knows whether it is there', async () => {
    let at = Date.now();
    const started = await concluded([], { now: () => at });
    const { bot, platform, turnId } = started;
    platform.onPost = (turn) => {
      platform.posted.push(turn.request.turnId);
      throw new Error('The answer was lost.');
    };
    expect(textOf(await command(bot, 'post', {}))).toContain('It could not be posted.');
    platform.onPost = () => undefined;
    at += 61_000;
    expect(textOf(await command(bot, 'post', {}))).toContain('in the channel now');
    expect(platform.posted).toEqual([turnId]);
  });

  test('is taken out again when its question was forgotten meanwhile', async () => {
    const { bot, platform, turnId, memory } = await concluded();
    platform.onPost = async () => {
      const subject = { kind: 'turn', turnId, threadId: here.threadId } as const;
      await memory.forgetting.forget(subject, new AbortController().signal);
    };
    expect(textOf(await command(bot, 'post', { turn: turnId }))).toContain('There is no turn');
    expect(platform.posted).toEqual([]);
  });

  test('stays in a thread that fewer people can read', async () => {
    const models = scriptedModels(wholeScript);
    const started = await startBot(models);
    await started.bot.ask({ ...question, isPrivateThread: true });
    await started.idle();
    expect(textOf(await command(started.bot, 'post', {}))).toContain('Fewer people can read');
    expect(started.platform.posted).toEqual([]);
  });
});

describe('what is asked of a verdict from elsewhere in its channel', () => {
  const there = { ...here, threadId: 'test:w:c:elsewhere' };
  const now = { isPrivate: true, isOpenOutside: true };

  test.each([
    ['again', { sage: 'ada' }],
    ['next', { question: '1' }],
    ['deeper', {}],
  ])('has the readers that the channel has by now: %s', async (name, options) => {
    const models = scriptedModels({ ...wholeScript, chair: [suggesting] });
    const { bot, store, idle } = await startBot(models);
    const asked = await bot.ask({ ...question, isPrivate: false });
    await idle();
    const turn = asked.status === 'accepted' ? asked.turnId : '';
    await command(bot, name, { turn, ...options }, member, { ...there, ...now });
    const [followUp] = await turnsOf({ store });
    expect(followUp?.past.request).toMatchObject({ threadId: here.threadId, ...now });
    await idle();
  });

  test('has those of its own thread when it is asked in a private one', async () => {
    const { bot, store, idle, turnId } = await concluded();
    const hidden = { ...there, isPrivate: true, isPrivateThread: true };
    await command(bot, 'again', { turn: turnId, sage: 'ada' }, member, hidden);
    await idle();
    const [followUp] = await turnsOf({ store });
    expect(followUp?.past.request).not.toHaveProperty('isPrivate');
    expect(followUp?.past.request).not.toHaveProperty('isPrivateThread');
  });
});

import { describe, expect, test } from 'vitest';
import type { TurnLinks } from '../../../src/bot/parts.ts';
import {
  answer,
  ranks,
  type Script,
  scriptedModels,
  verdict,
  wholeScript,
} from '../../council/scripted-council.ts';
import { fileSettings, question, startBot } from '../bot-fixture.ts';
import { channelManager, command, here, member, textOf } from '../commanding.ts';
import { another, concluded, suggesting, textsOf, turnsOf } from './concluded.ts';

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

/** The council as a guest in a thread of people, on each platform, through the whole program. */

import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readPastTurn } from '../../src/council/past-turn.ts';
import { ModelError } from '../../src/models/chat-model.ts';
import { fileSettings } from '../bot/bot-fixture.ts';
import {
  answer,
  type ScriptedModels,
  scriptedModels,
  seating,
  verdict,
} from '../council/scripted-council.ts';
import { type CouncilThread, openThread, platforms } from '../platforms/council-thread.ts';
import { afterBen, question } from './said-once.ts';

const away = new ModelError('The model is away.', {
  failure: 'server_error',
  model: 'test:moderator',
});
const nobody = '{"respond": "nobody"}';
const benTwice = { ben: [answer('Yes.'), answer('Android later.')] };
const limits = { maxQuestionChars: 200, maxQueuedTurnsPerUser: 5, maxQueuedTurnsPerThread: 8 };

/** What is remarked, once the moderator was asked about it, has left the thread as it was. */
async function expectSilence(
  thread: CouncilThread,
  models: ScriptedModels,
  { text, calls }: { readonly text: string; readonly calls: number },
): Promise<void> {
  const before = thread.shown();
  await thread.say(1, text);
  await vi.waitFor(() => expect(models.moderator.requests).toHaveLength(calls), 10_000);
  await thread.bot.idle();
  expect(thread.shown()).toEqual(before);
}

async function untilShown(thread: CouncilThread, part: string): Promise<void> {
  const last = () => thread.shown().join('\n');
  await vi.waitFor(() => expect(last()).toContain(part), 10_000);
  await thread.bot.idle();
}

describe.each(platforms)('in a thread on %s', (platform) => {
  test.each([
    { how: 'fails', replies: [away], calls: 1 },
    { how: 'can’t be read', replies: ['Well…', 'Hm.', 'No idea.'], calls: 3 },
  ])('a moderator that $how makes no one speak', async ({ replies, calls }) => {
    const models = scriptedModels({ moderator: replies, sages: { ben: [answer('Yes.')] } });
    await using thread = await openThread(platform, models, {});
    await expectSilence(thread, models, { text: 'what about android though', calls });
  });

  test('with fixed seats a small call tells who is meant, and those seats answer', async () => {
    const models = scriptedModels({
      moderator: [nobody, '{"respond": "council"}'],
      sages: benTwice,
      chair: [verdict],
    });
    const settings = { ...fileSettings, seats: ['ben'] } as const;
    await using thread = await openThread(platform, models, { settings });
    await expectSilence(thread, models, { text: 'can someone book the room', calls: 1 });
    await thread.say(0, 'what about android though');
    await untilShown(thread, 'Android later.');
    expect(models.unsaid()).toBe(0);
  });

  test('the moderator is asked of so many remarks in an hour, and of no more', async () => {
    const models = scriptedModels({ moderator: [nobody], sages: benTwice });
    await using thread = await openThread(platform, models, {
      limits: { ...limits, overheardPerThreadPerHour: 1 },
    });
    await expectSilence(thread, models, { text: 'can someone book the room', calls: 1 });
    await expectSilence(thread, models, { text: 'what about android though', calls: 1 });
    // What names a sage is no remark.
    await thread.say(0, 'Ben, go on');
    await untilShown(thread, 'Android later.');
  });

  test('a sentence that begins with a command’s name is a question, and @ben is asked by it', async () => {
    const models = scriptedModels({
      moderator: [seating(['ben'])],
      sages: { ben: [...benTwice.ben, answer('Cancel them.')] },
      chair: [verdict],
    });
    await using thread = await openThread(platform, models, {});
    await thread.say(0, 'stop doing meetings on friday?', { mentionsBot: true });
    await untilShown(thread, 'Android later.');
    await thread.say(0, '@ben help me choose which');
    await untilShown(thread, 'Cancel them.');
    expect(models.unsaid()).toBe(0);
  });

  test('who is mentioned has a name in every prompt', async () => {
    const models = scriptedModels({ sages: benTwice });
    await using thread = await openThread(platform, models, {});
    await thread.say(0, 'Ben: what would <@U1> say?', { mentionsBot: true });
    await untilShown(thread, 'Android later.');
    const prompt = JSON.stringify(models.sage({ key: 'ben' }).requests[1]?.messages);
    expect(prompt).toMatch(/what would @\u2060?bo(?:b|ss) say\?/i);
    expect(prompt).not.toContain('<@');
  });

  test('every prompt knows the day in the place’s time zone', async () => {
    // Monday in Auckland is Sunday in London.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2025, 10, 23, 20) });
    onTestFinished(() => void vi.useRealTimers());
    const models = scriptedModels(afterBen);
    const settings = { ...fileSettings, timeZone: 'Pacific/Auckland' };
    await using thread = await openThread(platform, models, { settings });
    await thread.say(0, question);
    await untilShown(thread, 'Rewrite it in parts.');
    const parts = ['ada', 'ben', 'cleo', 'dan'].flatMap((key) => [
      models.sage({ key }),
      models.reviewer({ key }),
    ]);
    for (const { requests } of [models.moderator, models.chair, ...parts]) {
      const prompt = JSON.stringify(requests.at(-1)?.messages);
      expect(prompt).toContain('Monday, 24 November 2025 (time zone: Pacific/Auckland)');
    }
  });

  test('what someone has said goes from what was heard when it is deleted for its author', async () => {
    const models = scriptedModels({ sages: benTwice, moderator: [nobody] });
    await using thread = await openThread(platform, models, {});
    const heard = async () => {
      const [turn] = await thread.bot.store.turns.list(thread.threadId, { limit: 1 });
      const record = turn && (await thread.bot.store.turns.read(turn));
      return (
        record && readPastTurn(record).heard?.messages.find(({ text }) => text.includes('40k'))
      );
    };
    await expectSilence(thread, models, { text: 'my salary is 40k', calls: 1 });
    await thread.say(0, 'Ben, go on');
    await untilShown(thread, 'Android later.');
    const { author } = (await heard()) ?? expect.unreachable();
    const [platformName = '', workspace = '', channel = ''] = thread.threadId.split(':');
    await thread.bot.bot.command({
      place: { platform: platformName, workspace, channel, threadId: thread.threadId },
      person: { ...author, isManager: false, isServerManager: false },
      command: 'memory',
      options: { do: 'forget', what: 'mine', confirm: true },
    });
    await expect.poll(heard).toBeUndefined();
    expect(thread.shown().join()).toContain('Android later.');
    expect(await thread.bot.store.turns.list(thread.threadId, { limit: 5 })).toHaveLength(2);
  });
});

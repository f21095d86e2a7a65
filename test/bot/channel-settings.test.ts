import { describe, expect, test } from 'vitest';
import { silentLog } from '../../src/domain/log.ts';
import {
  answer,
  ownAnswer,
  type Script,
  scriptedModels,
  wholeScript,
} from '../council/scripted-council.ts';
import { hang, scriptedModel } from '../fakes/scripted-model.ts';
import { question, startBot } from './bot-fixture.ts';
import { channelManager, command, here, placeIn, serverManager } from './commanding.ts';

type Changes = Readonly<Record<string, unknown>>;
const verdictOf = { chair: wholeScript.chair ?? [] };
const two: Script = { sages: { ben: [answer('No.')], cleo: [answer('Later.')] }, ...verdictOf };

/** A bot whose channel `c` is set as given. */
async function startIn(changes: Changes, script: Script, options = {}) {
  const models = scriptedModels(script);
  const started = await startBot(models, options);
  await command(started.bot, 'config', { changes }, channelManager);
  return { ...started, models };
}

function promptsOf(requests: readonly { readonly messages: unknown }[]): readonly string[] {
  return requests.map(({ messages }) => JSON.stringify(messages));
}

test('the log names who changed which settings, and where, without what they are now', async () => {
  const logged: unknown[] = [];
  const log = { ...silentLog, info: (...line: unknown[]) => void logged.push(line) };
  await startIn({ depth: 'quick', criteria: 'what it costs' }, {}, { log });
  const facts = { scope: 'channel:test:w:c', person: 'm1', changed: ['depth', 'criteria'] };
  expect(logged).toContainEqual([facts, 'settings changed']);
});

describe('a turn', () => {
  test('has the seats, the depth, the language and the length of answers of its channel', async () => {
    const { bot, platform, models, idle } = await startIn(
      { seats: 'ben cleo', depth: 'quick', language: 'Welsh', answerWords: '200' },
      two,
    );
    await bot.ask(question);
    await idle();
    expect(models.unsaid()).toBe(0);
    const seated = platform.shown[0]?.events.find(({ type }) => type === 'seated');
    expect(seated).toMatchObject({ seated: { how: 'fixed', seats: { length: 2 } } });
    const [prompt] = promptsOf(models.sage({ key: 'ben' }).requests);
    expect(prompt).toContain('Write both in Welsh.');
    expect(prompt).toContain('never more than 200');
  });

  test('shows the moderator the bench of its channel, and falls back onto it', async () => {
    const { bot, models, platform, idle } = await startIn(
      { bench: 'ben cleo', maxDynamicSages: 0 },
      {
        moderator: ['{"focus":[],"predefined_chosen_sages":["ada"],"new_sages_to_create":[]}'],
        sages: { ben: [answer('No.')] },
        ...verdictOf,
      },
    );
    await bot.ask(question);
    await idle();
    const [prompt] = promptsOf(models.moderator.requests);
    expect(prompt).toContain('- ben, called Ben Sage: ');
    expect(prompt).not.toContain('- ada');
    expect(prompt).toContain('Do not invent sages');
    // Eve, whom the files name for it, is not on this bench.
    const seated = platform.shown[0]?.events.find(({ type }) => type === 'seated');
    expect(seated).toMatchObject({
      seated: { how: 'fallback', seats: [{ sage: { key: 'ben' } }] },
    });
  });

  test('can not be asked of a sage who is off the bench, by key or by name', async () => {
    const { bot, idle } = await startIn(
      { bench: 'ben', seats: 'ben', depth: 'quick' },
      {
        sages: { ben: [answer('No.')] },
        ...verdictOf,
      },
    );
    expect(await bot.ask({ ...question, sages: ['ada'] })).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('You can choose from: Ben Sage.'),
    });
    // Without a seat here, the name is only a word of the question.
    expect(await bot.ask({ ...question, question: 'Ada: why?' })).toMatchObject({
      status: 'accepted',
    });
    await idle();
  });

  test('is concluded by the model that its channel has chosen', async () => {
    const models = scriptedModels({ ...two, chair: [] });
    const other = scriptedModel('test:other-chair', [ownAnswer, ...(wholeScript.chair ?? [])]);
    const chosen: string[] = [];
    const { bot, idle, platform } = await startBot(models, {
      openModels: (_count, { chairModel }) => {
        chosen.push(chairModel);
        const compactor = models.moderator;
        return { ...models, compactor, ...(chairModel === other.id && { chair: other }) };
      },
    });
    const changes = { chairModel: other.id, seats: 'ben cleo', depth: 'quick' };
    await command(bot, 'config', { changes }, channelManager);
    await bot.ask(question);
    await idle();
    expect(chosen.at(-1)).toBe(other.id);
    const concluded = platform.shown[0]?.events.find(({ type }) => type === 'concluded');
    expect(concluded).toMatchObject({ verdict: { by: other.id, kind: 'synthesis' } });
  });

  test('recalls nothing where memory is off, and what was said before once it is on again', async () => {
    const { bot, models, idle } = await startIn(
      { memory: 'no' },
      {
        sages: { ben: [answer('No.'), answer('Who?'), answer('Still no.')] },
      },
    );
    const toBen = { ...question, sages: ['ben'] };
    await bot.ask(toBen);
    await bot.ask({ ...toBen, eventId: 'event-2' });
    await idle();
    await command(bot, 'config', { change: 'set memory yes' }, channelManager);
    await bot.ask({ ...toBen, eventId: 'event-3' });
    await idle();
    const recalled = promptsOf(models.sage({ key: 'ben' }).requests).map((prompt) =>
      prompt.includes('In short: No.'),
    );
    expect(recalled).toEqual([false, false, true]);
  });

  test('that waits is held to what is set when it begins', async () => {
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<string>();
    const { bot, models, idle } = await startIn(
      {},
      {
        sages: { ben: [() => mayEnd, answer('Nage.')] },
      },
    );
    const toBen = { ...question, sages: ['ben'] };
    await bot.ask(toBen);
    await expect.poll(() => models.sage({ key: 'ben' }).requests.length).toBe(1);
    await bot.ask({ ...toBen, eventId: 'event-2' });
    await command(bot, 'config', { change: 'set language Welsh' }, channelManager);
    end(answer('No.'));
    await idle();
    const inWelsh = promptsOf(models.sage({ key: 'ben' }).requests).map((prompt) =>
      prompt.includes('in Welsh'),
    );
    expect(inWelsh).toEqual([false, true]);
  });
});

describe('a turn that was interrupted', () => {
  test('goes on as it began, whatever its channel has been set to since', async () => {
    const before = await startIn(
      { seats: 'ben cleo', depth: 'quick', language: 'Welsh' },
      { ...two, chair: [hang] },
    );
    await before.bot.ask(question);
    await expect.poll(() => before.models.chair.requests.length).toBe(1);
    const changes = { depth: 'standard', language: 'Irish', seats: 'ada' };
    await command(before.bot, 'config', { changes }, channelManager);
    await before.shutDown();

    const models = scriptedModels(verdictOf);
    const after = await startBot(models, {}, before.store);
    await after.idle();
    // Quick as it was, so that no review is asked for.
    expect(models.unsaid()).toBe(0);
    expect(promptsOf(models.chair.requests)[0]).toContain('in Welsh');
    expect(after.platform.shown[0]?.events.at(-1)).toMatchObject({ end: { outcome: 'answered' } });
  });
});

describe('what a channel is set to', () => {
  test('is nothing to another channel or server', async () => {
    const { bot } = await startIn({ bench: 'ben', followUpMode: 'mention' }, {});
    expect(await bot.settings(here)).toMatchObject({
      bench: [{ key: 'ben' }],
      followUpMode: 'mention',
    });
    for (const place of [placeIn('d'), placeIn('c', 'v'), { ...here, threadId: 'other:w:c:t' }]) {
      const { bench, followUpMode } = await bot.settings(place);
      expect(bench).toHaveLength(5);
      expect(followUpMode).toBe('asked');
    }
  });

  test('is nothing to another server even as a default', async () => {
    const { bot } = await startIn({}, {});
    const options = { changes: { bench: ['ben'] }, scope: 'server' };
    await command(bot, 'config', options, serverManager);
    expect((await bot.settings(placeIn('d'))).bench).toHaveLength(1);
    expect((await bot.settings(placeIn('d', 'v'))).bench).toHaveLength(5);
  });

  test('survives a restart', async () => {
    const { store, shutDown } = await startIn({ bench: 'ben' }, {});
    await shutDown();
    const { bot } = await startBot(scriptedModels({}), {}, store);
    expect((await bot.settings(here)).bench).toHaveLength(1);
  });
});

describe('the budget of a channel', () => {
  test('is its own: it refuses there what another channel takes', async () => {
    const script = { sages: { ben: [answer('No.')] } };
    const { bot, idle } = await startIn({ channelUsdPerDay: '0.05' }, script, {
      priceOf: () => 0.1,
    });
    const toBen = { ...question, sages: ['ben'] };
    expect(await bot.ask(toBen)).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining("This channel's budget of $0.0500 a day"),
    });
    expect(await bot.ask({ ...toBen, threadId: 'test:w:d:t' })).toMatchObject({
      status: 'accepted',
    });
    await idle();
  });

  test('is held against the prices of the models that it has chosen', async () => {
    const dear = scriptedModel('test:dear', []);
    const priceOf = (model: string) => (model === dear.id ? 1 : 0.001);
    for (const setting of ['moderatorModel', 'sageModel', 'reviewerModel', 'chairModel'] as const) {
      const models = scriptedModels({});
      const { bot } = await startBot(models, {
        priceOf,
        budgets: { workspaceUsdPerDay: 0.5 },
        knownModels: [dear.id],
        presets: [],
        openModels: (_count, choice) => ({
          moderator: choice.moderatorModel === dear.id ? dear : models.moderator,
          sage: choice.sageModel === dear.id ? () => dear : models.sage,
          reviewer: choice.reviewerModel === dear.id ? () => dear : models.reviewer,
          chair: choice.chairModel === dear.id ? dear : models.chair,
          compactor: models.moderator,
        }),
      });
      await command(bot, 'config', { changes: { [setting]: dear.id } }, channelManager);
      expect(await bot.ask(question)).toMatchObject({
        status: 'refused',
        reason: expect.stringContaining('budget'),
      });
    }
  });
});

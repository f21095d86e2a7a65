/** Going deeper into a standard verdict, with a real store. */

import { expect, test } from 'vitest';
import { readRecording, storeRecording } from '../../src/app/recordings.ts';
import { readPastTurn } from '../../src/council/past-turn.ts';
import { ModelError } from '../../src/models/chat-model.ts';
import { deepScript } from '../council/deep-council.ts';
import {
  answer,
  ownAnswer,
  type Script,
  scriptedModels,
  wholeScript,
} from '../council/scripted-council.ts';
import { hang } from '../fakes/scripted-model.ts';
import { fileSettings, forgettingIn, question, startBot } from './bot-fixture.ts';
import { channelManager, command, member, textOf } from './commanding.ts';

const here = { platform: 'test', workspace: 'w', channel: 'c', threadId: question.threadId };

const inDepth = deepScript.chair ?? [];
const next = answer('Then we wait.');
const lost = new ModelError('The credit of test is used up.', {
  failure: 'payment_required',
  model: 'test:chair',
});

/** A standard turn, and what goes deeper from it. */
const script: Script = {
  ...deepScript,
  chair: [...(wholeScript.chair ?? []), ...inDepth],
};

async function standardTurn(said = script, wished: object = {}) {
  const models = scriptedModels(said);
  const started = await startBot(models);
  const preset = { do: 'save', name: 'hiring', description: 'For people', criteria: 'fairness' };
  await command(started.bot, 'preset', preset, channelManager, here);
  const asked = await started.bot.ask({ ...question, ...wished });
  if (asked.status !== 'accepted') throw new Error('The question was refused.');
  await started.idle();
  const deeper = () => command(started.bot, 'deeper', { turn: asked.turnId }, member, here);
  return { ...started, models, turnId: asked.turnId, deeper };
}

test('pays for what is new alone, says no answer again, and keeps the whole', async () => {
  const { models, deeper, idle, store, platform, turnId, bot } = await standardTurn();
  expect(textOf(await deeper())).toContain('The council is being seated');
  await idle();
  expect(models.unsaid()).toBe(0);
  const events = platform.shown.at(-1)?.events ?? [];
  expect(events.filter(({ type }) => type === 'answered')).toEqual([]);
  expect(events.at(-1)).toMatchObject({ end: { outcome: 'answered' } });

  const [header] = await store.turns.list(question.threadId, { limit: 1 });
  const record = header && (await store.turns.read(header));
  if (!record) throw new Error('The turn is lost.');
  expect(record.usage.map(({ stage }) => stage).toSorted()).toEqual([
    'docket',
    ...Array(4).fill('rebuttal'),
    ...Array(4).fill('second_ballot'),
    'verdict',
  ]);
  const past = readPastTurn(record);
  expect(past.request.deepens).toBe(turnId);
  expect(past.reviews).toHaveLength(4);
  expect(past.round?.recasts).toHaveLength(4);
  expect(past.verdict?.settlement?.contradictions).toHaveLength(1);
  expect(record.messages.map(({ role }) => role)).toEqual(['human']);
  const receipt = await command(bot, 'receipt', {}, member, here);
  expect(textOf(receipt)).toContain('1 contradiction: 4 held, 0 amended, 0 conceded');
  expect(JSON.stringify(receipt)).not.toContain('unfinished');
});

test('tells its reviews and the next question that the answers were given before', async () => {
  const docket = JSON.stringify({ consensus: [], contradictions: [] });
  const chair = [...(wholeScript.chair ?? []), docket, inDepth.at(-1) ?? ''];
  const sages = { ...script.sages, ada: [...(script.sages?.ada ?? []).slice(0, 1), next] };
  const { bot, deeper, idle, models } = await standardTurn({ ...script, chair, sages });
  await deeper();
  await idle();
  const reviews = textOf(await command(bot, 'reviews', {}, member, here));
  expect(reviews).toContain('That saves up to 8 calls.');
  await bot.ask({ ...question, eventId: 'next', question: 'Ada: and then?' });
  await idle();
  const prompt = JSON.stringify(models.sage({ key: 'ada' }).requests.at(-1)?.messages);
  expect(prompt).toContain('and then?');
  expect(prompt).not.toContain('No answer was kept');
});

test('means the last verdict of the thread, whatever was said after it', async () => {
  const sages = { ...script.sages, ada: [...(script.sages?.ada ?? []), next] };
  const { bot, idle, store, turnId } = await standardTurn({ ...script, sages });
  await bot.ask({ ...question, eventId: 'next', question: 'Ada: and then?' });
  await idle();
  expect(textOf(await command(bot, 'deeper', {}, member, here))).toContain('being seated');
  await idle();
  const [header] = await store.turns.list(question.threadId, { limit: 1 });
  const record = header && (await store.turns.read(header));
  expect(record && readPastTurn(record).request.deepens).toBe(turnId);
});

test('shows its chair nothing that was said since the question was asked', async () => {
  const { models, deeper, idle } = await standardTurn();
  await deeper();
  await idle();
  const shown = models.chair.requests.map(({ messages }) => JSON.stringify(messages));
  expect(shown.at(-1)).toContain('<docket>');
  expect(shown.at(-1)).not.toContain('<verdict');
  expect(shown.at(-1)).not.toContain('Remembered');
});

test('goes on from the verdict that people have read, not from what the chair wrote before it', async () => {
  const { models, deeper, idle } = await standardTurn();
  await deeper();
  await idle();
  const [first, deep] = [models.chair.requests[0], models.chair.requests.at(-1)].map((request) =>
    JSON.stringify(request?.messages),
  );
  expect(first).toContain(`<draft>\\n${ownAnswer}\\n</draft>`);
  expect(deep).toContain('<draft>\\nRewrite it in parts.\\n</draft>');
  expect(deep).not.toContain(ownAnswer);
  expect(deep).toContain('The person has read it');
  expect(deep).toContain('would make it longer than 340 words, cut');
  expect(deep).toContain('only what neither the verdict nor another of these says');
});

test('keeps the preset, and what people had said around the question', async () => {
  const said = { id: 'm1', author: { id: 'u3', name: 'Pia' }, at: 500, text: 'The quay is slow.' };
  const heard = { place: 'test:w:c', of: 'thread', messages: [said], leftOut: 0 };
  const wished = { preset: 'hiring', heard, instructions: 'Weigh the cost.' };
  const { models, deeper, idle, store } = await standardTurn(script, wished);
  await deeper();
  await idle();
  const [header] = await store.turns.list(question.threadId, { limit: 1 });
  const record = header && (await store.turns.read(header));
  const past = record && readPastTurn(record);
  expect(past?.request).toMatchObject({ deepens: expect.any(String), preset: 'hiring' });
  expect(past?.ranked?.criteria).toBe('fairness');
  expect(past?.heard?.messages).toEqual([said]);
  const shown = JSON.stringify(models.chair.requests.at(-1)?.messages);
  expect(shown).toContain('The quay is slow.');
  expect(shown).toContain('Weigh the cost.');
});

test('is not asked for in a recorded council, where nothing would come of it', async () => {
  const { bot, store } = await startBot(scriptedModels({}));
  const turn = readRecording('rewrite');
  await storeRecording(store, turn);
  const { threadId } = turn.request;
  const reply = await command(bot, 'deeper', {}, member, { ...here, threadId });
  expect(textOf(reply)).toContain('This council was recorded.');
  expect(await store.turns.list(threadId, { limit: 10 })).toHaveLength(1);
});

test('is asked for once, and not of what has gone as deep as it goes', async () => {
  const { deeper, idle, bot } = await standardTurn();
  await deeper();
  expect(textOf(await deeper())).toContain('already');
  await idle();
  expect(textOf(await deeper())).toContain('already');
  const again = await command(bot, 'deeper', {}, member, here);
  expect(textOf(again)).toContain('as deep as it goes');
});

test('can be asked for again at once when it was refused, and says why each time', async () => {
  const models = scriptedModels(script);
  const { bot, idle } = await startBot(models, {
    settings: { ...fileSettings, questionsPerUserPerHour: 1 },
  });
  await bot.ask(question);
  await idle();
  for (const _ of [1, 2]) {
    expect(textOf(await command(bot, 'deeper', {}, member, here))).toContain(
      'one question an hour',
    );
  }
});

test('is asked for once by two people at the same time', async () => {
  const { bot, idle, store, deeper } = await standardTurn();
  const other = { ...member, id: 'u2', name: 'Otto' };
  const replies = await Promise.all([deeper(), command(bot, 'deeper', {}, other, here)]);
  await idle();
  const texts = replies.map(textOf).toSorted();
  expect(texts.filter((text) => text.includes('being seated'))).toHaveLength(1);
  expect(texts.filter((text) => text.includes('already'))).toHaveLength(1);
  expect(await store.turns.list(question.threadId, { limit: 10 })).toHaveLength(2);
});

test('goes on from the same answers again where the docket failed', async () => {
  const { deeper, idle, bot, platform, models, store, turnId } = await standardTurn({
    ...script,
    chair: [...(wholeScript.chair ?? []), lost, ...(wholeScript.chair ?? []), ...inDepth],
  });
  await deeper();
  await idle();
  expect(textOf(await command(bot, 'deeper', {}, member, here))).toContain('being seated');
  await idle();
  expect(models.unsaid()).toBe(0);
  expect(platform.shown.at(-1)?.events.at(-1)).toMatchObject({ end: { outcome: 'answered' } });
  expect(textOf(await command(bot, 'deeper', {}, member, here))).toContain('as deep as it goes');

  const { threadId } = question;
  const { signal } = new AbortController();
  await forgettingIn(store).forget({ kind: 'turn', turnId, threadId }, signal);
  expect(await store.turns.list(threadId, { limit: 10 })).toEqual([]);
});

test('can be asked for again, of either turn, when it was stopped before its turn came', async () => {
  const moderator = [...(script.moderator ?? []), hang];
  const { bot, deeper, idle, store, platform } = await standardTurn({ ...script, moderator });
  await bot.ask({ ...question, eventId: 'before' });
  await deeper();
  const [deep, before] = await store.turns.list(question.threadId, { limit: 2 });
  for (const turn of [deep, before]) await bot.stop(turn?.turnId ?? '', here);
  await idle();
  expect(platform.shown.at(-1)?.events.at(-1)).toMatchObject({ end: { outcome: 'stopped' } });
  expect(textOf(await deeper())).toContain('being seated');
  expect(textOf(await command(bot, 'deeper', { turn: deep?.turnId }, member, here))).toContain(
    'already',
  );
  await idle();
  expect(platform.shown.at(-1)?.events.at(-1)).toMatchObject({ end: { outcome: 'answered' } });
  expect(textOf(await deeper())).toContain('already');
});

test('can be asked for again when what went deeper was forgotten', async () => {
  const said = { ...script, chair: [...(script.chair ?? []), ...inDepth] };
  const sages = Object.entries(script.sages ?? {}).map(([key, lines]) => {
    return [key, [...lines, ...lines.slice(-1)]] as const;
  });
  const reviews = Object.entries(script.reviews ?? {}).map(([key, lines]) => {
    return [key, [...lines, ...lines.slice(-1)]] as const;
  });
  const again = { sages: Object.fromEntries(sages), reviews: Object.fromEntries(reviews) };
  const { deeper, idle, store, platform } = await standardTurn({ ...said, ...again });
  const { threadId } = question;
  await deeper();
  await idle();
  const [deep] = await store.turns.list(threadId, { limit: 1 });
  const subject = { kind: 'turn', turnId: deep?.turnId ?? '', threadId } as const;
  await forgettingIn(store).forget(subject, new AbortController().signal);
  expect(textOf(await deeper())).toContain('being seated');
  expect(textOf(await deeper())).toContain('already');
  await idle();
  expect(platform.shown.at(-1)?.events.at(-1)).toMatchObject({ end: { outcome: 'answered' } });
  expect(await store.turns.list(threadId, { limit: 10 })).toHaveLength(2);
});

test('is forgotten with the question that it goes on from', async () => {
  const { deeper, idle, store, turnId } = await standardTurn();
  await deeper();
  await idle();
  const { threadId } = question;
  expect(await store.turns.list(threadId, { limit: 10 })).toHaveLength(2);
  const { signal } = new AbortController();
  await forgettingIn(store).forget({ kind: 'turn', turnId, threadId }, signal);
  expect(await store.turns.list(threadId, { limit: 10 })).toEqual([]);
});

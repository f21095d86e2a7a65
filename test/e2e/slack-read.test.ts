/** A turn in Slack as it is read: the verdict streams, nothing ends within a word, nothing is cut that can be whole. */

import { expect, test } from 'vitest';
import type { ChatModel } from '../../src/models/chat-model.ts';
import { scopeNames as scopes } from '../../src/platforms/slack/connection/identity.ts';
import {
  answer,
  ranks,
  scriptedModels,
  seating,
  verdict,
  wholeScript,
} from '../council/scripted-council.ts';
import { type CouncilInSlack, startCouncil } from '../platforms/slack/slack-world.ts';
import { unlimited } from '../platforms/unlimited.ts';
import { brokenAnswer } from './broken-answer.ts';
import { question, timesIn } from './said-once.ts';
import { inWords } from './slack-faults/pausing-models.ts';

function saidIn({ slack, channel }: CouncilInSlack, thread: string) {
  const all = slack.thread(channel, thread);
  return all.filter(({ isApp, ephemeralFor }) => isApp && ephemeralFor === undefined);
}

async function untilOver(council: CouncilInSlack, thread: string, end: string) {
  const isOver = () => saidIn(council, thread).some(({ text }) => text.includes(end));
  await council.slack.until(isOver, end);
  await council.bot.idle();
  council.slack.assertNoViolations();
}

test('the verdict streams: its beginning is read before its end is written', async () => {
  const scripted = scriptedModels({ ...wholeScript, chair: [inWords(verdict)] });
  const isRead = Promise.withResolvers<void>();
  const chair: ChatModel = {
    id: scripted.chair.id,
    complete: (request) => scripted.chair.complete(request),
    async *stream(request) {
      let pieces = 0;
      for await (const chunk of scripted.chair.stream(request)) {
        yield chunk;
        pieces += 1;
        if (pieces === 3) await isRead.promise;
      }
    },
  };
  const models = { ...scripted, chair };
  await using council = await startCouncil(models, { scopes, pacing: unlimited });
  const { ada, channel, slack } = council;
  const { thread } = await ada.mentions(channel, question);
  const growing = () => saidIn(council, thread).find(({ text }) => text.includes('Rewrite'));
  await slack.until(() => growing()?.streaming === 'in_progress', 'the beginning of the verdict');
  expect(growing()?.text).not.toContain('parts');
  isRead.resolve();
  await untilOver(council, thread, 'The council has answered.');
  expect(saidIn(council, thread).at(-1)?.text).toContain('Rewrite it in parts.');
});

test.each(['its button', 'Slack’s own'])(
  'stop, by %s, ends a partial answer on a word',
  async (by) => {
    const { models } = brokenAnswer();
    await using council = await startCouncil(models, { scopes, pacing: unlimited });
    const { ada, channel, slack } = council;
    const { thread } = await ada.mentions(channel, question);
    const begun = () => saidIn(council, thread).find(({ text }) => text.startsWith('Rewrite'));
    await slack.until(() => begun() !== undefined, 'the beginning of an answer');
    const withStop = saidIn(council, thread).find(({ text }) => text.includes('[Stop]'));
    if (by === 'its button') await ada.presses({ channel, ts: withStop?.ts ?? '' }, 'Stop');
    else await ada.stopsSession(channel, thread);
    await untilOver(council, thread, 'Stopped. What was said is kept.');
    expect(begun()?.text).toMatch(/^Rewrite the\s+_Stopped here\._$/);
    expect(
      slack.messages(channel).flatMap(({ text, ephemeralFor }) => (ephemeralFor ? text : [])),
    ).toEqual([expect.stringMatching(/^Stopped.* Anything said so far is kept\.$/)]);
  },
);

test('a long question of a command is shown in full, once', async () => {
  const long = `${'Consider the engine. '.repeat(150)}Should we rewrite it, and when?`;
  const limits = {
    maxQuestionChars: 6000,
    maxQueuedTurnsPerUser: 5,
    maxQueuedTurnsPerThread: 8,
    overheardPerThreadPerHour: 20,
  };
  const models = scriptedModels({ sages: { ben: [answer('No.')] } });
  await using council = await startCouncil(models, { scopes, bot: { limits } });
  const { ada, channel, slack } = council;
  await ada.commands(channel, `/council ask --sages ben ${long}`);
  const root = () => slack.messages(channel).find(({ isApp }) => isApp);
  await slack.until(() => root() !== undefined, 'the question');
  const thread = root()?.ts ?? '';
  await untilOver(council, thread, '1 of 1 answered.');
  const texts = saidIn(council, thread).map(({ text }) => text);
  expect(texts[0]).toContain(long);
  expect(timesIn(texts, 'and when?')).toBe(1);
});

test('equally long answers are shown alike, no matter who sits first', async () => {
  const keys = ['ada', 'ben', 'cleo', 'dan'];
  const texts = keys.map((key) => `${key} thinks of it at length.${' At length.'.repeat(120)}`);
  const models = scriptedModels({
    moderator: [seating(keys)],
    sages: Object.fromEntries(
      keys.map((key, index) => [key, [JSON.stringify({ answer: texts[index], summary: 'So.' })]]),
    ),
    reviews: Object.fromEntries(keys.map((key) => [key, [ranks(...texts)]])),
    chair: [verdict],
  });
  await using council = await startCouncil(models, { scopes, pacing: unlimited });
  const { ada, channel } = council;
  const { thread } = await ada.mentions(channel, question);
  await untilOver(council, thread, 'The council has answered.');
  const said = saidIn(council, thread).filter(({ author }) => author !== 'Council');
  expect(said.map(({ author }) => author).toSorted()).toEqual(
    ['Ada', 'Ben', 'Cleo', 'Dan'].map((name) => `${name} Sage`),
  );
  expect(said.map(({ text }) => text.trim()).toSorted()).toEqual(texts.map((text) => text.trim()));
});

test('times are in the reader’s zone, and people are chosen from a menu', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.')] } });
  await using council = await startCouncil(models, { scopes });
  const { ada, boss, channel, slack, bot } = council;
  const { thread } = await ada.mentions(channel, 'Ben: and you?');
  await untilOver(council, thread, '1 of 1 answered.');
  await ada.commands(channel, '/council memory');
  const toAda = () =>
    slack.messages(channel).find(({ ephemeralFor }) => ephemeralFor === ada.user.id);
  await slack.until(() => toAda() !== undefined, 'the memory');
  expect(JSON.stringify(toAda()?.blocks)).toMatch(/<!date\^\d+\^/);
  await boss.commands(channel, '/council config');
  await slack.until(() => boss.modal()?.text.includes('Depth') === true, 'the settings');
  await boss.submits({ managers: [ada.user.id] });
  expect(boss.modal()?.text).toContain('Changed: managers');
  await ada.commands(channel, '/council config set depth quick');
  const place = `channel:slack:${slack.workspace.id}:${channel.id}`;
  const depth = async () => (await bot.store.settings.read([place]))[0]?.depth?.value;
  await expect.poll(depth).toBe('quick');
});

test.each([
  ['memory --page nope', 'The option page is a whole number from 1 to 1000.'],
  ['reviews --show nope', 'The option show can be reviews or seats.'],
  ['config set depth tomorrow', 'quick'],
  ['ask', 'Write the question after “ask”: what the council should think about.'],
  [
    'dismiss',
    'Write the sage after “dismiss”: key or name of a sage that was made in this channel.',
  ],
  ['feedback', 'Write the rating after “feedback”: good or bad.'],
])('what is wrong with %s is told in words, none of them a library’s', async (line, part) => {
  await using council = await startCouncil(scriptedModels({}), { scopes });
  const { boss, channel, slack } = council;
  await boss.commands(channel, `/council ${line}`);
  const told = () => slack.messages(channel).find(({ ephemeralFor }) => ephemeralFor);
  await slack.until(() => told() !== undefined, 'what is wrong');
  expect(told()?.text).toContain(part);
  expect(told()?.text).not.toMatch(
    /doesn’t work like that. Write|invalid|received|undefined|expected (?:string|number)/i,
  );
});

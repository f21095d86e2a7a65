/** Names of sages that pretend, break out or are no names at all. */

import { expect, test } from 'vitest';
import { answer, ranks, scriptedModels, seating, verdict } from '../../council/scripted-council.ts';
import { ask, startCouncil, textOf } from '../../platforms/discord/discord-world.ts';
import {
  answerTo,
  councilNamed,
  expectNobodyPinged,
  finishedThread,
  saidBySages,
} from './hostile-world.ts';

test.each([
  ['the word that Discord keeps', 'Official Discord Support', 'Official Dis·cord Support'],
  ['the word in pieces', 'Dis\u200bcord', 'Dis·cord'],
  ['another word that Discord keeps', 'CLYDE', 'CL·YDE'],
  ['line breaks', 'Two\nLines\r\n\u2028here', 'Two Lines here'],
  ['nothing', '', 'A sage'],
  ['nothing that can be seen', ' \u200b\u2800\u202e ', 'A sage'],
  ['emoji alone', '👩‍🚀🔥', '👩‍🚀🔥'],
  ['two hundred letters', 'x'.repeat(200), 'x'.repeat(80)],
  ['two hundred emoji', '🔥'.repeat(200), '🔥'.repeat(40)],
  ['a line that is turned around', 'nimdA\u202e gnihtoN', 'nimdA gnihtoN'],
  ['a mention', '@everyone', '@everyone'],
])('a sage whose name is %s speaks under a name that Discord takes', async (_, name, shown) => {
  await using council = await startCouncil(scriptedModels({ sages: { ben: [answer('No.')] } }), {
    bot: { council: councilNamed({ ben: name }) },
  });
  const { discord, channel } = council;
  ask(council, 'Should we?', { sages: 'ben' });
  const thread = await finishedThread(council, channel);
  const said = saidBySages(discord, thread.id);
  expect(said.map(({ wire }) => [wire.author.username, wire.content])).toEqual([[shown, 'No.']]);
  expect(discord.messages(thread.id)).toHaveLength(said.length);
  expectNobodyPinged(discord);
});

test('two sages of one name are told apart, in whatever way the name was disguised', async () => {
  const models = scriptedModels({
    moderator: [seating(['ada', 'ben', 'cleo'])],
    sages: { ada: [answer('One.')], ben: [answer('Two.')], cleo: [answer('Three.')] },
    chair: [verdict],
  });
  await using council = await startCouncil(models, {
    bot: { council: councilNamed({ ada: 'Nemo', ben: 'NEMO\u200b', cleo: 'Ne\u00admo\n' }) },
  });
  const { discord, channel } = council;
  ask(council, 'Who is who?', { depth: 'quick' });
  const thread = await finishedThread(council, channel);
  const names = saidBySages(discord, thread.id).map(({ wire }) => wire.author.username);
  expect(names.toSorted()).toEqual(['NEMO (2)', 'Nemo', 'Nemo (3)']);
});

test.each([
  ['the bot', 'Council Elder'],
  ['a help desk', 'Customer Support'],
  ['the machinery, letter by letter', 'S\u200bystem Keeper'],
])('an invented sage that is named like %s is told to be a sage', async (_, name) => {
  const models = scriptedModels({
    moderator: [seating(['ada'], {}, [{ name, description: 'Wants to be obeyed.' }])],
    sages: { ada: [answer('Yes.')] },
    chair: [verdict],
  });
  await using council = await startCouncil({
    ...models,
    sage: ({ key }) => (key === 'ada' ? models.sage({ key }) : obeyMe()),
  });
  const { discord, channel } = council;
  ask(council, 'Who speaks?', { depth: 'quick' });
  const thread = await finishedThread(council, channel);
  const invented = saidBySages(discord, thread.id).find(({ wire }) => wire.content === 'Obey.');
  expect(invented?.wire.author.username).toMatch(/ \(a sage\)$/);
  expectNobodyPinged(discord);
});

function obeyMe() {
  return scriptedModels({ sages: { one: [answer('Obey.')] } }).sage({ key: 'one' });
}

test.each([
  'Ada Sage',
  'ada   sage',
  'Аda Sage', // with a Cyrillic А
  'Ada\u200b Sage',
  'Àda Sage',
])('an invented sage that calls itself %j is not taken for the sage of that name', async (name) => {
  const models = scriptedModels({
    moderator: [seating(['ada'], {}, [{ name, description: 'Looks like Ada.' }])],
    sages: { ada: [answer('Yes.')] },
    chair: [verdict],
  });
  await using council = await startCouncil({
    ...models,
    sage: ({ key }) => (key === 'ada' ? models.sage({ key }) : obeyMe()),
  });
  const { discord, channel } = council;
  ask(council, 'Who speaks?', { depth: 'quick' });
  const thread = await finishedThread(council, channel);
  const said = saidBySages(discord, thread.id);
  expect(said.map(({ wire }) => [wire.author.username, wire.content])).toEqual([
    ['Ada Sage', 'Yes.'],
  ]);
  expectNobodyPinged(discord);
});

const markup = '[your bank](https://evil.example) **b** `c`';

test('markup in a name is shown and does not work, on the card, in the ranking and in the verdict', async () => {
  const models = scriptedModels({
    moderator: [seating(['ada', 'ben'])],
    sages: { ada: [answer('Yes.')], ben: [answer('No.')] },
    reviews: { ada: [ranks('Yes.', 'No.')], ben: [ranks('Yes.', 'No.')] },
    chair: [verdict],
  });
  await using council = await startCouncil(models, {
    bot: { council: councilNamed({ ben: markup }) },
  });
  const { discord, channel } = council;
  ask(council, 'Which of them?');
  const thread = await finishedThread(council, channel);
  const shown = [...discord.messages(channel.id), ...discord.messages(thread.id)]
    .map(textOf)
    .join('\n');
  expect(shown).not.toContain('[your bank](https://evil.example)');
  expectNobodyPinged(discord);
});

test('markup in a name does not work where sages speak through the bot', async () => {
  await using council = await startCouncil(scriptedModels({ sages: { ben: [answer('No.')] } }), {
    bot: { council: councilNamed({ ben: markup }) },
    before: ({ discord, channel }) => discord.revokePermissions(channel, 'ManageWebhooks'),
  });
  const { discord, channel } = council;
  ask(council, 'Which of them?', { sages: 'ben' });
  const thread = await finishedThread(council, channel);
  const [said] = discord.messages(thread.id);
  expect(said?.wire.content).toBe(
    '**\\[your bank\\](https://evil.example) \\*\\*b\\*\\* \\`c\\`**\nNo.',
  );
  expectNobodyPinged(discord);
});

test.each([
  ['@everyone', 'may contain only'],
  ['Server Moderator', 'in charge'],
  ['D\u0456scord', 'mixes letters'],
  ['Ada Sage', 'taken for Ada Sage'],
  ['Council', 'in charge'],
  ['[x](https://evil.example)', 'may contain only'],
])('a member cannot make a sage called %s', async (name, reason) => {
  await using council = await startCouncil(scriptedModels({}));
  const { discord, channel, ada: user } = council;
  const opened = discord.slash({ user, channel, command: 'council', subcommand: 'summon' });
  await discord.until(() => opened.acknowledgement?.kind === 'modal', 'the modal');
  const sent = discord.submitModal(opened, { name, description: 'Weighs what can be lost.' });
  expect(textOf(await answerTo(discord, sent))).toContain(reason);
  expectNobodyPinged(discord);
});

test('the drafted prompt of a new sage is shown without pinging anybody, and its links show where they lead', async () => {
  const prompt = 'You are Seneca. @everyone [free](https://evil.example) \u202egnihton';
  const models = scriptedModels({ moderator: [JSON.stringify({ prompt })] });
  await using council = await startCouncil(models);
  const { discord, channel, ada: user } = council;
  const opened = discord.slash({ user, channel, command: 'council', subcommand: 'summon' });
  await discord.until(() => opened.acknowledgement?.kind === 'modal', 'the modal');
  const sent = discord.submitModal(opened, {
    name: 'Seneca',
    description: 'Weighs @here and <@&1> against what can be lost.',
  });
  const preview = textOf(await answerTo(discord, sent));
  expect(preview).toContain('You are Seneca.');
  expect(preview).not.toMatch(/@everyone|@here|<@&1>|\u202e/);
  expect(preview).toContain('[free (evil.example)]');
  expectNobodyPinged(discord);
});

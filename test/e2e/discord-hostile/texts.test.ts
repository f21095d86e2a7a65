/** Texts that mean harm, in every place in which a model or a member can put them. */

import { expect, test } from 'vitest';
import type { ChatRequest } from '../../../src/models/chat-model.ts';
import { answer, scriptedModels, seating, verdict } from '../../council/scripted-council.ts';
import { ask, startCouncil, textOf } from '../../platforms/discord/discord-world.ts';
import {
  answerTo,
  councilNamed,
  customIdOn,
  expectNobodyPinged,
  finishedThread,
  saidBySages,
  shownAnywhere,
} from './hostile-world.ts';

/** Mentions of all kinds that exist in this world, and signs that no one sees. */
function mentions(roleId: string, userId: string): string {
  return `@everyone @here <@${userId}> <@!${userId}> <@&${roleId}> @\u200beveryone \u202e@here\u202c`;
}

/** How a mention that is live looks, in prose. */
const liveMention = /@everyone|@here|<@[!&]?\d/;

test('mentions in answers, reviews, focus, verdict and sages’ names stay dead wherever they are shown', async () => {
  let hostile = '';
  const models = scriptedModels({
    moderator: [() => seating(['ada', 'ben'], { ada: hostile })],
    sages: {
      ada: [() => answer(`Yes. ${hostile}`)],
      ben: [() => answer(`No. ${hostile}`)],
    },
    reviews: {
      ada: [(asked) => `${hostile}\n${votes(asked)}`],
      ben: [(asked) => `${hostile}\n${votes(asked)}`],
    },
    chair: [
      () =>
        JSON.stringify({
          verdict: hostile,
          consensus: [hostile, `# ${hostile}`],
          disagreements: [hostile],
          minority_report: hostile,
          unsettled: [hostile],
          confidence: 'low',
          confidence_reason: hostile,
        }),
    ],
  });
  await using council = await startCouncil(models, {
    bot: { council: councilNamed({ ben: '@everyone <@&1> @here' }) },
  });
  const { discord, guild, channel, ada } = council;
  hostile = mentions(discord.addRole(guild), ada.id);
  ask(council, `Who? ${hostile}`);
  const thread = await finishedThread(council, channel);
  const ranking = discord.messages(thread.id).find((one) => textOf(one).includes('blind ballot'));
  if (!ranking) throw new Error('There is no ranking.');
  for (const view of ['reviews', 'seats']) {
    const shown = await answerTo(
      discord,
      discord.pressButton(ada, ranking, customIdOn(ranking, `|${view}|`)),
    );
    expect(textOf(shown)).not.toMatch(liveMention);
  }
  expect(saidBySages(discord, thread.id)).toHaveLength(2);
  const texts = discord.messages(thread.id).map(textOf).join('\n');
  expect(texts).toContain('Yes.');
  expect(texts).not.toMatch(liveMention);
  expect(discord.messages(channel.id).map(textOf).join('\n')).not.toMatch(liveMention);
  expectNobodyPinged(discord);
});

/** A review that prefers the first of the responses that it was shown. */
function votes({ messages }: ChatRequest): string {
  const labels = [...(messages.at(-1)?.content ?? '').matchAll(/<response label="(\w)">/g)];
  return `FINAL RANKING:\n${labels.map(([, label], index) => `${index + 1}. Response ${label}`).join('\n')}`;
}

test('a link shows the host that it leads to, and an address that pretends to another host leads nowhere', async () => {
  const links = [
    '[your bank](https://evil.example/login)',
    '[https://bank.example](https://evil.example/a)',
    '[bank](<https://evil.example/b>)',
    '[bank](https://bank.example@evil.example/c)',
    '[bank](javascript:alert(1))',
    '[bank][1]\n\n[1]: https://evil.example/d',
  ].join('\n\n');
  await using council = await startCouncil(scriptedModels({ sages: { ben: [answer(links)] } }));
  const { discord, channel } = council;
  ask(council, 'Ben: [click](https://evil.example/q) where?');
  const thread = await finishedThread(council, channel);
  const [said] = saidBySages(discord, thread.id);
  const text = said?.wire.content ?? '';
  expect(text).toContain('[your bank (evil.example)](https://evil.example/login)');
  expect(text).toContain('[https://bank.example (evil.example)](https://evil.example/a)');
  expect(text).toContain('[bank (evil.example)](<https://evil.example/b>)');
  // Discord takes only what directly follows the label for its link.
  expect(text).not.toContain('](https://bank.example@');
  expect(text).not.toContain('](javascript:');
  expect(shownAnywhere(discord)).toContain('[click (evil.example)](https://evil.example/q)');
  expectNobodyPinged(discord);
});

test('signs that no one sees, and those that turn a line around, are gone from everything that is shown', async () => {
  const hidden =
    /[\u200e\u200f\u202a-\u202e\u2066-\u2069\u2060\ufeff\u00ad]|[\u{e0000}-\u{e007f}]/u;
  const tricks =
    'Safe\u202etxt.exe\u202c \u2066turned\u2069 \ufeffwi\u00adde \u{e0041}\u{e0042}end';
  await using council = await startCouncil(scriptedModels({ sages: { ben: [answer(tricks)] } }));
  const { discord, channel } = council;
  ask(council, `Ben: ${tricks}?`);
  const thread = await finishedThread(council, channel);
  expect(thread.name).toBe('Ben: Safetxt.exe turned wide end?');
  expect(saidBySages(discord, thread.id)[0]?.wire.content).toBe('Safetxt.exe turned wide end');
  expect(shownAnywhere(discord)).not.toMatch(hidden);
  expectNobodyPinged(discord);
});

test('an answer that looks like the bot’s card, or like another sage, stays the message of the sage that wrote it', async () => {
  const forged = [
    '> Should we rewrite the engine?',
    '**Verdict**',
    'Delete it all.',
    '-# Confidence: high',
    '## Verdict',
    '### Ranking by 4 blind ballots',
    '**Ada Sage**',
    'I was wrong, Ben is right.',
  ].join('\n');
  const models = scriptedModels({
    moderator: [seating(['ada', 'ben'])],
    sages: { ada: [answer('No.')], ben: [answer(forged)] },
    chair: [verdict],
  });
  await using council = await startCouncil(models);
  const { discord, channel } = council;
  ask(council, 'Should we rewrite the engine?', { depth: 'quick' });
  const thread = await finishedThread(council, channel);
  const said = saidBySages(discord, thread.id).map(({ wire }) => [
    wire.author.username,
    wire.content,
  ]);
  expect(said.toSorted()).toEqual([
    ['Ada Sage', 'No.'],
    ['Ben Sage', forged],
  ]);
  const [card] = discord.messages(channel.id);
  expect(card && textOf(card)).not.toContain('Delete it all.');
  expect(discord.messages(thread.id)).toHaveLength(3);
  expectNobodyPinged(discord);
});

test('where sages speak through the bot, no line of an answer looks like the label of a sage', async () => {
  const code = '```\n**Ada Sage**\n```';
  const forged = `I say **no**.\n\n**Ada Sage**\nI was wrong.\n\n> **Ada Sage**\n**Ada Sage:** Indeed.\n${code}`;
  const models = scriptedModels({
    moderator: [seating(['ada', 'ben'])],
    sages: { ada: [answer('Yes.')], ben: [answer(forged)] },
    chair: [verdict],
  });
  await using council = await startCouncil(models, {
    before: ({ discord, channel }) => discord.revokePermissions(channel, 'ManageWebhooks'),
  });
  const { discord, channel } = council;
  ask(council, 'Should we?', { depth: 'quick' });
  const thread = await finishedThread(council, channel);
  const said = discord.messages(thread.id).map(({ wire }) => wire.content);
  expect(said).toContain(
    `**Ben Sage**\nI say **no**.\n\n__Ada Sage__\nI was wrong.\n\n> __Ada Sage__\n__Ada Sage:__ Indeed.\n${code}`,
  );
  expectNobodyPinged(discord);
});

/** What people see of the council's memory in Discord, and what they do about it. */

import { expect, test } from 'vitest';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import type { OptionValues } from '../fakes/discord/control/command-options.ts';
import {
  ask,
  type CouncilInDiscord,
  startCouncil,
  textOf,
} from '../platforms/discord/discord-world.ts';
import { answered, idWith, type Stored } from '../platforms/discord/private-answers.ts';

const wild = 'Ben: dredge? @everyone ``` **now [click](https://evil.example)';

function give(
  { discord, channel, ada }: Pick<CouncilInDiscord, 'discord' | 'channel' | 'ada'>,
  options: OptionValues,
  user = ada,
) {
  return discord.slash({ user, channel, command: 'council', subcommand: 'memory', options });
}

function idBefore(message: Stored, part: string): string {
  const text = textOf(message);
  const [id] = [...text.slice(0, text.indexOf(part)).matchAll(/^\*\*([0-9a-f]{10})\*\*$/gm)]
    .map(([, found = '']) => found)
    .reverse();
  if (!id) throw new Error(`There is no id before “${part}”: ${text}`);
  return id;
}

async function askedAndAnswered(council: CouncilInDiscord, question: string, count: number) {
  const { discord, channel, bot } = council;
  ask(council, question);
  await discord.until(() => discord.threads(channel.id).length === count, 'the thread');
  await bot.idle();
  const threads = discord.threads(channel.id);
  const thread = threads.find(({ name }) => name?.includes(question.slice(5, 15)));
  if (!thread) throw new Error('The question has no thread.');
  return thread;
}

test('a member sees what is remembered with links, in private, and nothing in it works', async () => {
  const said = ['In May.', 'In June.'].map((text) => answer(text));
  await using council = await startCouncil(scriptedModels({ sages: { ben: said } }));
  const { discord, guild, channel, ada } = council;
  const thread = await askedAndAnswered(council, wild, 1);
  await askedAndAnswered(council, 'Ben: and the bread?', 2);
  const shown = await answered(council, give(council, {}));
  expect(shown.onlyFor).toBe(ada.id);
  const text = textOf(shown);
  expect(text).toContain('Remembered in this channel: 4 messages and 0 summaries');
  expect(text).toContain(`https://discord.com/channels/${guild.id}/${thread.id}`);
  expect(text).toContain('“In June.”');
  expect(text).not.toMatch(/@everyone|(?<!\\)[`[]|\*\*now/);
  expect(shown.wire.mention_everyone).toBe(false);
  const found = await answered(council, give(council, { do: 'search', what: 'bread' }));
  expect(found.onlyFor).toBe(ada.id);
  expect(textOf(found)).toContain('and the bread?');
  const everybodys = discord.messages(channel.id).filter(({ onlyFor }) => onlyFor === undefined);
  expect(everybodys.map((message) => textOf(message)).join('\n')).not.toContain('Remembered');
  expect(discord.violations.all).toEqual([]);
});

test('a long list stays within what Discord takes, page by page', async () => {
  await using council = await startCouncil(scriptedModels({}));
  const { discord, guild, ada, channel, bot } = council;
  await bot.store.messages.append(
    Array.from(
      { length: 18 },
      (_, at) =>
        ({
          id: `${at}`,
          threadId: `discord:${guild.id}:${channel.id}:${guild.id}`,
          role: 'human',
          type: 'user_query',
          status: 'complete',
          isPrivate: false,
          author: '`*_'.repeat(30),
          createdAt: at,
          content: { text: `number ${at}? ${'*wide* '.repeat(200)}` },
        }) as const,
    ),
  );
  const first = await answered(council, give(council, {}));
  const all = () => discord.messages(channel.id).filter(({ onlyFor }) => onlyFor === ada.id);
  await discord.until(() => all().some((one) => textOf(one).includes('Older')), 'the whole page');
  expect(textOf(first)).toContain('Page 1 of 3.');
  for (const message of all()) expect(textOf(message).length).toBeLessThanOrEqual(4000);
  const last = all().at(-1);
  const older = discord.pressButton(ada, last ?? first, idWith(last, 'memory show --page 2'));
  expect(textOf(await answered(council, older))).toContain('Page 2 of 3.');
  const third = await answered(council, give(council, { page: 3 }));
  expect(textOf(third)).toContain('number 0?');
  expect(discord.violations.all).toEqual([]);
});

test('a manager pins a memory, and forgets the channel after a look at what would go', async () => {
  const said = ['In May.', 'Yes.'].map((text) => answer(text));
  const models = scriptedModels({ sages: { ben: said } });
  await using council = await startCouncil(models);
  const { discord, guild, channel, bot } = council;
  const mia = discord.addMember(guild, 'Mia', ['Administrator']);
  const asMia = (options: OptionValues) => answered(council, give(council, options, mia));
  await askedAndAnswered(council, 'Ben: when do we dredge?', 1);
  const id = idBefore(await asMia({}), 'when do we dredge?');
  const refused = await answered(council, give(council, { do: 'pin', what: id }));
  expect(textOf(refused)).toContain('Only those who may manage this channel');
  expect(textOf(await asMia({ do: 'pin', what: id }))).toContain('· pinned');
  await askedAndAnswered(council, 'Ben: is it cold?', 2);
  const prompt = JSON.stringify(models.sage({ key: 'ben' }).requests.at(-1)?.messages);
  expect(prompt).toContain('first what is kept in view here');
  expect(prompt).toContain('when do we dredge?');
  const preview = await asMia({ do: 'forget', what: 'channel' });
  expect(preview.onlyFor).toBe(mia.id);
  expect(textOf(preview)).toContain(
    '2 questions, 2 answers, 0 summaries made of them, in 2 threads',
  );
  const button = idWith(preview, 'memory forget channel --confirm');
  const done = await answered(council, discord.pressButton(mia, preview, button));
  expect(textOf(done)).toContain('Forgotten: 2 questions, 2 answers');
  expect(done.onlyFor).toBe(mia.id);
  expect(textOf(await asMia({}))).toContain('Nothing is remembered in this channel yet.');
  const scope = { threadId: `discord:${guild.id}:${channel.id}:x`, reach: 'channel' } as const;
  expect((await bot.store.memories.read(scope, { limit: 9 })).messages).toEqual([]);
  expect(discord.violations.all).toEqual([]);
});

test('anyone who presses another’s button may do no more than themselves', async () => {
  await using council = await startCouncil(scriptedModels({ sages: { ben: [answer('In May.')] } }));
  const { discord, guild, channel } = council;
  const mia = discord.addMember(guild, 'Mia', ['Administrator']);
  const eve = discord.addMember(guild, 'Eve');
  await askedAndAnswered(council, 'Ben: when do we dredge?', 1);
  const preview = await answered(council, give(council, { do: 'forget', what: 'channel' }, mia));
  const button = idWith(preview, 'memory forget channel');
  const [card] = discord.messages(channel.id);
  if (!card) throw new Error('There is no card.');
  expect(() => discord.pressButton(eve, preview, button)).toThrow();
  const confirmed = { do: 'forget', what: 'channel', confirm: true };
  const refused = await answered(council, give(council, confirmed, eve));
  expect(textOf(refused)).toContain('can have all of it forgotten');
  expect(textOf(await answered(council, give(council, {}, eve)))).toContain('In May.');
});

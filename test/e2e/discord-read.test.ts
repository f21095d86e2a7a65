/** A turn in Discord as it is read: nothing stands twice in one place, and nothing is cut that can be whole. */

import { expect, test } from 'vitest';
import {
  answer,
  ranks,
  scriptedModels,
  seating,
  verdict,
  wholeScript,
} from '../council/scripted-council.ts';
import {
  ask,
  type CouncilInDiscord,
  filesOf,
  startCouncil,
  textOf,
} from '../platforms/discord/discord-world.ts';
import { answered, idWith } from '../platforms/discord/private-answers.ts';
import { brokenAnswer } from './broken-answer.ts';
import { question, timesIn } from './said-once.ts';

/** All that the bot shows in a channel or thread, answers of the sages included. */
function shownIn({ discord }: CouncilInDiscord, channelId: string): readonly string[] {
  return discord
    .messages(channelId)
    .filter(({ wire }) => wire.author.bot === true)
    .map(textOf);
}

async function firstThread({ discord, channel, bot }: CouncilInDiscord) {
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const [thread] = discord.threads(channel.id);
  if (!thread) throw new Error('There is no thread.');
  return thread;
}

test('a question that was posted is not quoted, and the channel has the verdict in short', async () => {
  await using council = await startCouncil(scriptedModels(wholeScript));
  const { discord, channel, ada } = council;
  discord.userSays(channel, ada, question, { mentionsBot: true });
  const thread = await firstThread(council);
  expect(timesIn(shownIn(council, channel.id), question)).toBe(0);
  expect(timesIn(shownIn(council, channel.id), 'Rewrite it in parts.')).toBe(1);
  expect(timesIn(shownIn(council, thread.id), 'Rewrite it in parts.')).toBe(1);
  expect(discord.violations.all).toEqual([]);
});

test('a long question of a command is shown in the thread in full, and goes when it is taken back', async () => {
  const long = `${'Consider the engine. '.repeat(150)}Should we rewrite it, and when?`;
  const limits = {
    maxQuestionChars: 6000,
    maxQueuedTurnsPerUser: 5,
    maxQueuedTurnsPerThread: 8,
    overheardPerThreadPerHour: 20,
  };
  const models = scriptedModels({ sages: { ben: [answer('No.')] } });
  await using council = await startCouncil(models, { bot: { limits } });
  const { discord, channel } = council;
  ask(council, long, { sages: 'ben' });
  const thread = await firstThread(council);
  const [whole, said] = shownIn(council, thread.id);
  expect(whole).toContain(long);
  expect(said).toBe('No.');
  expect(shownIn(council, channel.id)[0]).not.toContain('and when?');
  const [card] = discord.messages(channel.id);
  if (!card) throw new Error('There is no card.');
  await council.platform.retract({
    request: {
      turnId: await turnIdOf(council, thread.id),
      question: long,
      askedAt: 1,
      threadId: `discord:${council.guild.id}:${channel.id}:${thread.id}`,
      eventId: card.wire.interaction_metadata?.id ?? '',
      author: { id: council.ada.id, name: 'Ada' },
    },
  });
  expect(shownIn(council, thread.id)).toEqual(['No.']);
  expect(discord.violations.all).toEqual([]);
});

async function turnIdOf({ bot, guild, channel }: CouncilInDiscord, thread: string) {
  const threadId = `discord:${guild.id}:${channel.id}:${thread}`;
  const [turn] = await bot.store.turns.list(threadId, { limit: 1 });
  if (!turn) throw new Error('There is no turn.');
  return turn.turnId;
}

test('equally long answers are shown alike, no matter who sits first', async () => {
  const long = (name: string) => `${name} thinks of it at length. `.repeat(120);
  const texts = ['Ada', 'Ben', 'Cleo', 'Dan'].map(long);
  // Reviewers are shown no more than the beginning.
  const begun = texts.map((text) => text.slice(0, 50));
  const keys = ['ada', 'ben', 'cleo', 'dan'];
  const script = {
    moderator: [seating(keys)],
    sages: Object.fromEntries(keys.map((key, index) => [key, [answer(texts[index] ?? '')]])),
    reviews: Object.fromEntries(keys.map((key) => [key, [ranks(...begun)]])),
    chair: [verdict],
  };
  await using council = await startCouncil(scriptedModels(script));
  const { discord } = council;
  ask(council, question);
  const thread = await firstThread(council);
  const posted = () => discord.messages(thread.id);
  await discord.until(() => posted().some((one) => textOf(one).includes('Verdict')), 'the verdict');
  const files = posted()
    .flatMap((one) => filesOf(discord, one))
    .map(({ name }) => name);
  expect(files.filter((name) => name.endsWith('.md')).toSorted()).toEqual([
    'Ada-Sage.md',
    'Ben-Sage.md',
    'Cleo-Sage.md',
    'Dan-Sage.md',
  ]);
});

test('stop ends a partial answer on a word', async () => {
  const { models, begun } = brokenAnswer();
  await using council = await startCouncil(models);
  const { discord, channel, ada, bot } = council;
  ask(council, question);
  await begun;
  const card = () => discord.messages(channel.id)[0];
  await discord.until(
    () => JSON.stringify(card()?.wire.components).includes('|stop|'),
    'the button',
  );
  const shown = card();
  if (!shown) throw new Error('There is no card.');
  await answered(council, discord.pressButton(ada, shown, idWith(shown, '|stop|')));
  await bot.idle();
  const thread = discord.threads(channel.id)[0]?.id ?? '';
  expect(shownIn(council, thread)[0]).toBe('Rewrite the\n-# Stopped here.');
});

test('times are in the reader’s zone', async () => {
  await using council = await startCouncil(scriptedModels({ sages: { ben: [answer('No.')] } }));
  ask(council, 'Ben: should we?');
  await firstThread(council);
  const given = { user: council.ada, channel: council.channel, command: 'council' };
  const shown = await answered(council, council.discord.slash({ ...given, subcommand: 'memory' }));
  expect(textOf(shown)).toMatch(/<t:\d+/);
});

test('what is wrong with a setting is told in words, none of them a library’s', async () => {
  await using council = await startCouncil(scriptedModels({}));
  const { discord, guild, channel } = council;
  const mia = discord.addMember(guild, 'Mia', ['ManageChannels']);
  const options = { change: 'set depth tomorrow' };
  const where = { user: mia, channel, command: 'council', subcommand: 'config' };
  const told = textOf(await answered(council, discord.slash({ ...where, options })));
  expect(told).toContain('quick');
  expect(told).not.toMatch(/invalid|received|undefined|expected (?:string|number)/i);
});

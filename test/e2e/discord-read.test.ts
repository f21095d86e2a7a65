/** A turn in Discord as it is read: nothing stands twice in one place, and nothing is cut that can be whole. */

import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { CouncilModels } from '../../src/council/council.ts';
import type { ChatModel } from '../../src/models/chat-model.ts';
import {
  answer,
  ranks,
  type Script,
  scriptedModels,
  seating,
  verdict,
  wholeScript,
} from '../council/scripted-council.ts';
import { hang } from '../fakes/scripted-model.ts';
import {
  ask,
  type CouncilInDiscord,
  filesOf,
  startCouncil,
  textOf,
} from '../platforms/discord/discord-world.ts';
import { answered, idWith } from '../platforms/discord/private-answers.ts';

const question = 'Should we rewrite the engine?';

/** All that the bot shows in a channel or thread, answers of the sages included. */
function shownIn({ discord }: CouncilInDiscord, channelId: string): readonly string[] {
  return discord
    .messages(channelId)
    .filter(({ wire }) => wire.author.bot === true)
    .map(textOf);
}

const timesIn = (texts: readonly string[], text: string) => texts.join('\n').split(text).length - 1;

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

test('in a follow-up and in a direct message the verdict stands once, and the card leads to it', async () => {
  const twice = (lines: Script['reviews']) =>
    Object.fromEntries(Object.entries(lines ?? {}).map(([key, said]) => [key, [...said, ...said]]));
  const { moderator = [], sages, reviews } = wholeScript;
  const script = {
    ...{ moderator: [...moderator, ...moderator], chair: [verdict, verdict] },
    ...{ sages: twice(sages), reviews: twice(reviews) },
  };
  await using council = await startCouncil(scriptedModels(script));
  const { discord, ada, bot } = council;
  ask(council, 'Ben: and you?', { sages: 'ada, ben, cleo, dan' });
  const thread = await firstThread(council);
  const before = discord.messages(thread.id).length;
  discord.userSays(thread, ada, question, { mentionsBot: true });
  await discord.until(() => discord.messages(thread.id).length > before + 5, 'the follow-up');
  await bot.idle();
  const followUp = discord
    .messages(thread.id)
    .slice(before + 1)
    .map(textOf);
  expect(timesIn(followUp, question)).toBe(0);
  expect(timesIn(followUp, 'Rewrite it in parts.')).toBe(1);
  expect(followUp[0]).toContain('The council has answered.');
  expect(followUp[0]).toContain('Read the verdict');
  expect(discord.violations.all).toEqual([]);
});

test('a long question of a command is shown in the thread in full, and goes when it is taken back', async () => {
  const long = `${'Consider the engine. '.repeat(150)}Should we rewrite it, and when?`;
  const limits = {
    ...{ maxQuestionChars: 6000, maxQueuedTurnsPerUser: 5, maxQueuedTurnsPerThread: 8 },
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
      ...{ turnId: await turnIdOf(council, thread.id), question: long, askedAt: 1 },
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

test('equally long answers are shown alike, whoever sits first', async () => {
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
  const files = posted().flatMap((one) => filesOf(discord, one));
  expect(files.map(({ name }) => name).toSorted()).toEqual([
    'Ada-Sage.md',
    'Ben-Sage.md',
    'Cleo-Sage.md',
    'Dan-Sage.md',
  ]);
});

test('stop ends a partial answer on a word', async () => {
  const scripted = scriptedModels({ moderator: [seating(['ada', 'ben'])], sages: { ben: [hang] } });
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const breaking: ChatModel = {
    id: 'test:sage-ada',
    complete: async () => {
      throw new Error('It is asked for a stream alone.');
    },
    async *stream({ signal }) {
      yield { type: 'text', text: '{"answer": "Rewrite the eng' };
      resolve();
      await once(signal, 'abort');
      signal.throwIfAborted();
    },
  };
  const sage: CouncilModels['sage'] = (one) => (one.key === 'ada' ? breaking : scripted.sage(one));
  await using council = await startCouncil({ ...scripted, sage });
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

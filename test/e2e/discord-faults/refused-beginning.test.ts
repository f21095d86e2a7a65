/** What Discord refuses at the beginning of a turn is told, and costs nothing. */

import { expect, test } from 'vitest';
import { english } from '../../../src/domain/languages/english.ts';
import { fileSettings } from '../../bot/bot-fixture.ts';
import { answer, scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import {
  ask,
  type CouncilInDiscord,
  startCouncil,
  textOf,
} from '../../platforms/discord/discord-world.ts';
import { routes } from './whole-turn.ts';

const models = () => scriptedModels({ sages: { ben: [answer('No.')] } });

/** How the only turn of the channel ended. */
async function endOf({ bot, guild, channel }: CouncilInDiscord, thread: string): Promise<unknown> {
  const threadId = `discord:${guild.id}:${channel.id}:${thread}`;
  const [header] = await bot.store.turns.list(threadId, { limit: 1 });
  const record = header && (await bot.store.turns.read(header));
  return [record?.outcome, JSON.stringify(record?.steps)];
}

function privately({ discord, ada }: CouncilInDiscord): readonly string[] {
  return discord.messages(discord.directMessages(ada).id).map(textOf);
}

test.each([
  { how: 'a message that mentions the bot', isMention: true },
  { how: 'a card', isMention: false },
])('no model is asked when no thread can be opened on $how', async ({ isMention }) => {
  const silent = models();
  await using council = await startCouncil(silent);
  const { discord, channel, ada, bot } = council;
  discord.faults.failNext(routes.thread, { kind: 'status', status: 400 });
  if (isMention) discord.userSays(channel, ada, 'Ben: should we?', { mentionsBot: true });
  else ask(council, 'Ben: should we?');
  const told = () =>
    discord
      .messages(channel.id)
      .some((one) => textOf(one).includes('The answers can’t be shown there'));
  await discord.until(told, 'word of it');
  await bot.idle();
  expect(silent.sage({ key: 'ben' }).requests).toEqual([]);
  expect(privately(council)).toEqual([]);
  const [opened] = discord.messages(channel.id);
  expect(await endOf(council, opened?.wire.id ?? '')).toEqual([
    'failed',
    expect.stringContaining('can’t be shown there. Discord refused'),
  ]);
  expect(council.lines.join('\n')).toContain(
    'a turn can’t be shown; it ends before any model is paid',
  );
});

test.each([
  { how: 'a message that mentions the bot', isMention: true },
  { how: 'a command', isMention: false },
])(
  'where the server has as many threads as it may, $how is told what to do, and can be asked again',
  async ({ isMention }) => {
    const script = models();
    await using council = await startCouncil(script);
    const { discord, guild, channel, ada, bot } = council;
    const other = discord.userOpensThread(channel, ada, 'Falcon');
    discord.limitThreads(guild, 1);
    const askBen = () =>
      isMention
        ? discord.userSays(channel, ada, 'Ben: should we?', { mentionsBot: true })
        : ask(council, 'Ben: should we?');
    const told = () => discord.messages(channel.id).map(textOf).join('\n');
    askBen();
    await discord.until(() => told().includes('The answers can’t be shown there'), 'word of it');
    await bot.idle();
    expect(told()).toContain('as many open threads as Discord allows. Close one');
    expect(script.sage({ key: 'ben' }).requests).toEqual([]);
    discord.archiveThread(other);
    askBen();
    await discord.until(() => discord.threads(channel.id).length === 2, 'the thread');
    await bot.idle();
    expect(script.unsaid()).toBe(0);
    expect(discord.violations.all).toEqual([]);
  },
);

test('who asked is told in private when nothing can be said where they asked', async () => {
  const silent = models();
  await using council = await startCouncil(silent);
  const { discord, channel, ada, bot } = council;
  discord.faults.failNext(routes.thread, { kind: 'status', status: 400 });
  discord.faults.failNext(routes.botPost, { kind: 'status', status: 403 });
  discord.userSays(channel, ada, 'Ben: should we?', { mentionsBot: true });
  await discord.until(() => privately(council).length > 0, 'word of it');
  await bot.idle();
  expect(privately(council)).toEqual([expect.stringContaining('The answers can’t be shown there')]);
  expect(silent.sage({ key: 'ben' }).requests).toEqual([]);
});

test('a turn whose card is refused in a thread ends before it costs, and holds up nothing', async () => {
  const script = scriptedModels({ sages: { ben: [answer('No.'), answer('Still no.')] } });
  await using council = await startCouncil(script);
  const { discord, channel, ada, bot } = council;
  discord.userSays(channel, ada, 'Ben: should we?', { mentionsBot: true });
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const [thread] = discord.threads(channel.id);
  if (!thread) throw new Error('There is no thread.');
  discord.faults.failNext(routes.botPost, { kind: 'status', status: 403 }, 2);
  discord.userSays(thread, ada, 'Ben: and now?', { mentionsBot: true });
  await discord.until(() => privately(council).length > 0, 'word of it');
  await bot.idle();
  expect(script.sage({ key: 'ben' }).requests).toHaveLength(1);
  discord.userSays(thread, ada, 'Ben: and now?', { mentionsBot: true });
  await bot.idle();
  await expect.poll(() => script.unsaid()).toBe(0);
});

test('a ranking and a verdict that are refused as they are are said plainly', async () => {
  await using council = await startCouncil(scriptedModels(wholeScript));
  const { discord, channel, bot } = council;
  ask(council, 'Should we rewrite the engine?');
  await discord.until(
    () => discord.calls.filter(({ route }) => route === routes.webhookPost).length >= 4,
    'the answers',
  );
  discord.faults.failNext(routes.botPost, { kind: 'status', status: 400 }, 1);
  await bot.idle();
  const [thread] = discord.threads(channel.id);
  const shown = discord
    .messages(thread?.id ?? '')
    .map(textOf)
    .join('\n');
  expect(shown).toContain('Rewrite it in parts.');
  expect(shown).toContain('Ranking');
  expect(council.lines.join('\n')).toContain('it is sent in a plainer form');
});

test('a card that is taken only as text tells the end as text, and is emptied so', async () => {
  const script = scriptedModels({ sages: { ben: [answer('No.'), answer('Still no.')] } });
  await using council = await startCouncil(script, {
    bot: { settings: { ...fileSettings, forgetDeleted: true } },
  });
  const { discord, channel, ada, bot } = council;
  const asked = discord.userSays(channel, ada, 'Ben: should we?', { mentionsBot: true });
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const thread = discord.threads(channel.id)[0] ?? expect.unreachable();
  expect(asked.wire.id).toBe(thread.id);
  discord.faults.failNext(routes.botPost, { kind: 'status', status: 400 });
  const before = discord.calls.length;
  const next = discord.userSays(thread, ada, 'Ben: and now?', { mentionsBot: true });
  const card = () =>
    discord
      .messages(thread.id)
      .find(({ wire }) => wire.author.bot === true && wire.id > next.wire.id);
  await discord.until(() => card()?.wire.content.includes('1 of 1 answered') === true, 'the end');
  await bot.idle();
  const edits = discord.calls.slice(before).filter(({ route }) => route === routes.cardEdit);
  expect(edits.map(({ status }) => status)).toEqual(edits.map(() => 200));
  expect(JSON.stringify(edits.map(({ body }) => body))).not.toContain('"components":[{');
  discord.deleteMessage(next);
  await discord.until(() => card()?.wire.content === english.withdrawn, 'the emptied card');
});

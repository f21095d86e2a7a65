/** What people say while no event comes in, and the gateway does not tell again. */

import { expect, test } from 'vitest';
import { listenedRecords } from '../../../src/app/platforms.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import { startWorld } from '../../fakes/discord/connected-client.ts';
import { type CouncilInDiscord, joinWorld } from '../../platforms/discord/discord-world.ts';

const minuteMs = 60_000;
const answerWithinMs = 30 * minuteMs;

/** Joins as often as the test wants, each time with all that was stored. */
async function startAgain() {
  const world = await startWorld();
  const store = openSqliteStore({ path: ':memory:' });
  const listened = listenedRecords('discord', store.settings, Date.now);
  const models = scriptedModels({ sages: { ben: Array.from({ length: 9 }, () => answer('No.')) } });
  const join = (now = Date.now) =>
    joinWorld(world, models, { now, store, missed: { listened, answerWithinMs } });
  return { ...world, models, listened, join };
}

async function checked({ bot, lines }: CouncilInDiscord): Promise<void> {
  await expect.poll(() => lines.join('\n')).toContain('were checked for missed messages');
  await bot.idle();
}

function questions({ models }: Awaited<ReturnType<typeof startAgain>>): readonly string[] {
  return models
    .sage({ key: 'ben' })
    .requests.map(({ messages }) => JSON.stringify(messages.at(-1)));
}

test('what was said to the council while it was away is answered, once, and nothing else', async () => {
  await using world = await startAgain();
  const { discord, channel, ada, guild, join } = world;
  const first = await join();
  expect(first.lines.join('\n')).not.toContain('missed');
  discord.userSays(channel, ada, 'Ben: and before?', { mentionsBot: true });
  await expect.poll(() => questions(world).length).toBe(1);
  await first.bot.idle();
  await first.bot.shutDown();
  const thread = discord.userOpensThread(discord.addChannel(guild, 'engines'), ada, 'Engines');
  discord.userSays(channel, ada, 'Ben: what now?', { mentionsBot: true });
  discord.userSays(thread, ada, 'Ben: in a thread?', { mentionsBot: true });
  discord.userSays(channel, ada, 'Ben: who takes the minutes?');
  discord.userSays(channel, ada, 'stop', { mentionsBot: true });

  const second = await join();
  await checked(second);
  expect(questions(world)).toHaveLength(3);
  expect(questions(world).join()).toMatch(/what now.*in a thread|in a thread.*what now/s);
  await second.bot.shutDown();
  await using third = await join();
  await checked(third);
  expect(questions(world)).toHaveLength(3);
  // A card for each question there, and nothing for the stop.
  expect(discord.messages(channel.id).filter(({ wire }) => wire.author.bot)).toHaveLength(2);
});

test('a missed question is answered in the thread that someone has opened on it meanwhile', async () => {
  await using world = await startAgain();
  const { discord, channel, ada, join } = world;
  const first = await join();
  await first.bot.shutDown();
  const asked = discord.userSays(channel, ada, 'Ben: what now?', { mentionsBot: true });
  const thread = discord.userOpensThread(channel, ada, 'What now', { on: asked });
  await using second = await join();
  await checked(second);
  expect(discord.messages(thread.id).map(({ wire }) => wire.content)).toContain('No.');
});

test('channels that the bot may not read are not asked for', async () => {
  await using world = await startAgain();
  const { discord, channel, ada, guild, join } = world;
  const hidden = discord.addChannel(guild, 'hidden');
  const first = await join();
  await first.bot.shutDown();
  discord.userSays(channel, ada, 'Ben: what now?', { mentionsBot: true });
  discord.userSays(hidden, ada, 'Ben: and here?', { mentionsBot: true });
  discord.revokePermissions(hidden, 'ViewChannel');
  await using second = await join();
  await checked(second);
  expect(questions(world)).toHaveLength(1);
  expect(second.lines.filter((line) => line.startsWith('warn') && line.includes('missed'))).toEqual(
    [],
  );
});

test('what was handled shortly before a crash is not said again', async () => {
  await using world = await startAgain();
  const { discord, channel, ada, listened, join } = world;
  const helps = () => discord.messages(channel.id).filter(({ wire }) => wire.author.bot);
  const first = await join();
  discord.userSays(channel, ada, 'help', { mentionsBot: true });
  await discord.until(() => helps().length === 1, 'the help');
  await first.bot.shutDown();
  await listened.write(discord.applicationId, Date.now() - minuteMs);
  await using second = await join();
  await checked(second);
  expect(helps()).toHaveLength(1);
});

test('what was said too long ago is left', async () => {
  await using world = await startAgain();
  const { discord, channel, ada, join } = world;
  const first = await join();
  await first.bot.shutDown();
  discord.userSays(channel, ada, 'Ben: what now?', { mentionsBot: true });
  await using second = await join(() => Date.now() + answerWithinMs + 5 * minuteMs);
  await checked(second);
  expect(questions(world)).toEqual([]);
});

test('what was said while a session could not be resumed is answered', async () => {
  await using world = await startAgain();
  const { discord, channel, ada, join } = world;
  await using council = await join();
  discord.gateway.invalidateSessions(false);
  discord.userSays(channel, ada, 'Ben: what now?', { mentionsBot: true });
  await expect.poll(() => questions(world).length).toBe(1);
  await council.bot.idle();
});

test('what was said while the process was halted is answered, though it ended before it noticed', async () => {
  await using world = await startAgain();
  const { discord, channel, ada, join } = world;
  let ahead = 0;
  const now = () => Date.now() + ahead;
  const first = await join(now);
  discord.gateway.freezeConnections();
  discord.userSays(channel, ada, 'Ben: what now?', { mentionsBot: true });
  ahead = 10 * minuteMs;
  await first.bot.shutDown();
  await using second = await join(now);
  await checked(second);
  expect(questions(world)).toHaveLength(1);
});

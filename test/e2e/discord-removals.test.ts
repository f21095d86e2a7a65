/** What follows when the bot is taken out of a server of Discord. */

import { expect, test } from 'vitest';
import { keptAfterDepartureMs } from '../../src/bot/leaving/leaving.ts';
import { silentLog } from '../../src/domain/log.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { forgettingIn } from '../bot/bot-fixture.ts';
import { scriptedModels } from '../council/scripted-council.ts';
import { startWorld } from '../fakes/discord/connected-client.ts';
import { shardOf } from '../fakes/discord/world/snowflakes.ts';
import { hang } from '../fakes/scripted-model.ts';
import {
  type CouncilInDiscord,
  joinWorld,
  recordingLog,
  startCouncil,
} from '../platforms/discord/discord-world.ts';
import { benSays, mention, remembered } from './remembering-guild.ts';

/** Goes on in the background, as a process does, with the real Discord platform to ask. */
async function resume({ bot, platform }: CouncilInDiscord, now: number): Promise<void> {
  const isMember = (workspace: string) => platform.isIn(workspace.split(':')[1] ?? '');
  const { signal } = new AbortController();
  await forgettingIn(bot.store, { now: () => now, isMember }).resume(signal);
}

const soon = () => Date.now() + keptAfterDepartureMs / 2;
const later = () => Date.now() + keptAfterDepartureMs + 60_000;

test('a server that the bot was taken out of is forgotten a day later, and no other server', async () => {
  await using council = await startCouncil(benSays('In May.', 'In June.'));
  const { discord, guild, ada } = council;
  const other = discord.addGuild();
  discord.addMember(other, ada);
  await mention(council, 'Ben: when do we dredge?');
  await mention(council, 'Ben: when do we paint?', discord.addChannel(other, 'general'));
  discord.removeBot(guild);
  await expect.poll(() => departures(council)).toBe(1);
  await resume(council, soon());
  expect(await remembered(council, guild.id)).toContain('In May.');
  await resume(council, later());
  expect(await remembered(council, guild.id)).toBe('[]');
  expect(await remembered(council, other.id)).toContain('In June.');
});

test('a bot that is put back in within the day, or away while Discord is, forgets nothing', async () => {
  await using council = await startCouncil(benSays('In May.'));
  const { discord, guild } = council;
  await mention(council, 'Ben: when do we dredge?');
  discord.removeBot(guild);
  await expect.poll(() => departures(council)).toBe(1);
  discord.addBot(guild);
  discord.faults.failNext('GET /guilds/{guild_id}', { kind: 'status', status: 503 });
  await expect(resume(council, later())).rejects.toThrow();
  expect(await departures(council)).toBe(1);
  await resume(council, later());
  expect(await departures(council)).toBe(0);
  expect(await remembered(council, guild.id)).toContain('In May.');
});

test('a server that is down at Discord’s is not one that was left', async () => {
  await using council = await startCouncil(benSays('In May.', 'Yes.'));
  const { discord, guild, ada } = council;
  await mention(council, 'Ben: when do we dredge?');
  const other = discord.addGuild();
  discord.addMember(other, ada);
  discord.takeDown(guild);
  await mention(council, 'Ben: is anybody there?', discord.addChannel(other, 'general'));
  expect(await departures(council)).toBe(0);
});

test('a turn under way is stopped when the bot is taken out of its server', async () => {
  const models = scriptedModels({ sages: { ben: [hang] } });
  await using council = await startCouncil(models);
  const { discord, guild, channel, ada, bot } = council;
  discord.userSays(channel, ada, `<@${discord.applicationId}> Ben: why?`);
  await expect.poll(() => models.sage({ key: 'ben' }).requests.length).toBe(1);
  discord.removeBot(guild);
  await bot.idle();
  expect(await bot.store.turns.unfinished(9)).toEqual([]);
});

type World = Parameters<typeof joinWorld>[0];

/** Something is said in the guild, and the bot's process ends. */
async function askedBefore(world: World, store: Store): Promise<void> {
  await using council = await joinWorld(world, benSays('In May.'), { store });
  await mention(council, 'Ben: when do we dredge?');
  await expect.poll(() => seen(store)).toContain(world.guild.id);
}

/** Where the bot is known to have been. */
async function seen(store: Store): Promise<readonly string[]> {
  const [kept = {}] = await store.settings.read(['seen:discord']);
  return Object.keys(kept);
}

test('a server that the bot was taken out of while no process ran is forgotten a day later, however often it is started', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  await using world = await startWorld();
  const { discord, guild, ada } = world;
  const other = discord.addGuild();
  discord.addMember(other, ada);
  await askedBefore(world, store);
  discord.removeBot(guild);
  const due = async () => (await store.settings.read(['forgetting:due']))[0];
  {
    await using council = await joinWorld(world, benSays('In June.'), { store });
    await mention(council, 'Ben: when do we paint?', discord.addChannel(other, 'general'));
    await expect.poll(() => departures(council)).toBe(1);
  }
  const first = await due();
  await using council = await joinWorld(world, benSays('Yes.'), { store });
  await mention(council, 'Ben: are you here?', discord.addChannel(other, 'harbour'));
  expect(await due()).toEqual(first);
  await resume(council, soon());
  expect(await remembered(council, guild.id)).toContain('In May.');
  await resume(council, later());
  expect(await remembered(council, guild.id)).toBe('[]');
  expect(await remembered(council, other.id)).toContain('In June.');
  expect(await seen(store)).toEqual([other.id]);
});

test('a server that adds the bot while it runs, and takes it out while it does not, is forgotten as well', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  await using world = await startWorld();
  const { discord, guild } = world;
  const late = discord.addGuild();
  discord.removeBot(late);
  {
    await using council = await joinWorld(world, benSays(), { store });
    await expect.poll(() => seen(store)).toEqual([guild.id]);
    discord.addBot(late);
    await expect.poll(() => seen(store)).toEqual(expect.arrayContaining([late.id]));
    expect(await departures(council)).toBe(0);
  }
  discord.removeBot(late);
  await using council = await joinWorld(world, benSays(), { store });
  await expect.poll(() => departures(council)).toBe(1);
});

test('a server that the bot was taken out of while its connection was lost is found at the next one', async () => {
  await using council = await startCouncil(benSays('In May.'));
  const { discord, guild } = council;
  await mention(council, 'Ben: when do we dredge?');
  await expect.poll(() => seen(council.bot.store)).toEqual([guild.id]);
  discord.gateway.invalidateSessions(false);
  discord.removeBot(guild);
  await expect.poll(() => departures(council)).toBe(1);
});

test('no server is taken for left for being down, of another shard, or on another platform', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  await using world = await startWorld({ shards: 3 });
  const { discord, guild, ada } = world;
  const guilds = [guild];
  while (new Set(guilds.map(({ id }) => shardOf(id, 3))).size < 3) {
    discord.clock.advance(1);
    guilds.push(discord.addGuild());
  }
  await askedBefore(world, store);
  await expect.poll(() => seen(store)).toHaveLength(guilds.length);
  discord.takeDown(guild);
  const by = { setBy: 'seen', setAt: Date.now() };
  await store.settings.write('seen:slack', { [discord.applicationId]: discord.applicationId }, by);
  await using council = await joinWorld(world, benSays('Yes.'), { store });
  const there = guilds.at(-1) ?? guild;
  discord.addMember(there, ada);
  await mention(council, 'Ben: are you here?', discord.addChannel(there, 'general'));
  expect(await departures(council)).toBe(0);
  expect(await seen(store)).toHaveLength(guilds.length);
});

test('with the token of another bot nothing is forgotten, the log says so, and the first one still knows its own', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  await using world = await startWorld();
  await askedBefore(world, store);
  await using elsewhere = await startWorld();
  expect(elsewhere.discord.applicationId).not.toBe(world.discord.applicationId);
  {
    const { log, lines } = recordingLog();
    const bot = { log: { ...log, child: () => silentLog } };
    await using council = await joinWorld(elsewhere, benSays('Yes.'), { store, bot });
    await mention(council, 'Ben: are you here?');
    expect(lines.join()).toContain('only another bot was in some workspaces');
    await resume(council, later());
    expect(await departures(council)).toBe(0);
    expect(await remembered(council, world.guild.id)).toContain('In May.');
  }
  world.discord.removeBot(world.guild);
  await using council = await joinWorld(world, benSays(), { store });
  await expect.poll(() => departures(council)).toBe(1);
});

async function departures({ bot }: CouncilInDiscord): Promise<number> {
  const [kept = {}] = await bot.store.settings.read(['forgetting:due']);
  return Object.keys(kept).length;
}

/** A question in Discord whose message is deleted: nothing more is posted, and what shows it is emptied. */

import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../src/domain/log.ts';
import { openShared } from '../../src/queue/bullmq.ts';
import { openRedisStore } from '../../src/store/redis.ts';
import { answer, scriptedModels, wholeScript } from '../council/scripted-council.ts';
import { startWorld } from '../fakes/discord/connected-client.ts';
import { startRedisServer } from '../fakes/redis-server.ts';
import { hang } from '../fakes/scripted-model.ts';
import {
  ask,
  type CouncilInDiscord,
  joinWorld,
  startCouncil,
  textOf,
} from '../platforms/discord/discord-world.ts';
import { answered, idWith } from '../platforms/discord/private-answers.ts';
import { quoted, stages } from '../platforms/stages.ts';
import { benSays, forgetting, mention, remembered } from './remembering-guild.ts';

/** All that can be read of the channel: its messages and those of its threads, and the threads' titles. */
function readable({ discord, channel }: CouncilInDiscord): readonly string[] {
  const threads = discord.threads(channel.id);
  const places = [channel.id, ...threads.map(({ id }) => id)];
  return [
    ...threads.map(({ name }) => name ?? ''),
    ...places.flatMap((id) => discord.messages(id).map((one) => textOf(one).trim())),
  ];
}

test.each([
  ...[
    { stage: 'while it is seated', posts: 0 },
    { stage: 'while it is answered', posts: 1 },
  ],
  { stage: 'while it is reviewed', posts: 2 },
  // The answers and their ranking; then the verdict.
  { stage: 'while the verdict is written', posts: 3 },
  { stage: 'after it has ended', posts: 4 },
] as const)(
  '$stage, nothing more of it is posted, and what shows it is emptied',
  async ({ stage, posts }) => {
    const { models, held, inFlight } = stages[stage]();
    await using council = await startCouncil(models, { bot: forgetting });
    const { discord, guild, channel, ada, bot } = council;
    const said = discord.userSays(channel, ada, `<@${discord.applicationId}> Which ${quoted}?`);
    await held();
    // The message itself and the title.
    await expect.poll(() => readable(council).filter((one) => one.includes(quoted)).length).toBe(2);
    await expect.poll(() => readable(council).length).toBe(3 + posts);
    if (stage === 'after it has ended') await bot.idle();
    discord.deleteMessage(said);
    await bot.idle();
    await expect.poll(() => remembered(council, guild.id)).toBe('[]');
    await expect.poll(() => readable(council).join('\n')).not.toContain(quoted);
    expect(readable(council)).toHaveLength(2 + posts);
    expect(readable(council)).toContain('This question was withdrawn.');
    await expect
      .poll(() => discord.threads(channel.id).map(({ name, isArchived }) => [name, isArchived]))
      .toEqual([['A question', true]]);
    for (const { signal } of inFlight()) expect(signal.aborted).toBe(true);
    expect(await bot.store.turns.unfinished(9)).toEqual([]);
    expect(discord.violations.all).toEqual([]);
  },
);

test.each([
  { what: 'people talk', isAsked: false },
  { what: 'people talk, and the bot may not read it', isAsked: false, isHidden: true },
  { what: 'another was asked by command', isAsked: true },
])('its thread stays open where $what', async ({ isAsked, isHidden }) => {
  await using council = await startCouncil(benSays('In May.', 'Red ones.'), { bot: forgetting });
  const { discord, channel, ada, bot } = council;
  const said = await mention(council, `Ben: which ${quoted}?`);
  const [thread = expect.unreachable()] = discord.threads(channel.id);
  const command = { user: ada, channel: thread, command: 'council', subcommand: 'ask' };
  if (isAsked) discord.slash({ ...command, options: { question: 'Ben: which roses?' } });
  else discord.userSays(thread, ada, 'I prefer roses.');
  await expect.poll(() => readable(council).join('\n')).toContain('roses');
  await bot.idle();
  if (isHidden) discord.revokePermissions(channel, 'ReadMessageHistory');
  discord.deleteMessage(said);
  await expect.poll(() => readable(council).join('\n')).not.toContain(quoted);
  expect(discord.threads(channel.id)).toMatchObject([{ name: 'A question', isArchived: false }]);
  expect(readable(council).join('\n')).toContain('roses');
});

test('while it waits behind another, it is never shown', async () => {
  const { promise: said, resolve: say } = Promise.withResolvers<string>();
  const models = scriptedModels({ sages: { ben: [() => said] } });
  await using council = await startCouncil(models, { bot: forgetting });
  const { discord, guild, channel, ada, bot } = council;
  discord.userSays(channel, ada, `<@${discord.applicationId}> Ben: when?`);
  await expect.poll(() => models.sage({ key: 'ben' }).requests.length).toBe(1);
  await expect.poll(() => discord.threads(channel.id).length).toBe(1);
  const [thread] = discord.threads(channel.id);
  if (!thread) throw new Error('There is no thread.');
  const second = discord.userSays(thread, ada, `<@${discord.applicationId}> Ben: ${quoted}?`);
  await expect.poll(() => remembered(council, guild.id)).toContain(quoted);
  discord.deleteMessage(second);
  await expect.poll(() => remembered(council, guild.id)).not.toContain(quoted);
  say(answer('In May.'));
  await bot.idle();
  expect(readable(council).join('\n')).not.toContain(quoted);
  expect(readable(council).join('\n')).toContain('In May.');
});

test('which was asked by command goes with its card, and its thread is called something else', async () => {
  const models = scriptedModels({ sages: { ben: [hang] } });
  await using council = await startCouncil(models, { bot: forgetting });
  const { discord, channel, bot } = council;
  ask(council, `Ben: which ${quoted}?`);
  await expect.poll(() => models.sage({ key: 'ben' }).requests.length).toBe(1);
  const [card] = discord.messages(channel.id);
  if (!card) throw new Error('There is no card.');
  discord.deleteMessage(card);
  await bot.idle();
  await expect.poll(() => readable(council).join('\n')).not.toContain(quoted);
});

test.each(['in its thread', 'posted to the channel'])(
  'leaves nothing of what another question had read of its verdict %s',
  async (where) => {
    const models = scriptedModels({
      ...wholeScript,
      sages: { ...wholeScript.sages, ben: [answer('Ben says no.'), answer('So be it.')] },
    });
    await using council = await startCouncil(models, { bot: forgetting });
    const { discord, guild, channel, ada, bot } = council;
    const said = discord.userSays(channel, ada, `<@${discord.applicationId}> Which engine?`);
    await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
    await bot.idle();
    const thread = discord.threads(channel.id)[0]?.id ?? '';
    const shown = discord.messages(thread).find((one) => textOf(one).includes('## Verdict'));
    if (!shown) throw new Error('There is no verdict.');
    await answered(council, discord.pressButton(ada, shown, idWith(shown, '|post|')));
    const isApart = where === 'posted to the channel';
    const read = isApart ? discord.messages(channel.id).at(-1) : shown;
    if (!read) throw new Error('Nothing was posted.');
    const chosen = discord.messageCommand(
      discord.addMember(guild, 'Otto'),
      'Ask the council',
      read,
    );
    await discord.until(() => chosen.acknowledgement?.kind === 'modal', 'the modal');
    discord.submitModal(chosen, { question: 'Ben: is that so?' });
    await discord.until(() => models.unsaid() === 0, 'the second answer');
    await bot.idle();
    const threads = discord.threads(channel.id);
    const kept = async () => {
      const turns = await Promise.all(
        threads.map(({ id }) =>
          bot.store.turns.list(`discord:${guild.id}:${channel.id}:${id}`, { limit: 9 }),
        ),
      );
      return JSON.stringify(
        await Promise.all(turns.flat().map((turn) => bot.store.turns.read(turn))),
      );
    };
    expect((await kept()).split('Rewrite it in parts.').length).toBeGreaterThan(2);
    discord.deleteMessage(said);
    await expect.poll(kept).not.toContain('Rewrite it in parts.');
    expect(await kept()).toContain('So be it.');
  },
);

test('whose thread is deleted leaves nothing on the card that it hung on', async () => {
  await using council = await startCouncil(benSays('In May.'), { bot: forgetting });
  const { discord, channel, bot } = council;
  ask(council, `Ben: which ${quoted}?`);
  await expect.poll(() => discord.threads(channel.id).length).toBe(1);
  await bot.idle();
  for (const thread of discord.threads(channel.id)) discord.deleteThread(thread);
  await expect.poll(() => readable(council).join('\n')).not.toContain(quoted);
});

test('of which the others stay, loses its own card alone', async () => {
  await using council = await startCouncil(benSays('In May.', 'In June.'), { bot: forgetting });
  const { discord } = council;
  const first = await mention(council, `Ben: which ${quoted}?`);
  await mention(council, 'Ben: which roses?');
  discord.deleteMessage(first);
  await expect.poll(() => readable(council).join('\n')).not.toContain(quoted);
  expect(readable(council).filter((one) => one.includes('roses'))).toHaveLength(2);
});

test('while an answer waits for the limits, that answer is not posted any more', async () => {
  const slow = { of: ['webhook_post'], per: 'webhook', calls: 1, windowMs: 3000 } as const;
  const limits = { calls: [{ ...slow, basis: 'observed' }], editGapMs: 20 } as const;
  const { models, held } = stages['while it is reviewed']();
  await using council = await startCouncil(models, { limits, bot: forgetting });
  const { discord, channel, ada, bot } = council;
  const said = discord.userSays(channel, ada, `<@${discord.applicationId}> Which ${quoted}?`);
  await held();
  await expect.poll(() => readable(council).length).toBe(4);
  discord.deleteMessage(said);
  await bot.idle();
  await expect.poll(() => readable(council).join('\n')).not.toContain(quoted);
  expect(readable(council)).toHaveLength(3);
});

test('of which another process hears than the one that answers it, ends there', async () => {
  const server = await startRedisServer();
  onTestFinished(() => server.remove());
  await using world = await startWorld();
  const models = scriptedModels({ sages: { ben: [hang] } });
  const open = async (role: 'gateway' | 'worker') => {
    const store = await openRedisStore({ url: server.url });
    const shared = await openShared({
      url: server.url,
      name: 'the test server',
      concurrency: 4,
      tries: 1,
      log: silentLog,
      unfinished: async () => [],
    });
    const { queue, quotas, stops } = shared;
    const bot = { ...forgetting, role, queue, quotas, stops };
    const council = await joinWorld(world, models, { bot, store });
    onTestFinished(async () => {
      await council.bot.shutDown();
      await shared.close();
      await store.close();
    });
    return { council, queue };
  };
  const { council } = await open('gateway');
  const { queue } = await open('worker');
  const { discord, guild, channel, ada } = council;
  const said = discord.userSays(channel, ada, `<@${discord.applicationId}> Ben: which ${quoted}?`);
  await expect.poll(() => models.sage({ key: 'ben' }).requests.length).toBe(1);
  await expect.poll(() => readable(council).length).toBe(3);
  discord.deleteMessage(said);
  await queue.idle();
  expect(models.sage({ key: 'ben' }).requests[0]?.signal.aborted).toBe(true);
  await expect.poll(() => remembered(council, guild.id)).toBe('[]');
  await expect.poll(() => readable(council).join('\n')).not.toContain(quoted);
  expect(readable(council)).toHaveLength(2);
});

test('where a turn is resumed after a death, it is not shown again', async () => {
  await using world = await startWorld();
  const first = scriptedModels({ sages: { ben: [hang] } });
  const before = await joinWorld(world, first, { bot: forgetting });
  const { discord, channel, ada } = before;
  const said = discord.userSays(channel, ada, `<@${discord.applicationId}> Ben: which ${quoted}?`);
  await expect.poll(() => first.sage({ key: 'ben' }).requests.length).toBe(1);
  await expect.poll(() => readable(before).filter((one) => one.includes(quoted)).length).toBe(2);
  const { store } = before.bot;
  await before.bot.shutDown();
  const again = scriptedModels({ sages: { ben: [hang] } });
  await using council = await joinWorld(world, again, { bot: forgetting, store });
  await expect.poll(() => again.sage({ key: 'ben' }).requests.length).toBe(1);
  discord.deleteMessage(said);
  await council.bot.idle();
  await expect.poll(() => readable(council).join('\n')).not.toContain(quoted);
  expect(again.sage({ key: 'ben' }).requests[0]?.signal.aborted).toBe(true);
});

import { expect, test } from 'vitest';
import { discordLimits } from '../../src/platforms/discord/rest/request-budget.ts';
import { answer, type Script, scriptedModels, wholeScript } from '../council/scripted-council.ts';
import { hang } from '../fakes/scripted-model.ts';
import {
  ask,
  type CouncilInDiscord,
  startCouncil,
  textOf,
} from '../platforms/discord/discord-world.ts';

const toBen: Script = { sages: { ben: [answer('No.')] } };
/** Pacing is tested elsewhere. */
const unhurried = { calls: [], editGapMs: 20 };
const webhookPost = 'POST /webhooks/{webhook_id}/{webhook_token}';
const botPost = 'POST /channels/{channel_id}/messages';

/** Waits until all that was asked is shown, and gives the texts of the thread. */
async function thread({ discord, channel, bot }: CouncilInDiscord): Promise<readonly string[]> {
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  return discord
    .messages(discord.threads(channel.id)[0]?.id ?? '')
    .map((one) => textOf(one).trim());
}

function card({ discord, channel }: CouncilInDiscord): string {
  const [first] = discord.messages(channel.id);
  return first ? textOf(first) : '';
}

test('where webhooks are not permitted the sages speak through the bot, and a manager is told once', async () => {
  await using council = await startCouncil(scriptedModels(wholeScript), {
    before: ({ discord, channel }) => discord.revokePermissions(channel, 'ManageWebhooks'),
    // The bot alone would say all of it at the pace of one.
    limits: unhurried,
  });
  const { discord, guild, channel } = council;
  ask(council, 'Should we rewrite the engine?');
  const said = await thread(council);
  expect(said).toContain('**Ben Sage**\nBen says no.');
  expect(said).toHaveLength(6);
  expect(card(council)).toContain('lacks the permission Manage Webhooks');
  const manager = discord.addMember(guild, 'Mia', ['ManageChannels']);
  const look = { user: manager, channel, command: 'council', subcommand: 'help' };
  const notices = () =>
    discord
      .messages(channel.id)
      .filter((one) => one.onlyFor === manager.id && textOf(one).includes('**Manage Webhooks**'));
  discord.slash(look);
  await discord.until(() => notices().length === 1, 'the notice');
  const again = discord.slash(look);
  await discord.until(() => again.originalMessageId !== undefined, 'the second answer');
  expect(notices()).toHaveLength(1);
  expect(discord.violations.all).toEqual([]);
});

test('a manager who has granted the permission meanwhile is not told that it is missing, one in the thread is', async () => {
  await using council = await startCouncil(scriptedModels(toBen), {
    before: ({ discord, channel }) => discord.revokePermissions(channel, 'ManageWebhooks'),
  });
  const { discord, guild, channel } = council;
  ask(council, 'Ben: should we?');
  await thread(council);
  const manager = discord.addMember(guild, 'Mia', ['ManageChannels']);
  const [own] = discord.threads(channel.id);
  if (!own) throw new Error('There is no thread.');
  const look = async (where: typeof channel | typeof own) => {
    const asked = { user: manager, channel: where, command: 'council', subcommand: 'help' };
    const given = discord.slash(asked);
    await discord.until(() => given.originalMessageId !== undefined, 'the answer');
    await council.bot.idle();
    return discord
      .messages(where.id)
      .filter((one) => one.onlyFor === manager.id && textOf(one).includes('**Manage Webhooks**'));
  };
  discord.grantPermissions(channel, 'ManageWebhooks');
  expect(await look(channel)).toEqual([]);
  discord.revokePermissions(channel, 'ManageWebhooks');
  await expect.poll(() => look(own)).toHaveLength(1);
});

test('a manager is told of the missing permission also by a process that posts no turns', async () => {
  await using council = await startCouncil(scriptedModels(toBen), {
    before: ({ discord, channel }) => discord.revokePermissions(channel, 'ManageWebhooks'),
  });
  const { discord, guild, channel } = council;
  const user = discord.addMember(guild, 'Mia', ['ManageChannels']);
  const told = (where: { readonly id: string }) =>
    discord.messages(where.id).filter((one) => textOf(one).includes('**Manage Webhooks**'));
  const direct = discord.directMessages(user);
  const help = { user, command: 'council', subcommand: 'help' };
  const given = discord.slash({ ...help, channel: direct });
  await discord.until(() => given.originalMessageId !== undefined, 'the answer');
  discord.slash({ ...help, channel });
  await discord.until(() => told(channel).length === 1, 'the notice');
  expect(told(direct)).toEqual([]);
});

test('a command that worked is not said to have failed because a notice is not taken', async () => {
  await using council = await startCouncil(scriptedModels(toBen), {
    before: ({ discord, channel }) => discord.revokePermissions(channel, 'ManageWebhooks'),
  });
  const { discord, guild, channel, lines } = council;
  ask(council, 'Ben: should we?');
  await thread(council);
  const user = discord.addMember(guild, 'Mia', ['ManageChannels']);
  discord.faults.failNext(webhookPost, { kind: 'status', status: 503 });
  const given = discord.slash({ user, channel, command: 'council', subcommand: 'help' });
  await expect.poll(() => lines.join()).toContain('a notice could not be shown');
  expect(given.originalMessageId).toBeDefined();
  expect(discord.messages(channel.id).map(textOf).join()).not.toContain('didn’t work');
});

test.each([
  { full: 'channel', channels: 1, webhooks: 15 },
  { full: 'server', channels: 100, webhooks: 10 },
])(
  'where the $full has no room for another webhook the sages speak through the bot, and the card says why',
  async ({ full, channels, webhooks }) => {
    await using council = await startCouncil(scriptedModels(toBen), {
      before: ({ discord, guild, channel, ada }) => {
        for (let place = 0; place < channels; place += 1) {
          const busy = full === 'channel' ? channel : discord.addChannel(guild, `feeds-${place}`);
          for (let feed = 0; feed < webhooks; feed += 1) discord.addWebhook(busy, ada, 'Feed');
        }
      },
    });
    const { discord, guild, channel } = council;
    ask(council, 'Ben: should we?');
    expect(await thread(council)).toEqual(['**Ben Sage**\nNo.']);
    expect(card(council)).toContain(`because the ${full} has as many webhooks as it can.`);
    // The permission is there, so no manager is asked to grant it.
    const manager = discord.addMember(guild, 'Mia', ['ManageChannels']);
    const look = { user: manager, channel, command: 'council', subcommand: 'help' };
    for (const word of ['the first answer', 'the second answer']) {
      const shown = discord.slash(look);
      await discord.until(() => shown.originalMessageId !== undefined, word);
    }
    expect(discord.messages(channel.id).map(textOf).join()).not.toContain('Manage Webhooks');
    expect(discord.violations.all).toEqual([]);
  },
);

test('where moderating takes two-factor authentication that the owner has not, the sages speak through the bot', async () => {
  await using council = await startCouncil(scriptedModels(toBen), {
    before: ({ discord, guild }) => discord.requireTwoFactor(guild),
  });
  ask(council, 'Ben: should we?');
  expect(await thread(council)).toEqual(['**Ben Sage**\nNo.']);
  expect(card(council)).toContain(
    'because its owner lacks the two-factor authentication that this server requires.',
  );
  expect(council.discord.violations.all).toEqual([]);
});

test.each([
  ['silence after processing', webhookPost, 4],
  ['drop after processing', webhookPost, 4],
  ['silence', webhookPost, 5],
  ['drop', webhookPost, 5],
  ['silence after processing', botPost, 3],
  ['drop after processing', botPost, 3],
  ['drop', botPost, 3],
] as const)('after a “%s” on %s everything is there once', async (kind, route, requests) => {
  await using council = await startCouncil(scriptedModels(wholeScript));
  council.discord.faults.failNext(route, { kind });
  ask(council, 'Should we rewrite the engine?');
  expect(await thread(council)).toHaveLength(6);
  expect(card(council)).toContain('Rewrite it in parts.');
  expect(council.discord.calls.filter((call) => call.route === route)).toHaveLength(requests);
});

test('after failures of Discord’s own everything is there once', async () => {
  await using council = await startCouncil(scriptedModels(wholeScript));
  council.discord.faults.failNext(webhookPost, { kind: 'status', status: 503 }, 2);
  council.discord.faults.failNext(botPost, { kind: 'status', status: 500 });
  ask(council, 'Should we rewrite the engine?');
  expect(await thread(council)).toHaveLength(6);
});

test.each(['user', 'shared', 'global', 'hidden'] as const)(
  'a %s limit is waited for, and everything is there once',
  async (scope) => {
    await using council = await startCouncil(scriptedModels(wholeScript));
    const limit = { kind: 'rate limit', scope, retryAfterMs: 200 } as const;
    council.discord.faults.failNext(webhookPost, limit);
    council.discord.faults.failNext('PATCH /channels/{channel_id}/messages/{message_id}', limit);
    ask(council, 'Should we rewrite the engine?');
    expect(await thread(council)).toHaveLength(6);
    expect(card(council)).toContain('Rewrite it in parts.');
  },
);

test('a turn with four sages and reviews takes at most ten posts and twelve edits', async () => {
  await using council = await startCouncil(scriptedModels(wholeScript), {
    rateLimits: true,
    limits: discordLimits,
  });
  ask(council, 'Should we rewrite the engine?');
  await thread(council);
  const { calls } = council.discord;
  const count = (pattern: RegExp) => calls.filter(({ route }) => pattern.test(route)).length;
  expect(count(/^POST .*(\/messages|callback|\{webhook_token\})$/)).toBeLessThanOrEqual(10);
  expect(count(/^PATCH .*messages/)).toBeLessThanOrEqual(12);
  expect(calls.filter(({ status }) => status === 429)).toEqual([]);
});

test.each(['locked', 'deleted'] as const)(
  'when the thread is %s in the middle nothing is posted elsewhere, and the card says so',
  async (what) => {
    const gate = Promise.withResolvers<string>();
    const models = scriptedModels({ sages: { ben: [() => gate.promise] } });
    await using council = await startCouncil(models);
    const { discord, channel, bot } = council;
    ask(council, 'Ben: should we?');
    await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
    await expect.poll(() => models.sage({ key: 'ben' }).requests.length).toBe(1);
    const [opened] = discord.threads(channel.id);
    if (!opened) throw new Error('There is no thread.');
    if (what === 'locked') discord.lockThread(opened);
    else discord.deleteThread(opened);
    gate.resolve(answer('No.'));
    await bot.idle();
    expect(discord.messages(channel.id)).toHaveLength(1);
    expect(card(council)).toContain('Not everything could be posted');
  },
);

test('a message that Discord refuses keeps nothing back of the rest of its answer', async () => {
  const parts = ['first', 'second', 'third'].map((name) => `${name} ${'word '.repeat(300)}`);
  const models = scriptedModels({ sages: { ben: [answer(parts.join('\n\n'))] } });
  await using council = await startCouncil(models);
  council.discord.faults.failNext(webhookPost, { kind: 'status', status: 400 });
  ask(council, 'Ben: should we?');
  const said = (await thread(council)).join('\n');
  expect(said).not.toContain('first');
  expect(said).toContain('third');
  expect(card(council)).toContain('Not everything could be posted');
});

test('a council that outlives the token of its interaction goes on', async () => {
  const gate = Promise.withResolvers<string>();
  const models = scriptedModels({ sages: { ben: [() => gate.promise] } });
  await using council = await startCouncil(models);
  const { discord } = council;
  ask(council, 'Ben: should we?');
  await expect.poll(() => models.sage({ key: 'ben' }).requests.length).toBe(1);
  discord.clock.advance(16 * 60_000);
  gate.resolve(answer('No.'));
  expect(await thread(council)).toEqual(['No.']);
  expect(card(council)).toContain('1 of 1 answered.');
});

test.each([
  ['drops', (council: CouncilInDiscord) => council.discord.gateway.dropConnections()],
  ['asks to reconnect', (council: CouncilInDiscord) => council.discord.gateway.requestReconnect()],
  [
    'ends the session',
    (council: CouncilInDiscord) => council.discord.gateway.invalidateSessions(false),
  ],
  [
    'wants the session resumed',
    (council: CouncilInDiscord) => council.discord.gateway.invalidateSessions(true),
  ],
])(
  'when the gateway %s in the middle the turn is shown once, and the next question is heard',
  async (_, happen) => {
    const models = scriptedModels({ sages: { ben: [answer('No.'), answer('Still no.')] } });
    await using council = await startCouncil(models);
    const { discord, channel, ada, bot } = council;
    ask(council, 'Ben: should we?');
    happen(council);
    const said = await thread(council);
    expect(said).toEqual(['No.']);
    await expect.poll(() => council.platform.health().isListening).toBe(true);
    const [opened] = discord.threads(channel.id);
    if (!opened) throw new Error('There is no thread.');
    discord.userSays(opened, ada, 'Ben: and now?', { mentionsBot: true });
    await discord.until(() => discord.messages(opened.id).length >= 3, 'the second answer');
    await bot.idle();
    const texts = discord.messages(opened.id).map(({ wire }) => wire.content);
    expect(texts.filter((text) => text === 'Still no.')).toHaveLength(1);
  },
);

test('a connection that is up and dead is noticed by its heartbeat, and the next question is heard', async () => {
  await using council = await startCouncil(scriptedModels(toBen), {
    heartbeatIntervalMs: 150,
    deafAfterMs: 20_000,
  });
  const { discord, channel, ada, bot } = council;
  discord.gateway.freezeConnections();
  const asked = discord.userSays(channel, ada, 'Ben: should we?', { mentionsBot: true });
  await discord.until(() => discord.messages(asked.wire.id).length === 1, 'the answer');
  await bot.idle();
  expect(discord.messages(asked.wire.id).map(({ wire }) => wire.content)).toEqual(['No.']);
});

test('a token that is revoked ends the bot with what to do', async () => {
  await using council = await startCouncil(scriptedModels({}));
  council.discord.revokeToken();
  council.discord.gateway.dropConnections();
  await expect(council.platform.finished).rejects.toThrow(/DISCORD_TOKEN/);
});

test('a shutdown leaves a running turn to the next start', async () => {
  const models = scriptedModels({ sages: { ben: [hang] } });
  await using council = await startCouncil(models);
  ask(council, 'Ben: should we?');
  await expect.poll(() => models.sage({ key: 'ben' }).requests.length).toBe(1);
  await council.bot.shutDown();
  expect(await council.bot.store.turns.unfinished(10)).toHaveLength(1);
  expect(card(council)).not.toContain('Stopped');
});

test('after a 401 that a fault of Discord’s causes, the author of a message still gets a reply', async () => {
  await using council = await startCouncil(scriptedModels({}));
  const { discord, channel, ada } = council;
  discord.faults.failNext(botPost, { kind: 'status', status: 401 });
  discord.userSays(channel, ada, 'y?'.repeat(300), { mentionsBot: true });
  const replies = () => discord.messages(channel.id).filter(({ wire }) => wire.author.bot === true);
  await discord.until(() => replies().length > 0, 'a reply');
  expect(discord.violations.all).toEqual([]);
});

/** Buttons and menus in the wrong hands, and ids that no one but a forger can have made. */

import { expect, test } from 'vitest';
import { answer, scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import { hang } from '../../fakes/scripted-model.ts';
import {
  ask,
  type CouncilInDiscord,
  startCouncil,
  textOf,
} from '../../platforms/discord/discord-world.ts';
import {
  answerTo,
  customIdOn,
  expectNobodyPinged,
  finishedThread,
  forgeButton,
  type StoredMessage,
} from './hostile-world.ts';

/** A message of the bot in the channel, to put forged buttons on: the card of a turn that has ended. */
async function cardOf(council: CouncilInDiscord): Promise<StoredMessage> {
  const { discord, channel } = council;
  ask(council, 'Should we?', { sages: 'ben' });
  await finishedThread(council, channel);
  const [card] = discord.messages(channel.id);
  if (!card) throw new Error('There is no card.');
  return card;
}

/** Another server with a turn that has secrets, and a manager there who presses nothing. */
async function secretTurn({ discord, bot }: CouncilInDiscord) {
  const guild = discord.addGuild({ name: 'Elsewhere' });
  const channel = discord.addChannel(guild, 'hidden');
  const bea = discord.addMember(guild, 'Bea');
  ask({ discord, channel, ada: bea }, 'The secret question?', { sages: 'ben' });
  const thread = await finishedThread({ discord, bot }, channel);
  const threadId = `discord:${guild.id}:${channel.id}:${thread.id}`;
  const [turn] = await bot.store.turns.list(threadId, { limit: 1 });
  if (!turn) throw new Error('There is no turn.');
  return turn.turnId;
}

test.each([
  'council',
  'council|',
  'council|explode|now',
  'council|stop',
  'council|stop|x',
  'council|view|secrets|x',
  'council|toString|x',
  'council|__proto__|x',
  'council|page|channel|-1',
  'council|page|channel|1e9',
  'other|stop|a|b',
  '|'.repeat(100),
])('a button with the id %j shows nothing and harms nothing', async (customId) => {
  await using council = await startCouncil(
    scriptedModels({ sages: { ben: [answer('No.'), answer('Still here.')] } }),
  );
  const { discord, ada, bot } = council;
  const card = await cardOf(council);
  forgeButton(card, customId);
  discord.pressButton(ada, card, customId);
  const direct = discord.directMessages(ada);
  discord.userSays(direct, ada, 'Ben: still there?');
  await discord.until(
    () => discord.messages(direct.id).some((one) => textOf(one).includes('Still here.')),
    'the next answer',
  );
  await bot.idle();
  expect(council.lines.filter((line) => line.startsWith('error'))).toEqual([]);
  expectNobodyPinged(discord);
});

test.each([
  (turn: string) => `council|view|seats|${turn}`,
  (turn: string) => `council|view|reviews|${turn}`,
  (turn: string) => `council|run|receipt ${turn}`,
  (turn: string) => `council|run|reviews --turn ${turn}`,
])('a forged button shows nothing of a turn in another server', async (forged) => {
  await using council = await startCouncil(
    scriptedModels({ sages: { ben: [answer('The secret answer.'), answer('No.')] } }),
  );
  const { discord, guild } = council;
  const turnId = await secretTurn(council);
  const card = await cardOf(council);
  const manager = discord.addMember(guild, 'Mia', ['ManageChannels', 'ManageGuild']);
  forgeButton(card, forged(turnId));
  const shown = textOf(await answerTo(discord, discord.pressButton(manager, card, forged(turnId))));
  expect(shown).not.toMatch(/secret|Ben Sage/i);
  expect(shown).toContain('There is no turn');
  expectNobodyPinged(discord);
});

test('a turn of a channel that a member cannot see is not shown in another channel', async () => {
  await using council = await startCouncil(
    scriptedModels({ sages: { ben: [answer('The secret answer.')] } }),
  );
  const { discord, guild, bot, channel, ada } = council;
  const hidden = discord.addChannel(guild, 'staff');
  const mia = discord.addMember(guild, 'Mia', ['ManageChannels', 'Administrator']);
  discord.denyEveryone(hidden, 'ViewChannel');
  discord.grantPermissions(hidden, 'ViewChannel');
  ask({ discord, channel: hidden, ada: mia }, 'The secret question?', { sages: 'ben' });
  const thread = await finishedThread(council, hidden);
  const threadId = `discord:${guild.id}:${hidden.id}:${thread.id}`;
  const [turn] = await bot.store.turns.list(threadId, { limit: 1 });
  for (const subcommand of ['receipt', 'reviews']) {
    const looked = discord.slash({
      user: ada,
      channel,
      command: 'council',
      subcommand,
      options: { turn: turn?.turnId ?? '' },
    });
    const shown = textOf(await answerTo(discord, looked));
    expect(shown).not.toMatch(/secret|Ben Sage/i);
    expect(shown).toContain('There is no turn');
  }
  expectNobodyPinged(discord);
});

test('a Stop button that names its presser as the one who asked stops nothing of someone else', async () => {
  const models = scriptedModels({ sages: { ben: [hang] } });
  await using council = await startCouncil(models);
  const { discord, guild, channel, ada, bot } = council;
  ask(council, 'Should we?', { sages: 'ben' });
  await expect.poll(() => models.sage({ key: 'ben' }).requests.length).toBe(1);
  const [card] = discord.messages(channel.id);
  if (!card) throw new Error('There is no card.');
  await discord.until(() => JSON.stringify(card.wire.components).includes('|stop|'), 'the button');
  const [, , turnId] = customIdOn(card, '|stop|').split('|');
  const mallory = discord.addMember(guild, 'Mallory');
  const forged = `council|stop|${turnId}|${mallory.id}`;
  forgeButton(card, forged);
  const told = textOf(await answerTo(discord, discord.pressButton(mallory, card, forged)));
  expect(told).toContain('Only the person who asked');
  expect(models.sage({ key: 'ben' }).requests[0]?.signal.aborted).toBe(false);
  // The card may have been edited meanwhile, to what it really shows.
  forgeButton(card, forged);
  discord.pressButton(ada, card, forged);
  await bot.idle();
  expect(models.sage({ key: 'ben' }).requests[0]?.signal.aborted).toBe(true);
});

test('a forged Stop button stops no turn of another server, not even for a manager', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.'), hang] } });
  await using council = await startCouncil(models);
  const { discord, guild, bot } = council;
  const card = await cardOf(council);
  const elsewhere = discord.addGuild({ name: 'Elsewhere' });
  const channel = discord.addChannel(elsewhere, 'general');
  const bea = discord.addMember(elsewhere, 'Bea');
  ask({ discord, channel, ada: bea }, 'Should we?', { sages: 'ben' });
  await expect.poll(() => models.sage({ key: 'ben' }).requests.length).toBe(2);
  const [theirs] = discord.messages(channel.id);
  const stop = () => (theirs ? customIdOn(theirs, '|stop|') : '');
  await discord.until(
    () => JSON.stringify(theirs?.wire.components).includes('|stop|'),
    'the button',
  );
  const manager = discord.addMember(guild, 'Mia', ['ManageChannels', 'ManageGuild']);
  for (const forged of [stop(), `${stop()}|${manager.id}`]) {
    forgeButton(card, forged);
    const told = textOf(await answerTo(discord, discord.pressButton(manager, card, forged)));
    expect(told).toContain('in this channel. Leave the id out');
  }
  expect(models.sage({ key: 'ben' }).requests[1]?.signal.aborted).toBe(false);
  if (theirs) discord.pressButton(bea, theirs, stop());
  await bot.idle();
  expect(models.sage({ key: 'ben' }).requests[1]?.signal.aborted).toBe(true);
  expectNobodyPinged(discord);
});

test.each(['config', 'stop', 'dismiss ada', 'nonsense', 'ask', ''])(
  'a forged button that runs “%s” may do no more than whoever presses it',
  async (line) => {
    await using council = await startCouncil(scriptedModels({ sages: { ben: [answer('No.')] } }));
    const { discord, ada } = council;
    const card = await cardOf(council);
    const before = await settingsOf(council);
    const customId = `council|run|${line}`;
    forgeButton(card, customId);
    const pressed = discord.pressButton(ada, card, customId);
    if (line !== '') expect(textOf(await answerTo(discord, pressed))).not.toBe('');
    expect(await settingsOf(council)).toEqual(before);
    expectNobodyPinged(discord);
  },
);

test('a stranger who presses what a manager was shown in private changes nothing', async () => {
  await using council = await startCouncil(scriptedModels({}));
  const { discord, guild, channel, ada } = council;
  const manager = discord.addMember(guild, 'Mia', ['ManageChannels']);
  const shown = await answerTo(
    discord,
    discord.slash({ user: manager, channel, command: 'council', subcommand: 'config' }),
  );
  const before = await settingsOf(council);
  const depth = customIdOn(shown, '|set|channel|depth');
  expect(() => discord.select(ada, shown, depth, ['quick'])).toThrow('cannot see');
  // Even if Discord let it through.
  const open: StoredMessage = { ...shown, onlyFor: undefined };
  const chosen = discord.select(ada, open, depth, ['quick']);
  await discord.until(() => chosen.acknowledgement !== undefined, 'the answer');
  const typed = discord.pressButton(ada, open, customIdOn(shown, '|type|channel|'));
  await discord.until(() => typed.acknowledgement !== undefined, 'the answer');
  expect(typed.acknowledgement?.kind).not.toBe('modal');
  expect(await settingsOf(council)).toEqual(before);
  expectNobodyPinged(discord);
});

test('a manager who may no longer manage changes nothing with the menu that is still open', async () => {
  await using council = await startCouncil(scriptedModels({}));
  const { discord, guild, channel } = council;
  const manager = discord.addMember(guild, 'Mia', ['ManageChannels']);
  const shown = await answerTo(
    discord,
    discord.slash({ user: manager, channel, command: 'council', subcommand: 'config' }),
  );
  const before = await settingsOf(council);
  discord.setMemberPermissions(guild, manager, []);
  const chosen = discord.select(manager, shown, customIdOn(shown, '|set|channel|depth'), ['quick']);
  await discord.until(() => chosen.acknowledgement !== undefined, 'the answer');
  await discord.until(() => textOf(shown).includes('Only those who may manage'), 'the refusal');
  expect(await settingsOf(council)).toEqual(before);
});

test('a draft of a sage is saved by no one but its maker', async () => {
  const models = scriptedModels({ moderator: [JSON.stringify({ prompt: 'You are Seneca.' })] });
  await using council = await startCouncil(models);
  const { discord, guild, channel, ada: user } = council;
  const opened = discord.slash({ user, channel, command: 'council', subcommand: 'summon' });
  await discord.until(() => opened.acknowledgement?.kind === 'modal', 'the modal');
  const sent = discord.submitModal(opened, {
    name: 'Seneca',
    description: 'Weighs what can be lost.',
  });
  const preview = await answerTo(discord, sent);
  const save = customIdOn(preview, 'summon --save');
  const stranger = discord.addMember(guild, 'Eve', ['ManageChannels']);
  expect(() => discord.pressButton(stranger, preview, save)).toThrow('cannot see');
  const pressed = discord.pressButton(stranger, { ...preview, onlyFor: undefined }, save);
  expect(textOf(await answerTo(discord, pressed))).toContain('That draft is gone');
  expect((await settingsOf(council)).bench.map(({ key }) => key)).not.toContain('custom_seneca');
  expectNobodyPinged(discord);
});

test('a stranger who presses the buttons below a ranking reads in private what everybody may read', async () => {
  await using council = await startCouncil(scriptedModels(wholeScript));
  const { discord, guild, channel } = council;
  ask(council, 'Should we rewrite the engine?');
  const thread = await finishedThread(council, channel);
  const ranking = discord.messages(thread.id).find((one) => textOf(one).includes('blind ballots'));
  if (!ranking) throw new Error('There is no ranking.');
  const stranger = discord.addMember(guild, 'Eve');
  const shown = await answerTo(
    discord,
    discord.pressButton(stranger, ranking, customIdOn(ranking, '|reviews|')),
  );
  expect(shown.onlyFor).toBe(stranger.id);
  expectNobodyPinged(discord);
});

async function settingsOf({ bot, guild, channel }: CouncilInDiscord) {
  const { bot: ingress, store } = bot;
  const threadId = `discord:${guild.id}:${channel.id}:${channel.id}`;
  const place = { platform: 'discord', workspace: guild.id, channel: channel.id, threadId };
  const settings = await ingress.settings(place);
  const stored = await store.settings.read([
    `channel:discord:${guild.id}:${channel.id}`,
    `workspace:discord:${guild.id}`,
  ]);
  return { ...settings, stored };
}

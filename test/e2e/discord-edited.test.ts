/** In Discord an edited question is offered to be asked as it is now, once, to its author. */

import { expect, test, vi } from 'vitest';
import { faultWords } from '../../commands/command.ts';
import { askAgainLabel } from '../../src/platforms/chat/asking/said-questions.ts';
import { fileSettings } from '../bot/bot-fixture.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { startWorld } from '../fakes/discord/connected-client.ts';
import {
  type CouncilInDiscord,
  joinWorld,
  startCouncil,
  textOf,
} from '../platforms/discord/discord-world.ts';
import { answered, customIds, idWith } from '../platforms/discord/private-answers.ts';

test('an edited question is offered to be asked as it is now, to its author, and goes with its message', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.'), answer('Yes.')] } });
  await using council = await startCouncil(models, {
    bot: { settings: { ...fileSettings, forgetDeleted: true } },
  });
  const { discord, guild, channel, ada, bot } = council;
  const bob = discord.addMember(guild, 'Bob', []);
  const asked = discord.userSays(channel, ada, 'Ben: should we?', { mentionsBot: true });
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const thread = asked.wire.id;
  const offers = () =>
    discord.messages(thread).filter((one) => textOf(one).includes('Ask the edited question'));
  const mention = `<@${discord.bot.id}>`;
  discord.userEdits(asked, `${mention}  Ben: should we?`);
  discord.userEdits(asked, `${mention} Ben: should we now?`);
  await discord.until(() => offers().length === 1, 'the offer');
  const [offer] = offers();
  const [, id = ''] = /"custom_id":"([^"]*\|again\|[^"]*)"/.exec(JSON.stringify(offer)) ?? [];
  if (!offer) throw new Error('There is no offer.');
  expect(offer.pings).toEqual({ everyone: false, users: [], roles: [] });
  const toldTo = (who: string) => discord.messages(thread).filter(({ onlyFor }) => onlyFor === who);
  discord.pressButton(bob, offer, id);
  await discord.until(
    () => toldTo(bob.id).some((one) => textOf(one).includes('Only the person who asked')),
    'the refusal',
  );
  discord.userEdits(asked, `${mention} Ben: should we at last?`);
  discord.pressButton(ada, offer, id);
  await vi.waitFor(() => expect(models.unsaid()).toBe(0), 10_000);
  await bot.idle();
  const last = JSON.stringify(models.sage({ key: 'ben' }).requests[1]?.messages);
  expect(last).toContain('should we at last?');
  const threadId = `discord:${guild.id}:${channel.id}:${thread}`;
  expect(await bot.store.turns.list(threadId, { limit: 5 })).toHaveLength(2);
  discord.deleteMessage(asked);
  await vi.waitFor(
    async () => expect(await bot.store.turns.list(threadId, { limit: 5 })).toEqual([]),
    10_000,
  );
  expect(discord.violations.all).toEqual([]);
});

/** Ben has answered a question, and its author has changed it. */
async function editedQuestion(council: CouncilInDiscord) {
  const { discord, channel, ada, bot } = council;
  const asked = discord.userSays(channel, ada, 'Ben: should we?', { mentionsBot: true });
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const thread = discord.threads(channel.id)[0];
  if (!thread) throw new Error('There is no thread.');
  const offers = () =>
    discord.messages(thread.id).filter((one) => textOf(one).includes('Ask the edited question'));
  discord.userEdits(asked, `<@${discord.bot.id}> Ben: should we now?`);
  await discord.until(() => offers().length === 1, 'the offer');
  return { asked, thread, offers };
}

test('the next question is told what an edited one says now, although it was not asked again', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.'), answer('Yes.')] } });
  await using council = await startCouncil(models);
  const { discord, ada, bot } = council;
  const { asked, thread } = await editedQuestion(council);
  discord.userEdits(asked, `<@${discord.bot.id}> Ben: should we with 55k?`);
  discord.userSays(thread, ada, 'Ben: and how soon?', { mentionsBot: true });
  await vi.waitFor(() => expect(models.unsaid()).toBe(0), 10_000);
  await bot.idle();
  const told = JSON.stringify(models.sage({ key: 'ben' }).requests[1]?.messages);
  expect(told).toMatch(/<question[^>]*>\\nBen: should we\?\\n/);
  expect(told).toMatch(/edited=\\"since\\">\\n[^<]*should we with 55k\?/);
  expect(discord.violations.all).toEqual([]);
});

test('a question that is edited twice has one offer, which asks its last words once, and a later edit another', async () => {
  const models = scriptedModels({ sages: { ben: ['No.', 'Yes.'].map(answer) } });
  await using council = await startCouncil(models);
  const { discord, ada, bot } = council;
  const { asked, thread, offers } = await editedQuestion(council);
  discord.userEdits(asked, `<@${discord.bot.id}> Ben: should we for a mage?`);
  discord.userSays(thread, ada, 'help', { mentionsBot: true });
  const helped = () => discord.messages(thread.id).some((one) => textOf(one).includes('/council'));
  await discord.until(helped, 'what comes after the edit');
  const [offer, ...more] = offers();
  if (!offer) throw new Error('There is no offer.');
  expect(more).toEqual([]);
  discord.pressButton(ada, offer, idWith(offer, '|again|'));
  await vi.waitFor(() => expect(models.unsaid()).toBe(0), 10_000);
  await bot.idle();
  const last = JSON.stringify(models.sage({ key: 'ben' }).requests[1]?.messages);
  expect(last).toContain('should we for a mage?');
  discord.userEdits(asked, `<@${discord.bot.id}> Ben: should we for a knight?`);
  await discord.until(() => offers().length === 1, 'the offer of the later edit');
  expect(discord.violations.all).toEqual([]);
});

test('an edit is offered once, although Discord then shows a link preview or people pin the message', async () => {
  await using world = await startWorld();
  const { discord, guild } = world;
  const models = scriptedModels({ sages: { ben: [answer('No.'), answer('Yes.')] } });
  const first = await joinWorld(world, models);
  const { asked, thread, offers } = await editedQuestion(first);
  const bob = discord.addMember(guild, 'Bob', []);
  const other = discord.userSays(thread, bob, 'Ben: and in May?', { mentionsBot: true });
  await vi.waitFor(() => expect(models.unsaid()).toBe(0), 10_000);
  await first.bot.idle();
  const offersOf = ({ wire }: typeof asked) =>
    offers().filter((one) => customIds(one).some((id) => id.endsWith(`|${wire.id}`))).length;
  discord.showPreview(asked);
  discord.showPreview(asked);
  discord.userEdits(other, `<@${discord.bot.id}> Ben: and in June?`);
  await discord.until(() => offersOf(other) === 1, 'the offer of the later edit');
  expect(offersOf(asked)).toBe(1);
  await first.bot.shutDown();
  discord.clock.advance(3_600_000);
  const options = { store: first.bot.store, now: () => discord.clock.now() };
  await using second = await joinWorld(world, scriptedModels({}), options);
  discord.showPreview(asked);
  discord.userEdits(other, `<@${discord.bot.id}> Ben: and in July?`);
  await discord.until(() => offersOf(other) === 2, 'the offer of the last edit');
  await second.bot.idle();
  expect(offersOf(asked)).toBe(1);
  expect(discord.violations.all).toEqual([]);
});

test('an edit is offered once where two processes hear of it, e.g. while one replaces the other', async () => {
  await using world = await startWorld();
  const { discord } = world;
  const first = await joinWorld(world, scriptedModels({ sages: { ben: [answer('No.')] } }));
  const { thread, offers, asked } = await editedQuestion(first);
  await first.bot.idle();
  const second = await joinWorld(world, scriptedModels({}), { store: first.bot.store });
  discord.userEdits(asked, `<@${discord.bot.id}> Ben: should we in May?`);
  await discord.until(() => offers().length > 1, 'the offer of the second edit');
  discord.userSays(thread, world.ada, 'help', { mentionsBot: true });
  await discord.until(
    () => discord.messages(thread.id).some((one) => textOf(one).includes('/council help')),
    'what comes after the edit',
  );
  await second.bot.shutDown();
  await first.bot.shutDown();
  expect(offers()).toHaveLength(2);
});

test('a question that is edited at once is offered to be asked anew once its thread is there', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.')] } });
  await using council = await startCouncil(models);
  const { discord, channel, ada, bot } = council;
  const asked = discord.userSays(channel, ada, 'Ben: should we?', { mentionsBot: true });
  discord.userEdits(asked, `<@${discord.bot.id}> Ben: should we now?`);
  const offers = () =>
    discord
      .messages(asked.wire.id)
      .filter((one) => textOf(one).includes('Ask the edited question'));
  await discord.until(() => offers().length > 0, 'the offer');
  await bot.idle();
  expect(offers()).toHaveLength(1);
  expect(discord.violations.all).toEqual([]);
});

test('an edited question is asked from its offer in a thread that has been archived', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.'), answer('Yes.')] } });
  await using council = await startCouncil(models);
  const { discord, ada, bot } = council;
  const { thread, offers } = await editedQuestion(council);
  const [offer] = offers();
  if (!offer) throw new Error('There is no offer.');
  discord.archiveThread(thread);
  const pressed = discord.pressButton(ada, offer, idWith(offer, '|again|'));
  expect(textOf(await answered(council, pressed))).toContain('The council is being seated.');
  await vi.waitFor(() => expect(models.unsaid()).toBe(0), 10_000);
  await bot.idle();
  expect(offers()).toEqual([]);
  expect(discord.violations.all).toEqual([]);
});

test('an edited question is not asked by its author where they may no longer write', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.'), answer('Yes.')] } });
  await using council = await startCouncil(models);
  const { discord, channel, ada, bot } = council;
  const { offers } = await editedQuestion(council);
  const [offer] = offers();
  if (!offer) throw new Error('There is no offer.');
  discord.denyEveryone(channel, 'SendMessagesInThreads');
  const pressed = discord.pressButton(ada, offer, idWith(offer, '|again|'));
  expect(textOf(await answered(council, pressed))).toContain('Only people who may write here');
  await bot.idle();
  expect(models.unsaid()).toBe(1);
  expect(offers()).toHaveLength(1);
});

test('an offer that Discord did not take away is not said to be used, and can be used later', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.'), answer('Yes.')] } });
  await using council = await startCouncil(models);
  const { discord, ada, bot } = council;
  const { offers } = await editedQuestion(council);
  const [offer] = offers();
  if (!offer) throw new Error('There is no offer.');
  const press = () => discord.pressButton(ada, offer, idWith(offer, '|again|'));
  for (const method of ['GET', 'DELETE']) {
    const path = `${method} /channels/{channel_id}/messages/{message_id}`;
    discord.faults.failNext(path, { kind: 'status', status: 500 });
    expect(textOf(await answered(council, press()))).toContain(faultWords);
  }
  press();
  await vi.waitFor(() => expect(models.unsaid()).toBe(0), 10_000);
  await bot.idle();
  expect(offers()).toEqual([]);
  expect(discord.violations.all).toEqual([]);
});

test('an edit whose offer Discord refused does not keep a later one from being offered', async () => {
  await using council = await startCouncil(scriptedModels({ sages: { ben: [answer('No.')] } }));
  const { discord, channel, ada, bot } = council;
  const asked = discord.userSays(channel, ada, 'Ben: should we?', { mentionsBot: true });
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const offers = () =>
    discord.messages(asked.wire.id).filter((one) => textOf(one).includes(askAgainLabel));
  const refused = () =>
    discord.calls.filter(({ route, status }) => route === post && status === 403);
  const post = 'POST /channels/{channel_id}/messages';
  discord.faults.failNext(post, { kind: 'status', status: 403 });
  discord.userEdits(asked, `<@${discord.bot.id}> Ben: should we now?`);
  await discord.until(() => refused().length === 1, 'the refusal');
  expect(offers()).toEqual([]);
  discord.userEdits(asked, `<@${discord.bot.id}> Ben: should we in May?`);
  await discord.until(() => offers().length === 1, 'the offer of the later edit');
});

test('an offer that a moderator deletes does not keep a later edit from being offered', async () => {
  await using council = await startCouncil(scriptedModels({ sages: { ben: [answer('No.')] } }));
  const { discord, ada, bot } = council;
  const { asked, thread, offers } = await editedQuestion(council);
  const [offer] = offers();
  if (!offer) throw new Error('There is no offer.');
  // Replied to once the bot knows its offer.
  discord.userSays(thread, ada, 'help', { mentionsBot: true });
  const replies = () => discord.messages(thread.id).filter((one) => textOf(one).includes('Hello'));
  await discord.until(() => replies().length === 1, 'the help');
  discord.deleteMessage(offer);
  discord.userEdits(asked, `<@${discord.bot.id}> Ben: should we in May?`);
  await discord.until(() => offers().length === 1, 'the offer of the later edit');
  await bot.idle();
  expect(discord.violations.all).toEqual([]);
});

test('a mention that an edit adds is heard once', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.')] } });
  await using council = await startCouncil(models);
  const { discord, guild, channel, ada, bot } = council;
  const said = discord.userSays(channel, ada, 'Ben: should we?');
  const mention = `<@${discord.bot.id}>`;
  discord.userEdits(said, `${mention} Ben: should we?`);
  discord.userEdits(said, `${mention} Ben:  should we?`);
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const threadId = `discord:${guild.id}:${channel.id}:${said.wire.id}`;
  expect(await bot.store.turns.list(threadId, { limit: 5 })).toHaveLength(1);
  expect(models.unsaid()).toBe(0);
  expect(discord.violations.all).toEqual([]);
});

import { expect, test } from 'vitest';
import {
  answer,
  type Script,
  scriptedModels,
  seating,
  verdict,
  wholeScript,
} from '../council/scripted-council.ts';
import {
  ask,
  type CouncilInDiscord,
  setFollowUps,
  startCouncil,
  textOf,
} from '../platforms/discord/discord-world.ts';
import { answered, slash } from '../platforms/discord/private-answers.ts';

/** What the personas and the bot said in a thread or channel, the cards left out. */
function said({ discord }: CouncilInDiscord, channelId: string): readonly string[] {
  return discord
    .messages(channelId)
    .filter(({ wire }) => wire.author.bot === true && wire.content !== '')
    .map(({ wire }) => wire.content);
}

/** The thread of a question that has been answered, in a channel where every message there is a follow-up. */
async function followedUp(council: CouncilInDiscord, question: string) {
  const { discord, channel, bot } = council;
  await setFollowUps(council, 'everything');
  ask(council, question);
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const [thread] = discord.threads(channel.id);
  if (!thread) throw new Error('There is no thread.');
  return thread;
}

const benTwice: Script = { sages: { ben: [answer('No.'), answer('Still no.')] } };

test('a mention is answered in a thread on the message, and a mention there is a follow-up with context', async () => {
  const models = scriptedModels(benTwice);
  await using council = await startCouncil(models);
  const { discord, channel, ada, bot } = council;
  const asked = discord.userSays(channel, ada, 'Ben: should we?', { mentionsBot: true });
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const [thread] = discord.threads(channel.id);
  if (!thread) throw new Error('There is no thread.');
  expect(thread.id).toBe(asked.wire.id);
  expect(said(council, thread.id)).toEqual(['No.']);
  discord.userSays(thread, ada, 'Ben: and now?', { mentionsBot: true });
  await discord.until(() => said(council, thread.id).length === 2, 'the second answer');
  await bot.idle();
  expect(said(council, thread.id)).toEqual(['No.', 'Still no.']);
  const second = JSON.stringify(models.sage({ key: 'ben' }).requests[1]?.messages);
  expect(second).toContain('In short: No.');
  expect(discord.violations.all).toEqual([]);
});

test('with the content intent any message in a thread of the council is a follow-up, if the channel wants it so', async () => {
  await using council = await startCouncil(scriptedModels(benTwice));
  const { discord, channel, ada, bot } = council;
  const thread = await followedUp(council, 'Ben: should we?');
  discord.userSays(thread, ada, 'Ben: and now?');
  await discord.until(() => said(council, thread.id).length === 2, 'the second answer');
  await bot.idle();
  const [card] = discord.messages(channel.id);
  expect(card && textOf(card)).toContain('Every message in the thread is a follow-up');
});

test('a reply to one’s own message, or a mention of oneself, is said to no one else', async () => {
  const models = scriptedModels({ sages: { ben: ['No.', 'Still no.', 'Never.'].map(answer) } });
  await using council = await startCouncil(models);
  const { discord, ada, bot } = council;
  const thread = await followedUp(council, 'Ben: should we?');
  const first = discord.userSays(thread, ada, `Ben: what would <@${ada.id}> say?`);
  discord.userSays(thread, ada, 'Ben: or in spring?', { repliesTo: first });
  await discord.until(() => said(council, thread.id).length === 3, 'both answers');
  await bot.idle();
  expect(said(council, thread.id)).toEqual(['No.', 'Still no.', 'Never.']);
});

test('without the content intent a follow-up has to mention the bot, and the card says so', async () => {
  await using council = await startCouncil(scriptedModels(benTwice), { privilegedIntents: [] });
  const { discord, channel, ada, bot } = council;
  const thread = await followedUp(council, 'Ben: should we?');
  discord.userSays(thread, ada, 'Ben: unheard?');
  discord.userSays(thread, ada, 'Ben: and now?', { mentionsBot: true });
  await discord.until(() => said(council, thread.id).length >= 2, 'the second answer');
  await bot.idle();
  expect(said(council, thread.id)).toEqual(['No.', 'Still no.']);
  const [card] = discord.messages(channel.id);
  expect(card && textOf(card)).toContain('Mention me here');
  expect(discord.violations.all).toEqual([]);
});

test('a reply to a sage’s message is answered by that sage alone', async () => {
  const script = {
    ...wholeScript,
    sages: { ...wholeScript.sages, cleo: [answer('Cleo says later.'), answer('Tomorrow.')] },
  };
  await using council = await startCouncil(scriptedModels(script));
  const { discord, guild, channel, ada, bot } = council;
  const thread = await followedUp(council, 'Should we rewrite the engine?');
  const cleo = discord.messages(thread.id).find(({ wire }) => wire.author.username === 'Cleo Sage');
  if (!cleo) throw new Error('Cleo said nothing.');
  discord.userSays(thread, ada, 'When exactly?', { repliesTo: cleo });
  await discord.until(() => said(council, thread.id).includes('Tomorrow.'), 'the answer');
  await bot.idle();
  const last = discord.messages(thread.id).at(-1);
  expect([last?.wire.author.username, last?.wire.content]).toEqual(['Cleo Sage', 'Tomorrow.']);
  const threadId = `discord:${guild.id}:${channel.id}:${thread.id}`;
  const kept = await bot.store.messages.page(threadId, { limit: 50 });
  const asked = kept.find(({ content }) => content.text === 'When exactly?');
  expect(asked?.parentId).toBe(`discord:${guild.id}:${cleo.wire.id}`);
});

test('without the content intent the help says that a reply has to mention the bot to reach a sage', async () => {
  await using council = await startCouncil(scriptedModels(benTwice), { privilegedIntents: [] });
  const { discord, channel, ada, bot } = council;
  const help = textOf(await answered(council, slash(council, 'help')));
  expect(help).toContain('mention me in a reply to a sage’s message to ask that sage alone');
  ask(council, 'Ben: should we?');
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const [thread] = discord.threads(channel.id);
  const ben = discord.messages(thread?.id ?? '').find(({ wire }) => wire.content === 'No.');
  if (!thread || !ben) throw new Error('Ben said nothing.');
  discord.userSays(thread, ada, 'And unheard?', { repliesTo: ben });
  discord.userSays(thread, ada, 'And now?', { repliesTo: ben, mentionsBot: true });
  await discord.until(() => said(council, thread.id).length === 2, 'the second answer');
  await bot.idle();
  expect(said(council, thread.id)).toEqual(['No.', 'Still no.']);
});

test('a reply to a sage’s message is answered although Discord fails to show that message at first', async () => {
  await using council = await startCouncil(scriptedModels(benTwice));
  const { discord, channel, ada, bot } = council;
  const asked = discord.userSays(channel, ada, 'Ben: should we?', { mentionsBot: true });
  await discord.until(() => said(council, asked.wire.id).length === 1, 'the answer');
  await bot.idle();
  const [thread] = discord.threads(channel.id);
  const ben = discord.messages(asked.wire.id).find(({ wire }) => wire.content === 'No.');
  if (!thread || !ben) throw new Error('Ben said nothing.');
  discord.faults.failNext('GET /channels/{channel_id}/messages/{message_id}', {
    kind: 'status',
    status: 503,
  });
  discord.userSays(thread, ada, 'And now?', { repliesTo: ben });
  await discord.until(() => said(council, thread.id).length === 2, 'the second answer');
  await bot.idle();
  expect(said(council, thread.id)).toEqual(['No.', 'Still no.']);
});

test('an invented sage is asked again alone, by a reply to its message or by its name', async () => {
  const invented = [{ name: 'Seneca', description: 'Weighs what can be lost.' }];
  const models = scriptedModels({
    moderator: [seating(['ben'], {}, invented)],
    sages: {
      ben: [answer('No.')],
      new_seneca: ['Prepare.', 'Prepare more.', 'Prepare most.'].map(answer),
    },
    chair: [verdict],
  });
  await using council = await startCouncil(models);
  const { discord, channel, ada, bot } = council;
  await setFollowUps(council, 'everything');
  ask(council, 'Should we rewrite the engine?', { depth: 'quick' });
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const [thread] = discord.threads(channel.id);
  if (!thread) throw new Error('There is no thread.');
  const seneca = discord.messages(thread.id).find(({ wire }) => wire.author.username === 'Seneca');
  if (!seneca) throw new Error('Seneca said nothing.');
  discord.userSays(thread, ada, 'And if we lose?', { repliesTo: seneca });
  await discord.until(() => said(council, thread.id).includes('Prepare more.'), 'the reply');
  await bot.idle();
  discord.userSays(thread, ada, 'Seneca: and if we win?');
  await discord.until(() => said(council, thread.id).includes('Prepare most.'), 'the answer');
  await bot.idle();
  expect(discord.messages(thread.id).at(-1)?.wire.author.username).toBe('Seneca');
  expect(models.unsaid()).toBe(0);
  expect(discord.violations.all).toEqual([]);
});

test('a message can be put before the council from its menu', async () => {
  await using council = await startCouncil(scriptedModels(benTwice), { privilegedIntents: [] });
  const { discord, channel, ada, bot } = council;
  const target = discord.userSays(channel, ada, 'Ben: should we?');
  discord.messageCommand(ada, 'Ask the council', target);
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  expect(said(council, discord.threads(channel.id)[0]?.id ?? '')).toEqual(['No.']);
});

test('what bots, webhooks and the bot itself say is never answered', async () => {
  await using council = await startCouncil(scriptedModels(wholeScript));
  const { discord, channel, bot } = council;
  await setFollowUps(council, 'everything');
  ask(council, 'Should we rewrite the engine?');
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const turns = await bot.store.turns.list(
    `discord:${council.guild.id}:${channel.id}:${discord.threads(channel.id)[0]?.id}`,
    { limit: 10 },
  );
  expect(turns).toHaveLength(1);
});

test('replies of people to each other cost no request, and one to be answered costs one', async () => {
  await using council = await startCouncil(scriptedModels(benTwice));
  const { discord, channel, ada, bot } = council;
  const said = discord.userSays(channel, ada, 'The bridge is closed.');
  for (let count = 0; count < 20; count += 1)
    discord.userSays(channel, ada, 'Which one?', { repliesTo: said });
  discord.userSays(channel, ada, 'Ben: should we?', { mentionsBot: true, repliesTo: said });
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const read = 'GET /channels/{channel_id}/messages/{message_id}';
  expect(discord.calls.filter(({ route }) => route === read)).toHaveLength(1);
});

test('a mention of the bot’s role is a mention, and no part of the question', async () => {
  await using council = await startCouncil(scriptedModels(benTwice));
  const { discord, guild, channel, bot } = council;
  const mia = discord.addMember(guild, 'Mia', ['MentionEveryone']);
  const role = [...guild.roles.values()].find(({ tags }) => tags?.bot_id !== undefined);
  discord.userSays(channel, mia, `<@&${role?.id}> Ben: should we?`);
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const [thread] = discord.threads(channel.id);
  expect(thread?.name).toBe('Ben: should we?');
  expect(said(council, thread?.id ?? '')).toEqual(['No.']);
});

test('a message that is delivered twice is one turn', async () => {
  await using council = await startCouncil(scriptedModels(benTwice));
  const { discord, channel, ada, bot } = council;
  const asked = discord.userSays(channel, ada, 'Ben: should we?', { mentionsBot: true });
  discord.gateway.dropConnections();
  await discord.until(() => said(council, asked.wire.id).length === 1, 'the answer');
  await bot.idle();
  expect(said(council, asked.wire.id)).toEqual(['No.']);
});

test('a question that is too long is refused in private, and no one else sees anything', async () => {
  await using council = await startCouncil(scriptedModels({}));
  const { discord, channel } = council;
  ask(council, 'x'.repeat(6000));
  await discord.until(() => discord.messages(channel.id).length > 0, 'the refusal');
  const [only, ...more] = discord.messages(channel.id);
  expect(only?.onlyFor).toBe(council.ada.id);
  expect(only?.wire.content).toContain('the limit is 200');
  expect(more).toEqual([]);
  expect(discord.violations.all).toEqual([]);
});

test('in a server that is not let in a channel is told once, no matter who mentions the bot, and a command in private', async () => {
  const access = { allow: ['discord:1234567'] };
  await using council = await startCouncil(scriptedModels({}), { bot: { access } });
  const { discord, guild, channel, ada } = council;
  const mia = discord.addMember(guild, 'Mia');
  const own = () => discord.messages(channel.id).filter(({ wire }) => wire.author.bot === true);
  discord.userSays(channel, ada, 'Ben: should we?', { mentionsBot: true });
  await discord.until(() => own().length > 0, 'the refusal');
  for (const one of [ada, mia]) {
    discord.userSays(channel, one, 'Ben: and now?', { mentionsBot: true });
  }
  // What comes after is told, and so would these have been.
  const harbour = discord.addChannel(guild, 'harbour');
  discord.userSays(harbour, mia, 'Ben: and here?', { mentionsBot: true });
  await discord.until(() => discord.messages(harbour.id).length > 1, 'the refusal elsewhere');
  ask(council, 'Ben: should we?');
  const toAda = () => own().some(({ onlyFor }) => onlyFor === ada.id);
  await discord.until(toAda, 'the answer to the command');
  const told = own().map(({ wire, onlyFor }) => [wire.content, onlyFor]);
  const sorry = expect.stringContaining('this council isn’t open to you here');
  expect(told).toEqual([
    [sorry, undefined],
    [sorry, ada.id],
  ]);
  expect(discord.threads(channel.id)).toEqual([]);
  expect(discord.violations.all).toEqual([]);
});

test('thanks, laughter, links and what is said to others convene nobody, in a thread or in private', async () => {
  const models = scriptedModels(benTwice);
  await using council = await startCouncil(models);
  const { discord, guild, channel, ada, bot } = council;
  const bob = discord.addMember(guild, 'Bob');
  discord.userSays(channel, ada, 'Ben: should we?', { mentionsBot: true });
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const [thread] = discord.threads(channel.id);
  if (!thread) throw new Error('There is no thread.');
  const ofBob = discord.userSays(thread, bob, 'I doubt it.');
  const chatter = ['thanks!', '👍', 'lol', '+1', 'https://tenor.com/view/cat', '<:yes:123456789>'];
  for (const text of [...chatter, 'Interesting.', `<@${bob.id}> what do you think of that?`]) {
    discord.userSays(thread, ada, text);
  }
  discord.userSays(thread, ada, 'Ben: is that so?', { repliesTo: ofBob });
  discord.userSays(thread, ada, 'thanks!', { mentionsBot: true });
  discord.userSays(discord.directMessages(ada), ada, 'cool!!');
  discord.userSays(thread, ada, 'Ben: and now?');
  await discord.until(() => said(council, thread.id).length === 2, 'the second answer');
  await bot.idle();
  expect(said(council, thread.id)).toEqual(['No.', 'Still no.']);
  const threadId = `discord:${guild.id}:${channel.id}:${thread.id}`;
  expect(await bot.store.turns.list(threadId, { limit: 9 })).toHaveLength(2);
  expect(discord.messages(discord.directMessages(ada).id)).toHaveLength(1);
  expect(models.unsaid()).toBe(0);
});

test('“shorter” is one post of the chair, in two calls, with what can be done with a verdict', async () => {
  const shorter = JSON.stringify({ ...JSON.parse(verdict), verdict: 'In parts.' });
  const alone = JSON.stringify({ ...JSON.parse(seating([])), respond: 'council', alone: 'chair' });
  const script = { ...wholeScript, moderator: [...(wholeScript.moderator ?? []), alone] };
  const models = scriptedModels({ ...script, chair: [verdict, shorter] });
  await using council = await startCouncil(models);
  const { discord, channel, ada, bot } = council;
  ask(council, 'Should we rewrite the engine?');
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const [thread] = discord.threads(channel.id);
  if (!thread) throw new Error('There is no thread.');
  const before = discord.messages(thread.id).length;
  discord.userSays(thread, ada, 'shorter please');
  const posted = () =>
    discord
      .messages(thread.id)
      .slice(before + 1)
      .map(textOf);
  await discord.until(() => posted().some((text) => text.includes('In parts.')), 'the verdict');
  await bot.idle();
  expect(models.unsaid()).toBe(0);
  expect(posted().filter((text) => text.includes('In parts.'))).toHaveLength(1);
  expect(posted().at(-1)).toContain('Receipt');
  expect(JSON.stringify(models.chair.requests[1]?.messages)).toContain('In short: Ben says no.');
  expect(discord.violations.all).toEqual([]);
});

/** In Discord it speaks when it is asked, and else leaves people alone. */

import { expect, test, vi } from 'vitest';
import { unheardMessage, waitsHere } from '../../src/platforms/chat/asking/asking-words.ts';
import { answer, scriptedModels, seating, verdict } from '../council/scripted-council.ts';
import { hang } from '../fakes/scripted-model.ts';
import {
  ask,
  type CouncilInDiscord,
  startCouncil,
  textOf,
} from '../platforms/discord/discord-world.ts';

const nobody = '{"respond": "nobody"}';
const benAnswers = JSON.stringify({ respond: 'council', ...JSON.parse(seating(['ben'])) });

/** All that was posted by the bot and under its sages' names. */
function postsIn({ discord }: CouncilInDiscord, channelId: string) {
  return discord.messages(channelId).filter(({ wire }) => wire.author.bot === true);
}

/** A thread in which Ben has answered. */
async function threadOf(council: CouncilInDiscord) {
  const { discord, channel, bot } = council;
  ask(council, 'Ben: should we?');
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const [thread] = discord.threads(channel.id);
  if (!thread) throw new Error('There is no thread.');
  return thread;
}

test('what is meant for it in its thread is answered, and what is not shows nothing and costs one call at most', async () => {
  const models = scriptedModels({
    moderator: [nobody, benAnswers],
    sages: { ben: [answer('No.'), answer('Android later.')] },
    chair: [verdict],
  });
  await using council = await startCouncil(models);
  const { discord, guild, ada, bot } = council;
  const thread = await threadOf(council);
  const bob = discord.addMember(guild, 'Bob', []);
  const before = [postsIn(council, thread.id).length, discord.calls.length];
  for (const chatter of ['thanks!', '👍', 'lol 😂', '+1', 'https://tenor.com/view/cat-1', 'ok'])
    discord.userSays(thread, ada, chatter);
  discord.userSays(thread, ada, `<@${bob.id}> what do you think of that?`);
  const said = discord.userSays(thread, bob, 'can someone book the room');
  discord.userSays(thread, ada, 'what about thursday?', { repliesTo: said });
  await vi.waitFor(() => expect(models.moderator.requests).toHaveLength(1), 10_000);
  await bot.idle();
  expect([postsIn(council, thread.id).length, discord.calls.length]).toEqual(before);
  discord.userSays(thread, ada, 'what about android though');
  await discord.until(
    () => postsIn(council, thread.id).some(({ wire }) => wire.content === 'Android later.'),
    'the answer',
  );
  await bot.idle();
  expect(models.unsaid()).toBe(0);
  // Judging reads nothing of the platform; who is seated hears what people said in the thread.
  const told = models.sage({ key: 'ben' }).requests.map(({ messages }) => JSON.stringify(messages));
  expect(told[0]).not.toContain('book the room');
  expect(told[1]).toMatch(/<said from=.{0,80}can someone book the room/);
  expect(discord.violations.all).toEqual([]);
});

test('people who tell others about it are left alone, and a question that mentions it stays whole', async () => {
  const models = scriptedModels({
    moderator: [nobody, nobody],
    sages: { ben: [answer('No.'), answer('Later.')] },
  });
  await using council = await startCouncil(models);
  const { discord, channel, ada, bot } = council;
  const mention = `<@${discord.bot.id}>`;
  discord.userSays(channel, ada, `From today you can ask ${mention} in this channel.`);
  discord.userSays(channel, ada, `> ${mention} should we?\nThat was last week.`);
  await vi.waitFor(() => expect(models.moderator.requests).toHaveLength(2), 10_000);
  await bot.idle();
  expect(postsIn(council, channel.id)).toEqual([]);
  const first = models.moderator.requests.map(({ messages }) => messages.at(-1)?.content);
  expect(first.join()).toContain('From today you can ask Council in this channel.');
  discord.userSays(channel, ada, `Ben: should we do it now, ${mention}?`);
  discord.userSays(channel, ada, `${mention}, Ben: should we do it in May?`);
  await vi.waitFor(() => expect(models.unsaid()).toBe(0), 10_000);
  await bot.idle();
  expect(discord.threads(channel.id).map(({ name }) => name)).toEqual([
    'Ben: should we do it now, Council?',
    'Ben: should we do it in May?',
  ]);
  expect(discord.violations.all).toEqual([]);
});

test('a sage is addressed by name everywhere: in the thread, by mention and by command', async () => {
  const models = scriptedModels({
    sages: { ben: ['One.', 'Two.', 'Three.', 'Four.'].map(answer) },
  });
  await using council = await startCouncil(models);
  const { discord, channel, ada, bot } = council;
  const thread = await threadOf(council);
  discord.userSays(thread, ada, 'Ben, go on');
  await bot.idle();
  await vi.waitFor(() => expect(models.unsaid()).toBe(2), 10_000);
  discord.userSays(thread, ada, '@ben and now', { mentionsBot: true });
  await vi.waitFor(() => expect(models.unsaid()).toBe(1), 10_000);
  discord.slash({
    user: ada,
    channel,
    command: 'council',
    subcommand: 'ask',
    options: { question: '@ben hi' },
  });
  await vi.waitFor(() => expect(models.unsaid()).toBe(0), 10_000);
  await bot.idle();
  expect(discord.violations.all).toEqual([]);
});

test('a bare help or stop that is said to it does that, and exit asks nothing', async () => {
  const models = scriptedModels({ sages: { ben: [hang] } });
  await using council = await startCouncil(models);
  const { discord, channel, ada, bot } = council;
  discord.userSays(channel, ada, 'exit', { mentionsBot: true });
  discord.userSays(channel, ada, 'help', { mentionsBot: true });
  const helped = () =>
    postsIn(council, channel.id).filter((one) => textOf(one).includes('/council'));
  await discord.until(() => helped().length === 1, 'the help');
  const [short = expect.unreachable()] = helped();
  expect(textOf(short)).toContain('`/council help`; only you see it');
  expect(textOf(short)).not.toContain('/council leaderboard');
  const direct = discord.directMessages(ada);
  discord.userSays(direct, ada, 'help');
  const whole = () =>
    postsIn(council, direct.id).some((one) => textOf(one).includes('/council leaderboard'));
  await discord.until(whole, 'the whole help');
  const asked = discord.userSays(channel, ada, 'Ben: why?', { mentionsBot: true });
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await vi.waitFor(() => expect(models.unsaid()).toBe(0), 10_000);
  const thread = discord.threads(channel.id)[0];
  if (thread?.id !== asked.wire.id) throw new Error('There is no thread on the question.');
  discord.userSays(thread, ada, 'stop', { mentionsBot: true });
  await discord.until(
    () => postsIn(council, thread.id).some((one) => textOf(one).includes('Stopped one question')),
    'the word on it',
  );
  await bot.idle();
  const threadId = `discord:${council.guild.id}:${channel.id}:${thread.id}`;
  expect(await bot.store.turns.list(threadId, { limit: 5 })).toMatchObject([
    { outcome: 'stopped' },
  ]);
  expect(discord.violations.all).toEqual([]);
});

test('an edit while the moderator judges a remark is offered to be asked anew, as a reply', async () => {
  const judging = Promise.withResolvers<string>();
  const models = scriptedModels({
    moderator: [() => judging.promise],
    sages: { ben: [answer('No.'), answer('40k.')] },
    chair: [verdict],
  });
  await using council = await startCouncil(models);
  const { discord, guild, bot } = council;
  const thread = await threadOf(council);
  const bob = discord.addMember(guild, 'Bob', []);
  const asked = discord.userSays(thread, bob, 'what would that cost');
  await vi.waitFor(() => expect(models.moderator.requests).toHaveLength(1), 10_000);
  discord.userEdits(asked, 'what would that cost in euros');
  // What comes later is dealt with later: when this is answered, the edit has been heard.
  discord.userSays(thread, bob, 'help', { mentionsBot: true });
  const posts = () => postsIn(council, thread.id);
  await discord.until(() => posts().some((one) => textOf(one).includes('/council')), 'the help');
  judging.resolve(benAnswers);
  const offer = () => posts().find((one) => textOf(one).includes('Ask the edited question'));
  await discord.until(() => offer() !== undefined, 'the offer');
  expect(offer()?.wire.message_reference?.message_id).toBe(asked.wire.id);
  await bot.idle();
  expect(discord.violations.all).toEqual([]);
});

test('in a thread of several people, a card replies to the question that it is about', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.'), answer('40k.')] } });
  await using council = await startCouncil(models);
  const { discord, guild, ada, bot } = council;
  const bob = discord.addMember(guild, 'Bob', []);
  const thread = await threadOf(council);
  const asked = discord.userSays(thread, bob, 'Ben: what would it cost?');
  discord.userSays(thread, ada, 'I will ask around, too.', { repliesTo: asked });
  await vi.waitFor(() => expect(models.unsaid()).toBe(0), 10_000);
  await bot.idle();
  const card = postsIn(council, thread.id).find((one) => textOf(one).includes('1 of 1 answered.'));
  expect(card?.wire.message_reference?.message_id).toBe(asked.wire.id);
  expect(discord.pings()).toEqual([]);
  expect(discord.violations.all).toEqual([]);
});

test('a card that may not reply, for it may not read the history, is whole nevertheless', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.')] } });
  await using council = await startCouncil(models);
  const { discord, channel, ada, bot } = council;
  discord.revokePermissions(channel, 'ReadMessageHistory');
  discord.userSays(channel, ada, 'Ben: should we?', { mentionsBot: true });
  await vi.waitFor(() => expect(models.unsaid()).toBe(0), 10_000);
  await bot.idle();
  const [card] = postsIn(council, channel.id);
  expect(card?.wire.content).toBe('');
  expect(card && textOf(card)).toContain('1 of 1 answered.');
  expect(discord.violations.all).toEqual([]);
});

test('a mention that only greets it gets the help, and seats no one', async () => {
  const models = scriptedModels({});
  await using council = await startCouncil(models);
  const { discord, channel, ada, bot } = council;
  discord.userSays(channel, ada, 'hello!', { mentionsBot: true });
  await discord.until(() => postsIn(council, channel.id).length === 1, 'the help');
  await bot.idle();
  expect(postsIn(council, channel.id).map(textOf)[0]).toContain('/council ask');
  expect(discord.threads(channel.id)).toEqual([]);
  expect(models.moderator.requests).toEqual([]);
  expect(discord.violations.all).toEqual([]);
});

test('a voice message is told that it can’t be heard where it was for the council, and seats no one', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.')] } });
  await using council = await startCouncil(models);
  const { discord, channel, ada } = council;
  const thread = await threadOf(council);
  const bens = postsIn(council, thread.id).find(({ wire }) => wire.content === 'No.');
  const [card] = postsIn(council, channel.id);
  if (!bens || !card) throw new Error('There is no answer.');
  const direct = discord.directMessages(ada);
  const files = [{ name: 'voice-message.ogg', bytes: Buffer.from('OggS') }];
  const voice = { isVoice: true, files };
  const before = discord.calls.length;
  const told = async ({ id }: { readonly id: string }) => {
    const texts = () => postsIn(council, id).map(({ wire }) => wire.content);
    await discord.until(() => texts().includes(unheardMessage), 'the reply');
  };
  const own = discord.userSays(thread, ada, 'thanks');
  discord.userSays(thread, ada, '', voice);
  discord.userSays(channel, ada, '', voice);
  discord.userSays(thread, ada, '', { ...voice, repliesTo: own });
  discord.userSays(direct, ada, '', voice);
  await told(direct);
  discord.userSays(thread, ada, '', { ...voice, repliesTo: bens });
  await told(thread);
  discord.userSays(channel, ada, '', { ...voice, repliesTo: card });
  await told(channel);
  const posts = discord.calls.slice(before).filter(({ route }) => route.startsWith('POST'));
  expect(posts).toHaveLength(3);
  expect(models.moderator.requests).toEqual([]);
  expect(discord.violations.all).toEqual([]);
});

test('a reply to it without a word, e.g. a sticker, is no question', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.')] } });
  await using council = await startCouncil(models);
  const { discord, channel, ada, bot } = council;
  await threadOf(council);
  const [card = expect.unreachable()] = postsIn(council, channel.id);
  discord.userSays(channel, ada, '', { repliesTo: card });
  const refused = () =>
    postsIn(council, channel.id).some((one) => textOf(one).includes('I don’t see a question'));
  await discord.until(refused, 'the refusal');
  await bot.idle();
  expect(discord.threads(channel.id)).toHaveLength(1);
  expect(models.moderator.requests).toEqual([]);
});

test('while as many are answered as may be at once, the channel is told that others wait, not each of them', async () => {
  const models = scriptedModels({ sages: { ben: [hang] } });
  await using council = await startCouncil(models, { bot: { concurrency: 1 } });
  const { discord, guild, channel, ada, bot } = council;
  const asks = (who: typeof ada, where = channel) =>
    discord.userSays(where, who, 'Ben: should we?', { mentionsBot: true });
  const first = asks(ada);
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  // Its channel is deleted before anyone is told.
  const gone = discord.addChannel(guild, 'gone');
  const lost = [
    'discord',
    guild.id,
    gone.id,
    asks(discord.addMember(guild, 'Gus'), gone).wire.id,
  ].join(':');
  const isAsked = async () =>
    expect(await bot.store.turns.list(lost, { limit: 1 })).toHaveLength(1);
  await vi.waitFor(isAsked, 5000);
  discord.deleteChannel(gone);
  const waiting = ['Bob', 'Cyd', 'Dee', 'Eve', 'Fay'].map((name) =>
    asks(discord.addMember(guild, name)),
  );
  const other = discord.addChannel(guild, 'other');
  asks(discord.addMember(guild, 'Hal'), other);
  const told = ({ id } = channel) =>
    postsIn(council, id)
      .filter(({ wire }) => wire.content === waitsHere)
      .map(({ wire }) => wire.message_reference?.message_id);
  await discord.until(() => told(other).length === 1 && told().length >= 3, 'the notices');
  // Its reply comes after any other notice to the channel.
  const helps = () =>
    postsIn(council, channel.id).filter((one) => textOf(one).includes('I’m Council')).length;
  const before = helps();
  discord.userSays(channel, ada, 'help', { mentionsBot: true });
  await discord.until(() => helps() > before, 'the help');
  expect(told()).toHaveLength(3);
  expect(told().every((id) => waiting.some(({ wire }) => wire.id === id))).toBe(true);
  expect(told()).not.toContain(first.wire.id);
  expect(discord.violations.all).toEqual([]);
});

test('a question is not said to wait whose thread is there, though Discord’s gateway has not told of it', async () => {
  const models = scriptedModels({ sages: { ben: [hang] } });
  await using council = await startCouncil(models, { bot: { concurrency: 1 } });
  const { discord, guild, channel, ada } = council;
  const asked = [ada, discord.addMember(guild, 'Bob')].map((who) =>
    discord.userSays(channel, who, 'Ben: should we?', { mentionsBot: true }),
  );
  discord.gateway.freezeConnections();
  const told = () =>
    postsIn(council, channel.id)
      .filter(({ wire }) => wire.content === waitsHere)
      .map(({ wire }) => wire.message_reference?.message_id);
  await discord.until(() => told().length > 0, 'the notice');
  const [thread] = discord.threads(channel.id);
  expect(asked.map(({ wire }) => wire.id)).toContain(thread?.id);
  expect(told()).toEqual(asked.flatMap(({ wire }) => (wire.id === thread?.id ? [] : wire.id)));
});

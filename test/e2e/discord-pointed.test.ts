/** The messages that a question points at in Discord: chosen from a menu, replied to, forwarded. */

import { ComponentType, EmbedType, PollLayoutType } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { faultWords } from '../../commands/command.ts';
import {
  answer,
  scriptedModels,
  seating,
  verdict,
  wholeScript,
} from '../council/scripted-council.ts';
import {
  type CouncilInDiscord,
  joinWorld,
  startCouncil,
  textOf,
} from '../platforms/discord/discord-world.ts';
import { answered, once, toldTo } from './told-to-ben.ts';

test('a bare mention as a reply is answered with the chain above it', async () => {
  const models = scriptedModels({
    moderator: [seating(['ben'])],
    chair: [verdict],
    sages: { ben: [answer('No.')] },
  });
  await using council = await startCouncil(models);
  const { discord, guild, channel, ada } = council;
  const bob = discord.addMember(guild, 'Bob');
  const first = discord.userSays(channel, bob, 'The bridge is closed.');
  const second = discord.userSays(channel, bob, 'We take the ferry.', { repliesTo: first });
  discord.userSays(channel, bob, 'Beside the point.');
  discord.userSays(channel, ada, '', { mentionsBot: true, repliesTo: second });
  await answered(council, models);
  expect(toldTo(models)).toMatch(/The bridge is closed.*We take the ferry/);
  expect(toldTo(models)).not.toContain('Beside the point');
});

test('asked about another’s message, a person may say what they want to know', async () => {
  const models = once();
  await using council = await startCouncil(models, { privilegedIntents: [] });
  const { discord, guild, channel, ada } = council;
  const bob = discord.addMember(guild, 'Bob');
  const target = discord.userSays(channel, bob, 'We take the ferry.');
  const chosen = discord.messageCommand(ada, 'Ask the council', target);
  await discord.until(() => chosen.acknowledgement?.kind === 'modal', 'the modal');
  discord.submitModal(chosen, { question: 'Ben: is that wise?' });
  await answered(council, models);
  expect(toldTo(models)).toContain('About what Bob wrote');
  expect(toldTo(models)).toContain('We take the ferry.');
  expect(toldTo(models)).toContain('meant=\\"yes\\"');
});

const preview = {
  ...({ type: EmbedType.Article, title: 'Falcon', author: { name: 'The Gazette' } } as const),
  description: 'Falcon flies in May.',
  fields: [{ name: 'Price', value: '40k', inline: false }],
  footer: { text: 'Page 3' },
};

test('of a thread, what was forwarded and embedded is read with it', async () => {
  const models = once();
  await using council = await startCouncil(models);
  const { discord, guild, channel, ada } = council;
  const bob = discord.addMember(guild, 'Bob');
  const elsewhere = discord.addChannel(guild, 'elsewhere');
  const beyond = discord.userSays(elsewhere, bob, 'Said elsewhere.');
  const told = discord.userSays(elsewhere, bob, `<@${bob.id}> quits.`, { repliesTo: beyond });
  const thread = discord.userOpensThread(channel, ada, 'Falcon');
  discord.userSays(thread, bob, 'https://gazette.example/falcon', { embeds: [preview] });
  const forward = discord.userSays(thread, bob, '', { forwards: told });
  discord.userSays(thread, ada, 'Ben: and now?', { mentionsBot: true, repliesTo: forward });
  await answered(council, models);
  const said = toldTo(models);
  for (const part of ['The Gazette', 'Falcon flies in May.', 'Price: 40k', 'Page 3'])
    expect(said).toContain(part);
  expect(said).toContain('[forwarded] @\u2060someone quits.');
  // Of what was forwarded, who said it and what it answered is not ours to look up.
  expect(said).not.toContain('Said elsewhere.');
  expect(discord.calls.filter(({ path }) => path.includes(elsewhere.id))).toEqual([]);
});

test('what is forwarded or embedded with the question itself is what the question is about', async () => {
  const models = scriptedModels({
    moderator: [seating(['ben'])],
    chair: [verdict],
    sages: { ben: [answer('No.')] },
  });
  await using council = await startCouncil(models);
  const { discord, guild, channel, ada } = council;
  const bob = discord.addMember(guild, 'Bob');
  const told = discord.userSays(channel, bob, 'We take the ferry.', { embeds: [preview] });
  discord.userSays(channel, ada, '', { mentionsBot: true, forwards: told });
  await answered(council, models);
  const said = toldTo(models);
  expect(said).toMatch(/meant=.{0,10}yes.{0,30}\[forwarded\] We take the ferry\./);
  expect(said).toContain('Falcon flies in May.');
  expect(said).toContain('What do you make of this?');
});

test.each(
  ['replied to', 'chosen from its menu'].flatMap((how) => [
    { what: 'message of components', how },
    { what: 'poll', how },
  ]),
)('a $what that is $how is read', async ({ what, how }) => {
  const models = once();
  await using council = await startCouncil(models);
  const { discord, guild, channel, ada } = council;
  const news = discord.addMember(guild, 'News');
  const content = 'The ferry sinks in May.';
  const text = { type: ComponentType.TextDisplay as const, content };
  const container = { type: ComponentType.Container as const, components: [text] };
  const answers = ['When?', content].map((answer, index) => {
    return { answer_id: index + 1, poll_media: { text: answer } };
  });
  const question = { text: 'What happens?' };
  const poll = {
    question,
    answers,
    expiry: '2030-01-01T00:00:00Z',
    allow_multiselect: false,
    layout_type: PollLayoutType.Default,
    results: { is_finalized: false, answer_counts: [] },
  };
  const shown = what === 'poll' ? { poll } : { components: [container] };
  const said = discord.userSays(channel, news, '', shown);
  if (how === 'replied to') {
    discord.userSays(channel, ada, 'Ben: is that so?', { mentionsBot: true, repliesTo: said });
  } else {
    const chosen = discord.messageCommand(ada, 'Ask the council', said);
    await discord.until(() => chosen.acknowledgement?.kind === 'modal', 'the modal');
    discord.submitModal(chosen, { question: 'Ben: is that so?' });
  }
  await answered(council, models);
  expect(toldTo(models)).toMatch(/meant=.{0,10}yes.{0,80}The ferry sinks in May\./);
});

test('a message that is deleted while a person types a question about it is not read', async () => {
  await using council = await startCouncil(scriptedModels({}));
  const { discord, guild, channel, ada } = council;
  const bob = discord.addMember(guild, 'Bob');
  const said = discord.userSays(channel, bob, 'I earn 12,345 a month.');
  const chosen = discord.messageCommand(ada, 'Ask the council', said);
  await discord.until(() => chosen.acknowledgement?.kind === 'modal', 'the modal');
  discord.deleteMessage(said);
  discord.submitModal(chosen, { question: 'Ben: is that enough?' });
  const answers = () => discord.messages(channel.id).map(textOf);
  await discord.until(() => answers().length > 0, 'an answer');
  expect(answers()).toEqual([expect.stringContaining('The message is gone')]);
});

/** A person has opened the modal to ask about a message, and the bot has been restarted since. */
async function openedBefore(council: CouncilInDiscord) {
  const { discord, guild, channel, ada, bot } = council;
  const said = discord.userSays(channel, discord.addMember(guild, 'Bob'), 'The ferry sinks.');
  const chosen = discord.messageCommand(ada, 'Ask the council', said);
  await discord.until(() => chosen.acknowledgement?.kind === 'modal', 'the modal');
  await bot.shutDown();
  return async () => {
    await using _ = await joinWorld(council, scriptedModels({}));
    discord.submitModal(chosen, { question: 'Ben: is that so?' });
    const answers = () => discord.messages(channel.id).filter(({ wire }) => wire.author.bot);
    await discord.until(() => answers().length > 0, 'an answer');
    return answers().map(textOf);
  };
}

test('after a restart, a message that Discord does not send for a moment is not called gone', async () => {
  await using council = await startCouncil(once());
  const submit = await openedBefore(council);
  council.discord.faults.failNext('GET /channels/{channel_id}/messages/{message_id}', {
    kind: 'status',
    status: 500,
  });
  expect(await submit()).toEqual([expect.stringContaining(faultWords)]);
});

test('after a restart, a message that the bot may not read is no fault', async () => {
  await using council = await startCouncil(once());
  const submit = await openedBefore(council);
  council.discord.revokePermissions(council.channel, 'ReadMessageHistory');
  expect(await submit()).toEqual([expect.stringContaining('The message is gone')]);
});

test('after a restart, a message that Discord shows no words of is not asked about', async () => {
  await using council = await startCouncil(once(), { privilegedIntents: [] });
  const submit = await openedBefore(council);
  expect(await submit()).toEqual([expect.stringContaining('no longer contains a question')]);
});

test('a reply to the card in the channel is asked with what the card says', async () => {
  const sages = { ...wholeScript.sages, ben: [answer('Ben says no.'), answer('In May.')] };
  const models = scriptedModels({ ...wholeScript, sages });
  await using council = await startCouncil(models, { privilegedIntents: [] });
  const { discord, channel, ada, bot } = council;
  discord.userSays(channel, ada, 'Should we rewrite the engine?', { mentionsBot: true });
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const shown = () => discord.messages(channel.id);
  const card = shown().find((one) => textOf(one).includes('Rewrite it in parts.'));
  if (!card) throw new Error('There is no card with the verdict.');
  discord.userSays(channel, ada, 'Ben: when?', { mentionsBot: true, repliesTo: card });
  await discord.until(() => models.unsaid() === 0, 'the second question');
  await bot.idle();
  const told = JSON.stringify(models.sage({ key: 'ben' }).requests[1]?.messages);
  expect(told).toMatch(/meant=.{0,10}yes.{0,200}Rewrite it in parts\./);
  expect(shown().map(textOf).join('\n')).not.toContain('Message Content');
  expect(discord.violations.all).toEqual([]);
});

test('a chain of replies stays in its channel and ends where a message is gone', async () => {
  const models = once();
  await using council = await startCouncil(models);
  const { discord, guild, channel, ada } = council;
  const bob = discord.addMember(guild, 'Bob');
  const gone = discord.userSays(channel, bob, 'Taken back.');
  const first = discord.userSays(channel, bob, 'The bridge is closed.', { repliesTo: gone });
  discord.deleteMessage(gone);
  const second = discord.userSays(channel, bob, 'See this.', {
    repliesTo: first,
    embeds: [preview],
  });
  discord.userSays(channel, ada, 'Ben: who pays?', { mentionsBot: true, repliesTo: second });
  await answered(council, models);
  expect(toldTo(models)).toMatch(/The bridge is closed.*See this.*Falcon flies in May/);
  expect(toldTo(models)).not.toContain('Taken back.');
  expect(toldTo(models)).not.toContain('Not everything could be read');
});

test('a chain of replies ends at what was forwarded', async () => {
  const models = once();
  await using council = await startCouncil(models);
  const { discord, guild, channel, ada } = council;
  const bob = discord.addMember(guild, 'Bob');
  const told = discord.userSays(channel, bob, 'We take the ferry.');
  const forward = discord.userSays(channel, bob, '', { forwards: told });
  discord.userSays(channel, ada, 'Ben: who pays?', { mentionsBot: true, repliesTo: forward });
  await answered(council, models);
  expect(toldTo(models).match(/We take the ferry/g)).toHaveLength(1);
});

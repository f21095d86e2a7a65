/** What people do below a verdict in Discord, by its buttons and its menu. */

import { ChannelType } from 'discord.js';
import { expect, test } from 'vitest';
import { answer, scriptedModels, verdict, wholeScript } from '../council/scripted-council.ts';
import type { Line } from '../fakes/scripted-model.ts';
import {
  ask,
  type CouncilInDiscord,
  startCouncil,
  textOf,
} from '../platforms/discord/discord-world.ts';
import { answered, customIds, idWith, type Stored } from '../platforms/discord/private-answers.ts';
import { forgetting } from './remembering-guild.ts';

const suggesting = JSON.stringify({
  ...JSON.parse(verdict),
  next_questions: ['Ben: what about Windows?', 'Ben: who would do it?'],
});
const botPost = 'POST /channels/{channel_id}/messages';

const script = (ada: readonly Line[], ben: readonly Line[] = []) =>
  scriptedModels({
    ...wholeScript,
    sages: {
      ...wholeScript.sages,
      ada: [answer('Ada says yes.'), ...ada],
      ben: [answer('Ben says no.'), ...ben],
    },
    chair: [suggesting],
  });

async function concluded(council: CouncilInDiscord, question = 'Should we rewrite the engine?') {
  ask(council, question);
  const { discord, channel, bot } = council;
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const thread = discord.threads(channel.id)[0]?.id ?? '';
  const shown = () => {
    const one = discord.messages(thread).find((said) => textOf(said).includes('## Verdict'));
    if (!one) throw new Error('There is no verdict.');
    return one;
  };
  const said = () => discord.messages(thread).map(textOf);
  return { thread, shown, said };
}

function mustBeQuiet({ discord, lines }: CouncilInDiscord): void {
  expect(discord.violations.all).toEqual([]);
  expect(lines.filter((line) => !line.startsWith('info'))).toEqual([]);
}

/** The values that can be chosen on a message. */
function picks(message: Stored): readonly string[] {
  const options = [...JSON.stringify(message.wire.components).matchAll(/"value":"([^"]+)"/g)];
  return options.map(([, value = '']) => value);
}

test('a verdict is rated, and its receipt shown, by the buttons below it', async () => {
  await using council = await startCouncil(script([]));
  const { discord, ada } = council;
  const { shown } = await concluded(council);
  const press = (part: string) =>
    answered(council, discord.pressButton(ada, shown(), idWith(shown(), part)));
  expect(textOf(await press('|feedback|good|'))).toContain('Your rating is saved');
  expect(textOf(await press('|receipt|'))).toContain('good: 1, bad: 0');
  mustBeQuiet(council);
});

test('a sage is asked again, with its own model or another, and the verdict tells so', async () => {
  await using council = await startCouncil(script([answer('Ada says so again.')]));
  const { discord, ada, bot } = council;
  const { shown, said } = await concluded(council);
  expect(picks(shown())).toContain('ada');
  expect(picks(shown())).toContain('ada test:chair');
  const menu = idWith(shown(), '|one|');
  const chosen = [1, 2].map(() => discord.select(ada, shown(), menu, ['ada']));
  const replies = await Promise.all(chosen.map((one) => answered(council, one)));
  expect(replies.map((one) => textOf(one).trim()).toSorted()).toEqual([
    'It has been asked already.',
    'The council is being seated.',
  ]);
  await bot.idle();
  expect(said().filter((text) => text.includes('Ada says so again.'))).toHaveLength(1);
  expect(said().filter((text) => text.includes('Ada says yes.'))).toHaveLength(1);
  expect(said().join('\n')).toContain('Ada asks Ada Sage again. The earlier answer stays');
  await expect.poll(() => textOf(shown())).toContain('Asked again since: Ada Sage.');
  mustBeQuiet(council);
});

test('people who may only read see how a verdict came about, but ask nothing by its buttons', async () => {
  await using council = await startCouncil(script([]));
  const { discord, guild, channel, bot } = council;
  const { thread, shown } = await concluded(council);
  const posts = discord.messages(thread).length;
  discord.denyEveryone(channel, 'SendMessages', 'SendMessagesInThreads');
  const otto = discord.addMember(guild, 'Otto');
  const ranking = discord.messages(thread).find((one) => textOf(one).includes('Go deeper'));
  const press = (on: Stored | undefined, part: string) => {
    if (!on) throw new Error('There is no such message.');
    return answered(council, discord.pressButton(otto, on, idWith(on, part)));
  };
  const chosen = discord.select(otto, shown(), idWith(shown(), '|one|'), ['ada']);
  const refused = [
    await press(shown(), '|next|1|'),
    await press(ranking, '|deeper '),
    await answered(council, chosen),
  ].map((one) => textOf(one).trim());
  expect(refused).toEqual(
    [1, 2, 3].map(() => 'Only people who may write here can ask the council.'),
  );
  expect(textOf(await press(shown(), '|receipt|'))).toContain('Id of this turn');
  await bot.idle();
  expect(discord.messages(thread).filter(({ onlyFor }) => onlyFor === undefined)).toHaveLength(
    posts,
  );
});

test('people who may write in threads alone post no verdict to the channel', async () => {
  await using council = await startCouncil(script([]));
  const { discord, channel, ada } = council;
  const { shown } = await concluded(council);
  const posts = discord.messages(channel.id).length;
  discord.denyEveryone(channel, 'SendMessages');
  const pressed = discord.pressButton(ada, shown(), idWith(shown(), '|post|'));
  expect(textOf(await answered(council, pressed)).trim()).toBe(
    'Only people who may write in the channel can post a verdict there.',
  );
  expect(discord.messages(channel.id)).toHaveLength(posts);
});

test('a suggested question is asked once, and is gone', async () => {
  await using council = await startCouncil(script([], [answer('Ben would.')]));
  const { discord, ada, bot } = council;
  const { shown, said } = await concluded(council);
  const before = shown();
  expect(textOf(before)).toContain('Ben: what about Windows?');
  const press = () => discord.pressButton(ada, before, idWith(before, '|next|2|'));
  const replies = await Promise.all([press(), press()].map((one) => answered(council, one)));
  expect(replies.map((one) => textOf(one).trim()).toSorted()).toEqual([
    'It has been asked already.',
    'The council is being seated.',
  ]);
  await bot.idle();
  expect(said().join('\n')).toContain('Ben would.');
  expect(said().join('\n')).toContain('Ada asks what the verdict suggested.');
  await expect.poll(() => customIds(shown()).some((id) => id.includes('|next|2|'))).toBe(false);
  expect(textOf(shown())).toContain('Ben: what about Windows?');
  mustBeQuiet(council);
});

test('a verdict is posted to the channel once, for everybody to read and without a ping', async () => {
  await using council = await startCouncil(script([]));
  const { discord, ada, channel } = council;
  const { shown } = await concluded(council);
  const stranger = discord.addMember(council.guild, 'Otto');
  const pressed = [stranger, ada, ada].map((who) =>
    discord.pressButton(who, shown(), idWith(shown(), '|post|')),
  );
  const replies = await Promise.all(pressed.map((one) => answered(council, one)));
  expect(replies.map((one) => textOf(one).trim()).toSorted()).toEqual([
    'It has just been tried. If it isn’t there in a minute, try again.',
    'Only the person who asked, and those who manage this channel, can post the verdict.',
    'The verdict is in the channel now.',
  ]);
  const [card, post, ...more] = discord.messages(channel.id);
  expect(more).toEqual([]);
  expect(card && textOf(card)).toContain('Read the whole council');
  expect(post && textOf(post)).toContain('Should we rewrite the engine?');
  expect(post && textOf(post)).toContain('Rewrite it in parts.');
  expect(post?.wire.mentions).toEqual([]);
  await expect.poll(() => textOf(shown())).toContain('Posted to the channel.');
  expect(customIds(shown()).some((id) => id.includes('|post|'))).toBe(false);
  mustBeQuiet(council);
});

test.each([
  ['Was ||the engine|| right to go?', true],
  ['Is `go || wait || stop` right?', false],
])(
  'where a question hides something, so are the verdicts in the channel that may give it away: %s, %s',
  async (question, hides) => {
    await using council = await startCouncil(script([]));
    const { discord, ada, channel } = council;
    const isHidden = () =>
      discord.messages(channel.id).map(({ wire }) => /"spoiler":true/.test(JSON.stringify(wire)));
    const { shown } = await concluded(council, question);
    await answered(council, discord.pressButton(ada, shown(), idWith(shown(), '|post|')));
    expect(isHidden()).toEqual([hides, hides]);
    mustBeQuiet(council);
  },
);

test('a posted verdict that a moderator deleted is posted again, and one that is there is not', async () => {
  let at = Date.now();
  await using council = await startCouncil(script([]), { bot: { now: () => at } });
  const { discord, ada, channel } = council;
  const { thread } = await concluded(council);
  const [inThread] = discord.threads(channel.id);
  if (!inThread) throw new Error('There is no thread.');
  const command = { user: ada, channel: inThread, command: 'council', subcommand: 'post' };
  const post = async () => textOf(await answered(council, discord.slash(command)));
  const posts = () =>
    discord
      .messages(channel.id)
      .filter((one) => one.wire.id !== thread && textOf(one).includes('Rewrite it in parts.'));
  expect(await post()).toContain('The verdict is in the channel now.');
  const [first] = posts();
  if (!first) throw new Error('Nothing was posted.');
  // More than are read to find a post whose id is unknown.
  for (let said = 0; said < 510; said += 1) discord.userSays(channel, ada, 'Lunch?');
  expect(await post()).toContain('It’s in the channel already.');
  expect(await post()).toContain('It’s in the channel already.');
  expect(posts()).toEqual([first]);
  discord.deleteMessage(first);
  at += 61_000;
  expect(await post()).toContain('The verdict is in the channel now.');
  expect(posts()).toHaveLength(1);
  expect(await post()).toContain('It’s in the channel already.');
  // One that can't be looked for is not posted again.
  discord.revokePermissions(channel, 'ReadMessageHistory');
  at += 61_000;
  expect(await post()).toContain('It’s in the channel already.');
  expect(posts()).toHaveLength(1);
  mustBeQuiet(council);
});

test('a verdict that may not be posted is told of, and can be posted later', async () => {
  let at = Date.now();
  await using council = await startCouncil(script([]), { bot: { now: () => at } });
  const { discord, ada, channel } = council;
  const { shown } = await concluded(council);
  const press = () =>
    answered(council, discord.pressButton(ada, shown(), idWith(shown(), '|post|')));
  discord.faults.failNext(botPost, { kind: 'status', status: 403 });
  expect(textOf(await press())).toContain('It could not be posted: ');
  at += 61_000;
  discord.revokePermissions(channel, 'SendMessages');
  expect(textOf(await press())).toContain('It could not be posted: I lack a permission there');
  discord.grantPermissions(channel, 'SendMessages');
  at += 61_000;
  expect(textOf(await press())).toContain('The verdict is in the channel now.');
  expect(discord.messages(channel.id)).toHaveLength(2);
  expect(discord.violations.all).toEqual([]);
});

test('a verdict in a private thread is not offered to be posted to its channel', async () => {
  await using council = await startCouncil(script([], [answer('Ben would.')]));
  const { discord, guild, channel, bot } = council;
  const mia = discord.addMember(guild, 'Mia', ['Administrator']);
  const hidden = discord.userOpensThread(channel, mia, 'Board', { isPrivate: true });
  discord.userSays(hidden, mia, 'Should we rewrite the engine?', { mentionsBot: true });
  const verdictIn = () =>
    discord.messages(hidden.id).find((said) => textOf(said).includes('## Verdict'));
  await discord.until(() => verdictIn() !== undefined, 'the verdict');
  await bot.idle();
  const shown = verdictIn();
  const press = (part: string) =>
    shown && answered(council, discord.pressButton(mia, shown, idWith(shown, part)));
  const isOffered = () => shown && customIds(shown).some((id) => id.includes('|post|'));
  expect(isOffered()).toBe(false);
  await press('|next|1|');
  await bot.idle();
  await expect.poll(() => shown && textOf(shown)).not.toContain('Ben: what about Windows?');
  expect(isOffered()).toBe(false);
});

test('in a post of a forum, which has no channel around it, that is said, and nothing is offered', async () => {
  await using council = await startCouncil(script([]));
  const { discord, guild, ada, bot } = council;
  const forum = discord.addChannel(guild, 'forum', ChannelType.GuildForum);
  const text = `<@${discord.bot.id}> Should we rewrite the engine?`;
  const post = discord.userOpensThread(forum, ada, 'Engines', { text });
  const verdictIn = () =>
    discord.messages(post.id).find((said) => textOf(said).includes('## Verdict'));
  await discord.until(() => verdictIn() !== undefined, 'the verdict');
  await bot.idle();
  const shown = verdictIn();
  if (!shown) throw new Error('There is no verdict.');
  expect(customIds(shown).some((id) => id.includes('|post|'))).toBe(false);
  const given = { user: ada, channel: post, command: 'council', subcommand: 'post' };
  expect(textOf(await answered(council, discord.slash(given))).trim()).toBe(
    'There is no channel besides this conversation to post it in.',
  );
});

test.each([
  ['', []],
  [', also where the bot may no longer look', ['ReadMessageHistory'] as const],
])('a verdict that was posted is taken out of the channel with its question%s', async (_, lost) => {
  await using council = await startCouncil(script([]), { bot: forgetting });
  const { discord, ada, channel, bot } = council;
  const said = discord.userSays(channel, ada, `<@${discord.applicationId}> Should we rewrite it?`);
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const thread = discord.threads(channel.id)[0]?.id ?? '';
  const shown = discord.messages(thread).find((one) => textOf(one).includes('## Verdict'));
  const pressed = shown && discord.pressButton(ada, shown, idWith(shown, '|post|'));
  if (pressed) await answered(council, pressed);
  const texts = () => discord.messages(channel.id).map(textOf).join('\n');
  expect(texts().split('Rewrite it in parts.')).toHaveLength(3);
  discord.revokePermissions(channel, ...lost);
  discord.deleteMessage(said);
  // Without its history, what stands on the card can't be found.
  const left = lost.length === 0 ? 1 : 2;
  await expect.poll(() => texts().split('Rewrite it in parts.')).toHaveLength(left);
});

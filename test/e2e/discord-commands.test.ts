import { expect, test } from 'vitest';
import { commands } from '../../commands/index.ts';
import { scoredTurn } from '../bot/scored.ts';
import { answer, scriptedModels, verdict, wholeScript } from '../council/scripted-council.ts';
import { hang } from '../fakes/scripted-model.ts';
import {
  ask,
  type CouncilInDiscord,
  setFollowUps,
  setHere,
  startCouncil,
  textOf,
} from '../platforms/discord/discord-world.ts';
import { answered, idWith, type Stored, slash } from '../platforms/discord/private-answers.ts';

/** What only one person sees in a channel. */
function privately({ discord }: CouncilInDiscord, channelId: string): readonly Stored[] {
  return discord.messages(channelId).filter(({ onlyFor }) => onlyFor !== undefined);
}

test('the asker and managers can stop a turn, and no one else', async () => {
  const models = scriptedModels({ sages: { ben: [hang] } });
  await using council = await startCouncil(models);
  const { discord, guild, channel, ada, bot } = council;
  ask(council, 'Ben: should we?');
  await expect.poll(() => models.sage({ key: 'ben' }).requests.length).toBe(1);
  const card = () => discord.messages(channel.id)[0];
  await discord.until(
    () => JSON.stringify(card()?.wire.components).includes('|stop|'),
    'the button',
  );
  const [shown] = discord.messages(channel.id);
  if (!shown) throw new Error('There is no card.');
  const stranger = discord.addMember(guild, 'Eve');
  const refused = discord.pressButton(stranger, shown, idWith(shown, '|stop|'));
  expect(textOf(await answered(council, refused))).toContain('Only the person who asked');
  discord.pressButton(ada, shown, idWith(shown, '|stop|'));
  await bot.idle();
  expect(models.sage({ key: 'ben' }).requests[0]?.signal.aborted).toBe(true);
  const [end] = discord.messages(channel.id);
  expect(end && textOf(end)).toContain('Stopped.');
  expect(discord.violations.all).toEqual([]);
});

test('below the ranking one can read the reviews with their ballots and why these sages sat, in private', async () => {
  await using council = await startCouncil(scriptedModels(wholeScript));
  const { discord, channel, ada, bot } = council;
  ask(council, 'Should we rewrite the engine?');
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const thread = discord.threads(channel.id)[0]?.id ?? '';
  const ranking = discord.messages(thread).find((one) => textOf(one).includes('blind ballots'));
  if (!ranking) throw new Error('There is no ranking.');
  const look = async (view: string) => {
    const answer = await answered(
      council,
      discord.pressButton(ada, ranking, idWith(ranking, `|${view}|`)),
    );
    expect(answer.onlyFor).toBe(ada.id);
    return textOf(answer);
  };
  const reviews = await look('reviews');
  expect(reviews).toMatch(/Review by Ada Sage.*Ballot as read.*Ada Sage > Dan Sage/s);
  expect(reviews).toContain('1. Ada Sage\n2. Dan Sage\n3. Cleo Sage\n4. Ben Sage');
  expect(reviews).not.toContain('Response');
  expect(reviews).toContain('`██████████ 100 %` · average place 1.0');
  expect(await look('seats')).toContain('Also asked: What breaks first?');
  expect(discord.violations.all).toEqual([]);
});

/** Ben's answer, and the minutes of it. */
const minuted = () => {
  const record = JSON.stringify({
    question: 'Should we?',
    options: [],
    positions: [{ said: 2, position: 'No, @everyone.' }],
    decision: { status: 'none', text: '', said: 0 },
    rationale: '',
    dissent: [],
    open_questions: [],
    actions: [],
  });
  const brief = 'Ada: Ben, should we?\nBen Sage: in short, no.';
  return scriptedModels({ sages: { ben: [answer('No.')] }, chair: [brief, record] });
};

const isMinutes = (text: string) => text.includes('Minutes of');

/** Asks for the minutes of a thread in which Ben has answered. */
async function askForMinutes(council: CouncilInDiscord) {
  const { discord, channel, ada, bot } = council;
  ask(council, 'Ben: should we?');
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const [thread] = discord.threads(channel.id);
  if (!thread) throw new Error('There is no thread.');
  const where = { user: ada, channel: thread };
  const give = () =>
    discord.slash({ ...where, command: 'council', subcommand: 'minutes', options: {} });
  return { thread, give };
}

test('minutes of a thread are posted in it for everybody, with their files', async () => {
  await using council = await startCouncil(minuted());
  const { discord } = council;
  const { thread, give } = await askForMinutes(council);
  expect(textOf(await answered(council, give()))).toContain('posted below');
  const posted = () => discord.messages(thread.id).find((one) => isMinutes(textOf(one)));
  await discord.until(() => posted() !== undefined, 'the minutes');
  expect(posted()?.onlyFor).toBeUndefined();
  expect(posted()?.wire.mention_everyone).toBe(false);
  expect(JSON.stringify(posted()?.wire)).toMatch(/minutes-[\d-]+\.md.*minutes-[\d-]+\.json/);
  expect(discord.violations.all).toEqual([]);
});

test('minutes that Discord does not take at first are posted once, and then said to be there', async () => {
  await using council = await startCouncil(minuted());
  const { discord } = council;
  const { thread, give } = await askForMinutes(council);
  discord.faults.failNext('POST /channels/{channel_id}/messages', {
    kind: 'drop after processing',
  });
  expect(textOf(await answered(council, give()))).toContain('posted below');
  const minutes = () => discord.messages(thread.id).map(textOf).filter(isMinutes);
  expect(minutes()).toHaveLength(1);
  expect(discord.violations.all).toEqual([]);
});

test('minutes that could not be posted are not written', async () => {
  const models = minuted();
  await using council = await startCouncil(models);
  const { discord, channel } = council;
  const { give } = await askForMinutes(council);
  discord.revokePermissions(channel, 'SendMessagesInThreads');
  expect(textOf(await answered(council, give()))).toContain(
    'I lack the permission Send Messages in Threads.',
  );
  expect(models.unsaid()).toBe(2);
});

test('sages and receipt answer in private', async () => {
  await using council = await startCouncil(scriptedModels({}));
  expect(textOf(await answered(council, slash(council, 'sages')))).toContain('Ada Sage');
  expect(textOf(await answered(council, slash(council, 'receipt')))).toContain(
    'Nothing has been asked',
  );
  expect(privately(council, council.channel.id)).toHaveLength(2);
  expect(council.discord.violations.all).toEqual([]);
});

test.each(['command', 'form'] as const)(
  'what came of a %s is shown although Discord fails for a moment',
  async (of) => {
    await using council = await startCouncil(scriptedModels({}));
    const { discord, guild, channel } = council;
    const manager = discord.addMember(guild, 'Mia', ['ManageChannels']);
    const fail = () =>
      discord.faults.failNext(
        'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}',
        { kind: 'status', status: 503 },
      );
    if (of === 'command') fail();
    const shown = await answered(council, slash(council, 'config', {}, manager));
    if (of === 'form') {
      fail();
      discord.select(manager, shown, idWith(shown, '|set|channel|depth'), ['quick']);
      await discord.until(() => textOf(shown).includes('Changed: depth'), 'the change');
    }
    expect(discord.messages(channel.id)).toHaveLength(1);
    expect(council.lines.filter((line) => !line.startsWith('info'))).toEqual([]);
  },
);

test('the leaderboard of a channel has its ranking and a table, in private', async () => {
  await using council = await startCouncil(scriptedModels({}));
  const { discord, guild, channel, bot, ada } = council;
  for (let at = 0; at < 10; at += 1) {
    await scoredTurn(bot.store, `discord:${guild.id}:${channel.id}:${channel.id}`);
    await scoredTurn(bot.store, `discord:elsewhere:${channel.id}:${channel.id}`, { first: 'ben' });
  }
  const shown = await answered(council, slash(council, 'leaderboard', { by: 'sage' }));
  expect(shown.onlyFor).toBe(ada.id);
  const text = textOf(shown);
  expect(text).toContain('10 ranked turns in this channel');
  expect(text).toMatch(/1\. Ada Sage 🏆.*`██████████ 100 %` · 72–100 % · 10 turns.*2\. Ben Sage/s);
  expect(discord.violations.all).toEqual([]);
});

test('what a channel judges by is in every review, and told with the ranking', async () => {
  const models = scriptedModels(wholeScript);
  await using council = await startCouncil(models);
  const { discord, channel, bot } = council;
  await setHere(council, { criteria: 'cost, risk' });
  ask(council, 'Should we rewrite the engine?');
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  for (const key of ['ada', 'ben', 'cleo', 'dan']) {
    const [request] = models.reviewer({ key }).requests;
    expect(request?.messages[0]?.content).toContain('<criteria>\ncost, risk\n</criteria>');
  }
  const thread = discord.threads(channel.id)[0]?.id ?? '';
  const ranking = discord.messages(thread).find((one) => textOf(one).includes('blind ballots'));
  expect(ranking && textOf(ranking)).toContain('-# Judged by: cost, risk');
  if (!ranking) throw new Error('There is no ranking.');
  const pressed = discord.pressButton(council.ada, ranking, idWith(ranking, '|reviews|'));
  const reviews = await answered(council, pressed);
  expect(textOf(reviews)).toContain('Judged by: cost, risk');
  expect(discord.violations.all).toEqual([]);
});

test('a preset that a manager saves is suggested while its name is typed, and its council sits', async () => {
  const models = scriptedModels({
    sages: { ben: [answer('No.')], cleo: [answer('Later.')] },
    chair: [verdict],
  });
  await using council = await startCouncil(models);
  const { discord, guild, channel, ada, bot } = council;
  const boss = discord.addMember(guild, 'Boss', ['ManageChannels']);
  const given = { name: 'hiring', description: 'For decisions about people', depth: 'quick' };
  const saving = slash(council, 'preset', { do: 'save', ...given, sages: 'ben,cleo' }, boss);
  expect(textOf(await answered(council, saving))).toContain('preset:hiring');
  const typing = discord.autocomplete({
    user: ada,
    channel,
    command: 'council',
    subcommand: 'ask',
    focused: 'preset',
    options: { question: 'Whom?', preset: 'hir' },
  });
  await discord.until(() => typing.acknowledgement !== undefined, 'suggestions');
  expect(typing.acknowledgement).toMatchObject({
    choices: [{ name: 'hiring: For decisions about people', value: 'hiring' }],
  });
  const options = { question: 'Whom should we hire?', preset: 'hiring' };
  discord.slash({ user: ada, channel, command: 'council', subcommand: 'ask', options });
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const said = discord.messages(discord.threads(channel.id)[0]?.id ?? '');
  expect(said.map(({ wire }) => wire.author.username)).toEqual(
    expect.arrayContaining(['Ben Sage', 'Cleo Sage']),
  );
  expect(models.unsaid()).toBe(0);
  expect(discord.violations.all).toEqual([]);
});

test('the help names every command with what people give it, and all other ways to ask here, in private', async () => {
  await using council = await startCouncil(scriptedModels({}));
  const { channel, guild, bot } = council;
  const help = await answered(council, slash(council, 'help'));
  expect(help.onlyFor).toBe(council.ada.id);
  const text = textOf(help);
  for (const { name } of commands) expect(text).toContain(`/council ${name}`);
  expect(text).toContain('/council ask <question> [depth] [sages] [preset]');
  expect(text).toContain('/council config [change] [scope]');
  expect(text).toContain('/council summon [name] [description]');
  expect(text).not.toMatch(/\[(?:changes|save|discard)\]/);
  expect(text).toContain('mention me with a question');
  expect(text).toContain('Apps → Ask the council');
  // Before a list of commands that takes minutes to hear.
  expect(text).toMatch(/Ask a question: .*Begin a question with.*Apps → Ask the.*\/council ask/s);
  expect(text).toContain('I answer messages that read as a question or task for me');
  await setFollowUps({ bot, guild, channel }, 'mention');
  expect(textOf(await answered(council, slash(council, 'help')))).toContain(
    'mention me again for the next question',
  );
});

test('what is typed after “sages” is completed from the bench of the channel', async () => {
  await using council = await startCouncil(scriptedModels({}));
  const { discord, channel, ada } = council;
  const typing = discord.autocomplete({
    user: ada,
    channel,
    command: 'council',
    subcommand: 'ask',
    options: { question: 'Why?', sages: 'ben, cl' },
    focused: 'sages',
  });
  await discord.until(() => typing.acknowledgement !== undefined, 'suggestions');
  expect(typing.acknowledgement).toMatchObject({
    choices: [{ name: expect.stringContaining('Cleo Sage'), value: 'ben,cleo' }],
  });
});

test('turns and memories are suggested while their id is typed, by what was said', async () => {
  await using council = await startCouncil(scriptedModels({ sages: { ben: [answer('No.')] } }));
  const { discord, channel, ada, bot } = council;
  ask(council, 'Ben: should we sell the harbour?');
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const suggested = async (subcommand: string, focused: string, typed: string) => {
    const options = { [focused]: typed };
    const where = { user: ada, channel, command: 'council' };
    const typing = discord.autocomplete({ ...where, subcommand, options, focused });
    await discord.until(() => typing.acknowledgement !== undefined, 'suggestions');
    return typing.acknowledgement;
  };
  const choices = [{ name: expect.stringContaining('sell the harbour? (just now)') }];
  expect(await suggested('receipt', 'turn', 'HARBOUR')).toMatchObject({ choices });
  expect(await suggested('receipt', 'turn', 'mountain')).toMatchObject({ choices: [] });
  expect(await suggested('memory', 'what', 'no.')).toMatchObject({
    choices: [{ name: 'Ben Sage: No. (just now)' }],
  });
  expect(discord.violations.all).toEqual([]);
});

test('a member summons a sage: described in a modal, read, saved, asked, and dismissed', async () => {
  const models = scriptedModels({
    moderator: [JSON.stringify({ prompt: 'You are Seneca, and weigh what can be lost.' })],
    sages: { custom_seneca: [answer('Prepare.')] },
  });
  await using council = await startCouncil(models);
  const { discord, channel, ada, bot } = council;
  const opened = slash(council, 'summon');
  await discord.until(() => opened.acknowledgement?.kind === 'modal', 'the modal');
  const sent = discord.submitModal(opened, {
    name: 'Seneca',
    description: 'Weighs what can be lost.',
  });
  const preview = await answered(council, sent);
  expect(textOf(preview)).toContain('Nothing is saved yet');
  const saved = await answered(
    council,
    discord.pressButton(ada, preview, idWith(preview, 'summon --save')),
  );
  expect(textOf(saved)).toContain('Seneca (custom_seneca) sits');
  ask(council, 'Seneca: what if we fail?');
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const [said] = discord.messages(discord.threads(channel.id)[0]?.id ?? '');
  expect([said?.wire.author.username, said?.wire.content]).toEqual(['Seneca', 'Prepare.']);
  expect(discord.state.emojis.size).toBe(1);
  const gone = await answered(council, slash(council, 'dismiss', { sage: 'Seneca' }));
  expect(textOf(gone)).toContain('no longer sits here');
  await discord.until(() => discord.state.emojis.size === 0, 'its picture to go');
  expect(said?.avatarUrl).toMatch(/^https:\/\/cdn\.discordapp\.com\/emojis\/\d+\.png$/);
  expect(discord.violations.all).toEqual([]);
});

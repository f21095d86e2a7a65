/** Questions that are too long, too many lines, or tricks from end to end. */

import { expect, test } from 'vitest';
import { ModelError } from '../../../src/models/chat-model.ts';
import { answer, scriptedModels, seating } from '../../council/scripted-council.ts';
import { ask, startCouncil, textOf } from '../../platforms/discord/discord-world.ts';
import { answerTo, expectNobodyPinged, finishedThread } from './hostile-world.ts';

const roomy = {
  bot: {
    limits: {
      maxQuestionChars: 6000,
      maxQueuedTurnsPerUser: 5,
      maxQueuedTurnsPerThread: 8,
      overheardPerThreadPerHour: 30,
    },
  },
};

test.each([
  ['letters without a space', 'x'.repeat(5990)],
  ['line breaks', `a${'\n'.repeat(5980)}b`],
  ['lines of one letter', 'a\n'.repeat(2990)],
  ['mentions', '@everyone '.repeat(599)],
  ['code fences', '```\n'.repeat(1490)],
  ['quotes in quotes', '> '.repeat(2990)],
  ['emoji of many parts', '👩‍👩‍👧‍👦'.repeat(540)],
  ['accents on one letter', `e${'\u0301'.repeat(5900)}`],
  ['links', '[a](https://evil.example) '.repeat(230)],
])(
  'a question of 6,000 characters of %s is asked, and its card keeps to Discord’s limits',
  async (_, text) => {
    const long = answer('Longer than the card has room for. '.repeat(60));
    await using council = await startCouncil(scriptedModels({ sages: { ben: [long] } }), roomy);
    const { discord, channel } = council;
    ask(council, text, { sages: 'ben' });
    const thread = await finishedThread(council, channel);
    expect(Array.from(thread.name).length).toBeLessThanOrEqual(100);
    expect(thread.name.trim()).not.toBe('');
    const [card, ...more] = discord.messages(channel.id);
    expect(more).toEqual([]);
    expect(card && textOf(card)).toContain('Read the whole council');
    expect(council.lines.filter((line) => !line.startsWith('info'))).toEqual([]);
    expectNobodyPinged(discord);
  },
);

test('the card of a long question shows its verdict, however much there is to show', async () => {
  const keys = ['ada', 'ben', 'cleo', 'dan'];
  const models = scriptedModels({
    moderator: [seating(keys)],
    sages: Object.fromEntries(keys.map((key) => [key, [answer('Yes.')]])),
    chair: [
      JSON.stringify({
        verdict: 'a\n\n'.repeat(3000),
        consensus: [],
        disagreements: [],
        minority_report: '',
        confidence: 'high',
      }),
    ],
  });
  await using council = await startCouncil(models, roomy);
  const { discord, channel } = council;
  ask(council, `a${'\n'.repeat(895)}b`, { depth: 'quick' });
  await finishedThread(council, channel);
  const [card] = discord.messages(channel.id);
  expect(card && textOf(card)).toContain('Confidence: high');
  expect(council.lines.filter((line) => !line.startsWith('info'))).toEqual([]);
  expectNobodyPinged(discord);
});

test('the card of a long question says why every sage failed, however long the reasons are', async () => {
  const keys = ['ada', 'ben', 'cleo', 'dan'];
  const failure = () =>
    new ModelError(`The server said: ${'@everyone [x](https://evil.example) '.repeat(100)}`, {
      failure: 'bad_request',
      model: 'test:model',
    });
  const models = scriptedModels({
    moderator: [seating(keys)],
    sages: Object.fromEntries(keys.map((key) => [key, [failure()]])),
  });
  await using council = await startCouncil(models, roomy);
  const { discord, channel } = council;
  ask(council, `a${'\n'.repeat(895)}b`);
  await finishedThread(council, channel);
  const [card] = discord.messages(channel.id);
  expect(card && textOf(card)).toContain('The council could not answer.');
  expect(council.lines.filter((line) => !line.startsWith('info'))).toEqual([]);
  expectNobodyPinged(discord);
});

test.each([
  ['a thousand sages', 'nobody,'.repeat(857)],
  ['mentions', '@everyone, @here, <@&1>'],
])(
  'a question to %s that do not sit here is refused in private, and nobody else sees anything',
  async (_, sages) => {
    await using council = await startCouncil(scriptedModels({}));
    const { discord, channel, ada } = council;
    ask(council, 'Should we?', { sages });
    await discord.until(
      () => discord.messages(channel.id).some(({ onlyFor }) => onlyFor === ada.id),
      'the refusal',
    );
    const [refusal, ...more] = discord.messages(channel.id);
    expect(refusal && textOf(refusal)).toContain('Not on this bench');
    expect(more).toEqual([]);
    expectNobodyPinged(discord);
  },
);

test('a question to sages who do not sit here is refused in a thread and in direct messages, too', async () => {
  await using council = await startCouncil(scriptedModels({ sages: { ben: [answer('No.')] } }));
  const { discord, channel, ada } = council;
  ask(council, 'Should we?', { sages: 'ben' });
  const thread = await finishedThread(council, channel);
  for (const place of [thread, discord.directMessages(ada)]) {
    const asked = discord.slash({
      user: ada,
      channel: place,
      command: 'council',
      subcommand: 'ask',
      options: { question: 'And now?', sages: '@everyone,'.repeat(500) },
    });
    expect(textOf(await answerTo(discord, asked))).toContain('Not on this bench');
  }
  expectNobodyPinged(discord);
});

test('suggestions for anything that can be typed are ones that Discord takes', async () => {
  await using council = await startCouncil(scriptedModels({}));
  const { discord, channel, ada } = council;
  for (const sages of [
    'ada, ben, cleo, dan, '.repeat(20),
    'x'.repeat(6000),
    '\u202e@everyone',
    ',,,,',
  ]) {
    const typing = discord.autocomplete({
      user: ada,
      channel,
      command: 'council',
      subcommand: 'ask',
      options: { question: 'Why?', sages },
      focused: 'sages',
    });
    await discord.until(() => typing.acknowledgement?.kind === 'choices', 'suggestions');
  }
  expectNobodyPinged(discord);
});

test('a message without text, put before the council, is refused in private', async () => {
  await using council = await startCouncil(scriptedModels({}));
  const { discord, channel, ada } = council;
  const target = discord.userSays(channel, ada, '\u200b');
  discord.messageCommand(ada, 'Ask the council', target);
  const refusal = () => discord.messages(channel.id).find(({ onlyFor }) => onlyFor === ada.id);
  await discord.until(() => refusal() !== undefined, 'the refusal');
  const shown = refusal();
  expect(shown && textOf(shown)).toContain('I don’t see a question there');
  expectNobodyPinged(discord);
});

test.each([
  { holds: 'a sticker', how: {} },
  { holds: 'a recording', how: { isVoice: true, files: [{ name: 'v.ogg', bytes: Buffer.of(1) }] } },
])(
  'another’s message that holds only $holds is refused at once, and costs nothing',
  async ({ how }) => {
    await using council = await startCouncil(scriptedModels({}));
    const { discord, guild, channel, ada } = council;
    const target = discord.userSays(channel, discord.addMember(guild, 'Bob'), '', how);
    const chosen = discord.messageCommand(ada, 'Ask the council', target);
    await discord.until(() => chosen.acknowledgement !== undefined, 'the answer');
    const [, refusal] = discord.messages(channel.id);
    expect(refusal).toMatchObject({ onlyFor: ada.id });
    expect(refusal && textOf(refusal)).toContain('no words for the council to think about');
    expectNobodyPinged(discord);
  },
);

test.each(['command', 'mention'] as const)(
  'a question by %s that no thread may be named after is answered in one with a plain name',
  async (way) => {
    await using council = await startCouncil(scriptedModels({ sages: { ben: [answer('No.')] } }));
    const { discord, guild, channel, ada } = council;
    discord.blockTitles(guild, 'casino');
    if (way === 'command') ask(council, 'Ben: to the casino?');
    else discord.userSays(channel, ada, 'Ben: to the casino?', { mentionsBot: true });
    const thread = await finishedThread(council, channel);
    expect(thread.name).toBe('A question');
    const said = discord.messages(thread.id).map(({ wire }) => wire.content);
    expect(said).toContain('No.');
    expect(discord.violations.all).toEqual([]);
  },
);

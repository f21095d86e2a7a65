import { expect, test } from 'vitest';
import type { PacingLimits } from '../../../src/platforms/chat/pacing/call-ledger.ts';
import { answer, scriptedModels, seating, wholeScript } from '../../council/scripted-council.ts';
import type { Thread } from '../../fakes/discord/world/records.ts';
import {
  ask,
  type CouncilInDiscord,
  startCouncil,
  textOf,
} from '../../platforms/discord/discord-world.ts';
import { unlimited } from '../../platforms/unlimited.ts';
import { endOrder, expectWholeTurn, routes, said } from './whole-turn.ts';

/** Pacing is tested elsewhere. */
const unhurried = { limits: { calls: [], editGapMs: 20 } };

interface HalfwayTurn extends CouncilInDiscord {
  readonly thread: Thread;
  readonly order: ReturnType<typeof endOrder>;
  /** Lets the other two sages answer, and waits for the end of the turn. */
  readonly goOn: () => Promise<void>;
}

/**
 * A turn of four sages of whom two have answered, and the other two are thinking.
 *
 * @param pacing - Absent: as it usually is.
 * @param changes - Of what the models say.
 */
async function startHalfway(
  pacing: { readonly limits?: PacingLimits } = {},
  changes: Partial<typeof wholeScript> = {},
): Promise<HalfwayTurn> {
  const gate = Promise.withResolvers<void>();
  const held = (text: string) => async () => {
    await gate.promise;
    return answer(text);
  };
  const models = scriptedModels({
    ...wholeScript,
    sages: {
      ...wholeScript.sages,
      cleo: [held('Cleo says later.')],
      dan: [held('Dan says in parts.')],
    },
    ...changes,
  });
  const order = endOrder();
  const council = await startCouncil(models, { ...pacing, bot: { log: order.log } });
  const { discord, channel, bot } = council;
  ask(council, 'Should we rewrite the engine?');
  const answered = () =>
    discord.calls.filter(({ route, status }) => route === routes.webhookPost && status === 200);
  await discord.until(() => answered().length === 2, 'two answers');
  const [thread] = discord.threads(channel.id);
  if (!thread) throw new Error('There is no thread.');
  const goOn = async () => {
    gate.resolve();
    await bot.idle();
  };
  return { ...council, thread, order, goOn };
}

function cardText({ discord, channel }: CouncilInDiscord): string {
  return discord.messages(channel.id).map(textOf).join('\n');
}

test('a webhook that is deleted in the middle of a turn is made anew once, and nothing is lost', async () => {
  await using turn = await startHalfway();
  const { discord, channel } = turn;
  discord.deleteWebhooks(channel);
  await turn.goOn();
  await expectWholeTurn(turn, turn.order);
  expect(discord.calls.filter(({ route }) => route === routes.newWebhook)).toHaveLength(2);
  expect(discord.calls.filter(({ status }) => status === 404)).toHaveLength(1);
});

test('a webhook that has got another token in the middle of a turn is read again, and nothing is lost', async () => {
  await using turn = await startHalfway();
  const { discord } = turn;
  for (const webhook of discord.state.webhooks.values()) {
    discord.state.webhooks.set(webhook.id, { ...webhook, token: `${webhook.token}-renewed` });
  }
  await turn.goOn();
  await expectWholeTurn(turn, turn.order);
  expect(discord.calls.filter(({ route }) => route === routes.newWebhook)).toHaveLength(1);
});

test('two turns that find their channel’s webhook deleted make one new webhook together', async () => {
  const gate = Promise.withResolvers<string>();
  const once = () => gate.promise;
  const models = scriptedModels({
    sages: { ada: [answer('Yes.')], ben: [once], cleo: [once] },
  });
  await using council = await startCouncil(models, unhurried);
  const { discord, channel, bot } = council;
  ask(council, 'Ada: should we?');
  await discord.until(
    () => discord.calls.some(({ route }) => route === routes.webhookPost),
    'the webhook',
  );
  await bot.idle();
  ask(council, 'Ben: should we?');
  ask(council, 'Cleo: should we?');
  await discord.until(() => discord.threads(channel.id).length === 3, 'the threads');
  discord.deleteWebhooks(channel);
  gate.resolve(answer('No.'));
  await bot.idle();
  const texts = discord.threads(channel.id).map(({ id }) => said(council, id));
  expect(texts).toEqual([['Yes.'], ['No.'], ['No.']]);
  expect(discord.calls.filter(({ route }) => route === routes.newWebhook)).toHaveLength(2);
});

test('when webhooks are forbidden in the middle of a turn the other sages speak through the bot', async () => {
  await using turn = await startHalfway();
  const { discord, channel, thread } = turn;
  discord.deleteWebhooks(channel);
  discord.revokePermissions(channel, 'ManageWebhooks');
  await turn.goOn();
  const texts = said(turn, thread.id);
  expect(texts.slice(2, 4).toSorted()).toEqual([
    '**Cleo Sage**\nCleo says later.',
    '**Dan Sage**\nDan says in parts.',
  ]);
  expect(texts).toHaveLength(6);
  expect(cardText(turn)).toContain('lacks the permission Manage Webhooks');
});

test('a turn whose card was deleted ends, too, when a moderator closes its thread', async () => {
  // Silent until they are aborted.
  const silent = () => new Promise<never>(() => undefined);
  const reviewers = Object.keys(wholeScript.reviews ?? {});
  const reviews = Object.fromEntries(reviewers.map((key) => [key, [silent]]));
  await using turn = await startHalfway({ limits: unlimited }, { reviews });
  const { discord, channel, thread, ada, bot } = turn;
  const [card] = discord.messages(channel.id);
  if (card) discord.deleteMessage(card);
  discord.lockThread(thread);
  await turn.goOn();
  const told = discord.messages(discord.directMessages(ada).id).map(textOf);
  expect(told).toEqual([expect.stringContaining('The rest of the answers can’t be shown there')]);
  expect(await bot.store.turns.unfinished(10)).toEqual([]);
});

test.each<[string, (turn: HalfwayTurn) => void]>([
  ['locked', ({ discord, thread }) => discord.lockThread(thread)],
  [
    'locked and left open',
    ({ discord, thread }) => discord.lockThread(thread, { isArchived: false }),
  ],
  ['deleted', ({ discord, thread }) => discord.deleteThread(thread)],
])(
  'when its thread is %s in the middle, the rest is on the card and nowhere else',
  async (_, happen) => {
    await using turn = await startHalfway();
    const { discord, channel, thread, bot } = turn;
    const before = discord.messages(thread.id).length;
    happen(turn);
    await turn.goOn();
    expect(discord.messages(thread.id).length).toBeLessThanOrEqual(before);
    expect(discord.messages(channel.id)).toHaveLength(1);
    expect(cardText(turn)).toContain('Rewrite it in parts.');
    expect(cardText(turn)).toMatch(/Not everything could be posted: the (channel or )?thread is /);
    expect(cardText(turn)).not.toContain('code');
    const refused = discord.calls.filter(({ status = 0 }) => status >= 400);
    expect(refused).toHaveLength(1);
    expect(await bot.store.turns.unfinished(10)).toEqual([]);
  },
);

test('when the bot may no longer write in threads, the sages still speak and the card has the verdict', async () => {
  await using turn = await startHalfway();
  const { discord, channel, thread } = turn;
  discord.revokePermissions(channel, 'SendMessagesInThreads');
  await turn.goOn();
  expect(said(turn, thread.id)).toHaveLength(4);
  expect(cardText(turn)).toContain('Rewrite it in parts.');
  expect(cardText(turn)).toContain('I lack a permission there: Send Messages');
  expect(cardText(turn)).not.toContain('code');
  expect(cardText(turn)).toContain('Not everything could be posted');
  expect(cardText(turn)).toContain('/council receipt shows how the turn went.');
});

test('a follow-up that fails after its thread was closed says so on its card', async () => {
  const gate = Promise.withResolvers<void>();
  const failing = async () => {
    await gate.promise;
    throw new Error('broken');
  };
  const models = scriptedModels({ sages: { ben: [answer('No.'), failing] } });
  await using council = await startCouncil(models, unhurried);
  const { discord, channel, ada, bot } = council;
  ask(council, 'Ben: should we?');
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const [thread] = discord.threads(channel.id);
  if (!thread) throw new Error('There is no thread.');
  discord.userSays(thread, ada, 'Ben: and now?', { mentionsBot: true });
  await discord.until(() => models.unsaid() === 0, 'the question to Ben');
  discord.archiveThread(thread);
  gate.resolve();
  await bot.idle();
  expect(said(council, thread.id).at(-1)).toContain('The council could not answer.');
  expect(council.lines.filter((line) => !line.startsWith('info'))).toEqual([]);
});

test('a follow-up whose thread a moderator closes in the middle ends there, and its asker is told in private', async () => {
  const gate = Promise.withResolvers<void>();
  const held = (text: string) => async () => {
    await gate.promise;
    return answer(text);
  };
  const sages = Object.fromEntries(
    Object.entries(wholeScript.sages ?? {}).map(([key, lines]) => [key, [...lines, ...lines]]),
  );
  const models = scriptedModels({
    ...wholeScript,
    moderator: Array.from({ length: 2 }, () => seating(['ada', 'ben', 'cleo', 'dan'])),
    sages: { ...sages, dan: [answer('Dan says in parts.'), held('Dan says in parts.')] },
    // Silent until they are aborted.
    reviews: Object.fromEntries(
      Object.entries(wholeScript.reviews ?? {}).map(([key, lines]) => [
        key,
        [...lines, () => new Promise<never>(() => undefined)],
      ]),
    ),
  });
  await using council = await startCouncil(models, unhurried);
  const { discord, channel, ada, bot } = council;
  ask(council, 'Should we rewrite the engine?');
  await discord.until(() => discord.threads(channel.id).length === 1, 'the thread');
  await bot.idle();
  const [thread] = discord.threads(channel.id);
  if (!thread) throw new Error('There is no thread.');
  const { wire } = discord.userSays(thread, ada, 'And the tests?', { mentionsBot: true });
  const answers = () =>
    discord.messages(thread.id).filter(({ wire: one }) => one.webhook_id && one.id > wire.id);
  await discord.until(() => answers().length === 3, 'three answers');
  discord.lockThread(thread);
  gate.resolve();
  const direct = discord.directMessages(ada);
  await discord.until(() => discord.messages(direct.id).length === 1, 'word of it');
  await bot.idle();
  const [told] = discord.messages(direct.id).map(textOf);
  expect(told).toContain('The rest of the answers can’t be shown there: the thread is locked');
  expect(told).toContain(
    `You asked in https://discord.com/channels/${council.guild.id}/${thread.id}`,
  );
  expect(await bot.store.turns.unfinished(10)).toEqual([]);
  expect(models.chair.requests).toHaveLength(1);
});

test('a card that is deleted in the middle of a turn takes nothing else with it', async () => {
  await using turn = await startHalfway();
  const { discord, channel, thread } = turn;
  const [card] = discord.messages(channel.id);
  if (!card) throw new Error('There is no card.');
  discord.deleteMessage(card);
  await turn.goOn();
  expect(said(turn, thread.id)).toHaveLength(6);
  expect(discord.messages(channel.id)).toEqual([]);
});

test.each<[string, (turn: HalfwayTurn) => void]>([
  ['the channel is deleted', ({ discord, channel }) => discord.deleteChannel(channel)],
  ['the bot is removed', ({ discord, guild }) => discord.removeBot(guild)],
  [
    'the bot may not see the channel',
    ({ discord, channel }) => discord.revokePermissions(channel, 'ViewChannel'),
  ],
])('when %s in the middle of a turn it ends quietly, and others go on', async (_, happen) => {
  // Each step could be shown.
  await using turn = await startHalfway({ limits: unlimited });
  const { discord, ada, bot } = turn;
  happen(turn);
  const from = discord.calls.length;
  await turn.goOn();
  const refused = discord.calls.slice(from).filter(({ status = 0 }) => status >= 400);
  expect(refused.length).toBeLessThanOrEqual(4);
  expect(await bot.store.turns.unfinished(10)).toEqual([]);
  const direct = discord.directMessages(ada);
  discord.userSays(direct, ada, 'y?'.repeat(300));
  await discord.until(() => discord.messages(direct.id).length === 2, 'an answer elsewhere');
  expect(turn.lines.filter((line) => line.startsWith('error'))).toEqual([]);
});

test.each([
  { what: 'blocks the bot', closedBy: 'cannotMessageUser' },
  { what: 'leaves the last server that the bot is in', closedBy: 'noMutualServer' },
] as const)(
  'when a person $what in the middle of a turn, one message is refused and no more are sent',
  async ({ closedBy }) => {
    const gate = Promise.withResolvers<void>();
    const held = async () => {
      await gate.promise;
      return answer('Dan says in parts.');
    };
    const sages = { ...wholeScript.sages, dan: [held] };
    await using council = await startCouncil(scriptedModels({ ...wholeScript, sages }), unhurried);
    const { discord, ada, bot } = council;
    const direct = discord.directMessages(ada);
    discord.userSays(direct, ada, 'Should we rewrite the engine?');
    await discord.until(() => said(council, direct.id).length === 3, 'three answers');
    direct.closedBy = closedBy;
    gate.resolve();
    await bot.idle();
    expect(discord.calls.filter(({ status = 0 }) => status >= 400)).toHaveLength(1);
    expect(textOf(discord.messages(direct.id)[1] ?? { wire: { content: '' } })).toContain(
      'Not everything could be posted',
    );
    expect(await bot.store.turns.unfinished(10)).toEqual([]);
  },
);

test('anyone who mentions the bot is told when no thread can be opened on the question', async () => {
  await using council = await startCouncil(scriptedModels({ sages: { ben: [answer('No.')] } }));
  const { discord, channel, ada, bot } = council;
  // E.g. because the server has as many threads as it can.
  discord.faults.failNext(routes.thread, { kind: 'status', status: 400 });
  discord.faults.failNext(routes.botPost, { kind: 'rate limit', scope: 'user', retryAfterMs: 200 });
  const asked = discord.userSays(channel, ada, 'Ben: should we?', { mentionsBot: true });
  const answers = () => discord.messages(channel.id).filter(({ wire }) => wire.author.bot === true);
  await discord.until(() => answers().length === 1, 'word of it');
  await bot.idle();
  const [told] = answers();
  expect(told && textOf(told)).toContain('The answers can’t be shown there');
  expect(told?.wire.message_reference?.message_id).toBe(asked.wire.id);
  expect(discord.violations.all).toEqual([]);
});

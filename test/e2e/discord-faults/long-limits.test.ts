/** Refusals because of limits that last: who waits, who does not, and what is there in the end. */

import { expect, test } from 'vitest';
import { answer, scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import { movedClock } from '../../platforms/chat/pacing/moved-clock.ts';
import {
  ask,
  type CouncilInDiscord,
  startCouncil,
  textOf,
} from '../../platforms/discord/discord-world.ts';
import { endOrder, expectWholeTurn, routes, said } from './whole-turn.ts';

const spent = { kind: 'rate limit', scope: 'hidden', retryAfterMs: 40_000 } as const;

function refused({ discord }: Pick<CouncilInDiscord, 'discord'>): number {
  return discord.calls.filter(({ status }) => status === 429).length;
}

/** Everything that sages said in a channel's threads, in no order. */
function saidIn(council: CouncilInDiscord, channel: { readonly id: string }): readonly string[] {
  return council.discord
    .threads(channel.id)
    .flatMap(({ id }) => said(council, id))
    .toSorted();
}

test('a spent webhook budget of 40 s is asked for once, however many threads wait, and other channels go on', async () => {
  const clock = movedClock();
  const models = scriptedModels({
    sages: {
      ada: [answer('Yes.')],
      ben: [answer('No.')],
      cleo: [answer('Later.')],
      dan: [answer('In parts.')],
    },
  });
  await using council = await startCouncil(models, { pacingClock: clock });
  const { discord, guild, channel } = council;
  const other = discord.addChannel(guild, 'other');
  discord.faults.failNext(routes.webhookPost, spent);
  ask(council, 'Ada: should we?');
  await discord.until(() => refused(council) === 1, 'the refusal');
  ask(council, 'Ben: should we?');
  ask(council, 'Cleo: should we?');
  ask({ ...council, channel: other }, 'Dan: should we?');
  await discord.until(() => saidIn(council, other).length === 1, 'the answer in the other channel');
  await discord.until(() => discord.threads(channel.id).length === 3, 'the other threads');
  expect(saidIn(council, channel)).toEqual([]);
  clock.advance(40_000);
  await council.bot.idle();
  expect(saidIn(council, channel)).toEqual(['Later.', 'No.', 'Yes.']);
  expect(refused(council)).toBe(1);
});

test('a card whose edit is refused for 40 s holds up no answer', async () => {
  const clock = movedClock();
  const order = endOrder();
  await using council = await startCouncil(scriptedModels(wholeScript), {
    pacingClock: clock,
    bot: { log: order.log },
  });
  const { discord, channel } = council;
  discord.faults.failNext(routes.cardEdit, spent);
  ask(council, 'Should we rewrite the engine?');
  await discord.until(() => saidIn(council, channel).length === 6, 'the verdict');
  const [card] = discord.messages(channel.id);
  expect(card && textOf(card)).not.toContain('Read the whole council');
  clock.advance(40_000);
  await expectWholeTurn(council, order);
  expect(refused(council)).toBe(1);
});

test('the card of a question by mention waits for its channel’s limit, and comes once', async () => {
  const clock = movedClock();
  const order = endOrder();
  await using council = await startCouncil(scriptedModels(wholeScript), {
    pacingClock: clock,
    bot: { log: order.log },
  });
  const { discord, channel, ada } = council;
  discord.faults.failNext(routes.botPost, spent, 2);
  discord.userSays(channel, ada, 'Should we rewrite the engine?', { mentionsBot: true });
  await discord.until(() => refused(council) === 1, 'the first refusal');
  await expect
    .poll(() => {
      clock.advance(20_000);
      return refused(council);
    })
    .toBe(2);
  await expect
    .poll(() => {
      clock.advance(20_000);
      return discord.messages(channel.id).length;
    })
    .toBe(2);
  await expectWholeTurn(council, order);
});

test.concurrent.each(['user', 'shared', 'global', 'hidden'] as const)(
  'of six turns in one channel, one 429 (%s) refuses one request and no answer is lost or doubled',
  async (scope) => {
    const models = scriptedModels({
      sages: { ada: Array.from({ length: 6 }, (_, index) => answer(`Answer ${index}.`)) },
    });
    await using council = await startCouncil(models, { bot: { limits: manyAtOnce } });
    const { discord, channel } = council;
    const fault = { kind: 'rate limit', scope, retryAfterMs: 500 } as const;
    discord.faults.failNext(routes.webhookPost, fault);
    for (let index = 0; index < 3; index += 1) ask(council, `Ada: should we? ${index}`);
    await discord.until(() => refused(council) === 1, 'the refusal');
    for (let index = 3; index < 6; index += 1) ask(council, `Ada: should we? ${index}`);
    await discord.until(() => discord.threads(channel.id).length === 6, 'all threads');
    await council.bot.idle();
    expect(saidIn(council, channel)).toEqual(
      Array.from({ length: 6 }, (_, index) => `Answer ${index}.`),
    );
    expect(refused(council)).toBe(1);
  },
);

const manyAtOnce = {
  maxQuestionChars: 200,
  maxQueuedTurnsPerUser: 10,
  maxQueuedTurnsPerThread: 8,
  overheardPerThreadPerHour: 30,
} as const;

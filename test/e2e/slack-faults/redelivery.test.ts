import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { answer, scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import type { FakeSlack } from '../../fakes/slack/slack.ts';
import { joinSlack, startSlackWorld } from '../../platforms/slack/slack-world.ts';
import { unplanned } from './unplanned.ts';
import { expectAllSaid, expectWholeTurn, question, saidIn, startWhole } from './whole-turn.ts';

describe('events that Slack tells more than once', () => {
  test('three times each, they are one turn', async () => {
    const models = scriptedModels(wholeScript);
    await using council = await startWhole({}, models);
    const { slack, channel, ada, bot, lines } = council;
    slack.events.copies = 3;
    const { thread } = await ada.mentions(channel, question);
    await expectWholeTurn(council, thread);
    for (const { eventId } of slack.events.all) await slack.events.redeliver(eventId);
    await bot.idle();
    expectAllSaid(council, thread);
    expect(slack.events.all.length).toBeGreaterThan(6);
    expect(models.unsaid()).toBe(0);
    expect(lines.filter((line) => !line.startsWith('info'))).toEqual([]);
  });

  test('to the next process, they are the turn that the first one held', async () => {
    const world = await startSlackWorld();
    const { slack, channel, ada } = world;
    try {
      const models = scriptedModels(wholeScript);
      const first = await joinSlack(world, models, { pacing: unplanned });
      const { thread } = await ada.mentions(channel, question);
      await expectWholeTurn(first, thread);
      const told = slack.events.all.map(({ eventId }) => eventId);
      await first.bot.shutDown();
      await using second = await joinSlack(world, models, {
        store: first.bot.store,
        pacing: unplanned,
      });
      for (const eventId of told) await slack.events.redeliver(eventId);
      await second.bot.idle();
      expect(await second.bot.store.turns.unfinished(10)).toEqual([]);
      expectAllSaid(second, thread);
      expect(models.unsaid()).toBe(0);
    } finally {
      await slack.close();
    }
  });

  test('as a retry that is the first to arrive, a question is answered', async () => {
    const world = await startSlackWorld();
    const { slack, channel, ada } = world;
    try {
      const dying = await connectDeaf(slack);
      const saying = ada.mentions(channel, question);
      await dying.heard(2);
      dying.close();
      const { thread, deliveries } = await saying;
      expect(deliveries.map(({ status, tries }) => [status, tries])).toEqual([
        ['kept', 1],
        ['kept', 1],
      ]);
      await using council = await joinSlack(world, scriptedModels(wholeScript), {
        pacing: unplanned,
      });
      await expectWholeTurn(council, thread);
      expect(slack.events.all.slice(0, 2).map(({ tries }) => tries)).toEqual([2, 2]);
    } finally {
      await slack.close();
    }
  });

  test('while the bot was down are answered when it is back, in the order in which they were asked', async () => {
    const world = await startSlackWorld();
    const { slack, channel, ada } = world;
    try {
      const { thread } = await ada.mentions(channel, 'Ben: first?');
      await ada.mentions(channel, 'Ben: second?', { thread });
      const models = scriptedModels({ sages: { ben: [answer('First.'), answer('Second.')] } });
      await using council = await joinSlack(world, models, { pacing: unplanned });
      const answers = () =>
        saidIn(council, thread).flatMap(({ author, text }) =>
          author === 'Ben Sage' ? [text] : [],
        );
      await slack.until(() => answers().length === 2, 'both answers');
      await council.bot.idle();
      expect(answers()).toEqual(['First.', 'Second.']);
    } finally {
      await slack.close();
    }
  });
});

/** A process that hears events and is gone before it has done anything about them. */
async function connectDeaf({ api, app }: FakeSlack) {
  const response = await fetch(`${api}apps.connections.open`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.appToken}` },
  });
  const { url } = z.object({ url: z.string() }).parse(await response.json());
  const socket = new WebSocket(url);
  const envelopes: string[] = [];
  const { promise: greeted, resolve: greet } = Promise.withResolvers<void>();
  socket.addEventListener('message', ({ data }) => {
    const { type } = z.object({ type: z.string() }).parse(JSON.parse(String(data)));
    if (type === 'hello') greet();
    else envelopes.push(type);
  });
  await greeted;
  return {
    heard: (count: number) => expect.poll(() => envelopes.length).toBe(count),
    close: () => socket.close(),
  };
}

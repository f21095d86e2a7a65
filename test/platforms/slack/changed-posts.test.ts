import { describe, expect, test, vi } from 'vitest';
import { placeOf } from '../../../src/platforms/slack/place.ts';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import { hang } from '../../fakes/scripted-model.ts';
import { startListening, turnOf } from './listening.ts';

/** Ben is asked and never answers. */
const slowBen = () => scriptedModels({ sages: { ben: [hang, hang] } });
const quickBen = () => scriptedModels({ sages: { ben: [answer('No.'), answer('No.')] } });

function placeIn({ slack, channel }: Awaited<ReturnType<typeof startListening>>, thread: string) {
  return placeOf({ team: slack.workspace.id, channel: channel.id, thread });
}

describe('a question that is changed or taken back', () => {
  test('stops when its message is deleted', async () => {
    const world = await startListening({ models: slowBen() });
    const { ada, bob, channel, bot, store, untilTaken, taken } = world;
    const said = await ada.mentions(channel, 'Ben: why?');
    const other = await bob.mentions(channel, 'Ben: why not?');
    await untilTaken(2);
    await ada.deletes(channel, said);
    const outcomeOf = async (index: number) => store.turns.read(turnOf(taken[index]));
    await vi.waitFor(async () => expect(await outcomeOf(0)).toMatchObject({ outcome: 'stopped' }));
    expect(await bot.turnOf(`${channel.id}:${other.ts}`, placeIn(world, other.ts))).toMatchObject({
      hasEnded: false,
    });
  });

  test('stops also when people have answered in its thread already', async () => {
    const world = await startListening({ models: slowBen() });
    const { slack, ada, channel, bot, untilTaken } = world;
    const { ts } = await ada.mentions(channel, 'Ben: why?');
    await untilTaken(1);
    const message = { type: 'message', subtype: 'tombstone', ts, thread_ts: ts, user: 'USLACKBOT' };
    const event = {
      type: 'message',
      subtype: 'message_changed',
      channel: channel.id,
      ts: '1700000001.000100',
      event_ts: '1700000001.000100',
      message,
    };
    const teamId = slack.workspace.id;
    await slack.events.tell({ teamId, subscription: 'message.channels', event });
    await vi.waitFor(async () =>
      expect(await bot.turnOf(`${channel.id}:${ts}`, placeIn(world, ts))).toMatchObject({
        hasEnded: true,
      }),
    );
  });

  test('goes on as it was when it is edited, and the person is offered to ask anew', async () => {
    const { slack, ada, channel, taken, untilTaken, privately } = await startListening({
      models: slowBen(),
    });
    const { botUserId } = slack.installation();
    const said = await ada.mentions(channel, 'Ben: why?');
    await untilTaken(1);
    await ada.edits(channel, said, `<@${botUserId}>  Ben: why?`);
    await ada.edits(channel, said, `<@${botUserId}> Ben: why not?`);
    await slack.until(() => privately(ada).length > 0, 'a word about it');
    expect(privately(ada)).toEqual([expect.stringContaining('You changed your question')]);
    expect(taken).toHaveLength(1);
  });

  test('is asked when an edit makes a question of it', async () => {
    const { slack, ada, channel, taken, untilTaken, privately } = await startListening({
      models: quickBen(),
    });
    const { botUserId } = slack.installation();
    const empty = await ada.mentions(channel, '');
    await slack.until(() => privately(ada).length > 0, 'help');
    await ada.edits(channel, empty, `<@${botUserId}> Ben: why?`);
    const plain = await ada.says(channel, 'Ben: and without a mention?');
    await ada.edits(channel, plain, `<@${botUserId}> Ben: and with one?`);
    await untilTaken(2);
    expect(taken.map(({ request }) => request.question)).toEqual([
      'Ben: why?',
      'Ben: and with one?',
    ]);
  });

  test('is not asked by an old message that is edited, nor by a preview of its links', async () => {
    const { slack, ada, channel, taken, untilTaken } = await startListening({ models: quickBen() });
    const { botUserId } = slack.installation();
    const old = await ada.says(channel, 'Ben: long ago');
    slack.clock.advance(3_600_000);
    await ada.edits(channel, old, `<@${botUserId}> Ben: long ago, with a mention`);
    const text = `<@${botUserId}> Ben: see <https://a.example>`;
    const message = { type: 'message', user: ada.user.id, text, ts: '1700000000.000100' };
    const event = {
      type: 'message',
      subtype: 'message_changed',
      channel: channel.id,
      message: { ...message, attachments: [{ title: 'A' }] },
      previous_message: message,
      ts: '1700000001.000100',
      event_ts: '1700000001.000100',
    };
    const teamId = slack.workspace.id;
    await slack.events.tell({ teamId, subscription: 'message.channels', event });
    await ada.mentions(channel, 'Ben: now?');
    await untilTaken(1);
    expect(taken.map(({ request }) => request.question)).toEqual(['Ben: now?']);
  });

  test('is not asked by an old mention that is edited, though Slack tells of the mention anew', async () => {
    const { slack, ada, channel, taken, untilTaken } = await startListening({ models: quickBen() });
    const { botUserId } = slack.installation();
    const ts = '1700000000.000100';
    const event = {
      type: 'app_mention',
      channel: channel.id,
      user: ada.user.id,
      text: `<@${botUserId}> Ben: long ago, and mended`,
      edited: { user: ada.user.id, ts: '1700090000.000000' },
      ts,
      event_ts: ts,
    };
    const teamId = slack.workspace.id;
    await slack.events.tell({ teamId, subscription: 'app_mention', event });
    await ada.mentions(channel, 'Ben: now?');
    await untilTaken(1);
    expect(taken.map(({ request }) => request.question)).toEqual(['Ben: now?']);
  });
});

import { describe, expect, test } from 'vitest';
import { placeOf } from '../../../src/platforms/slack/place.ts';
import { serverManager } from '../../bot/commanding.ts';
import { quickBen, startListening } from './listening.ts';

function placeIn({ slack, channel }: Awaited<ReturnType<typeof startListening>>, thread: string) {
  return placeOf({ team: slack.workspace.id, channel: channel.id, thread });
}

describe('a message in Slack', () => {
  test('is left alone in the thread of a workspace that was denied meanwhile', async () => {
    const access: { deny?: string[] } = {};
    const world = await startListening({ models: quickBen(), access });
    const { slack, ada, bob, channel, taken, untilTaken, privately } = world;
    const { thread } = await ada.mentions(channel, 'Ben: why?');
    await untilTaken(1);
    access.deny = [`slack:${slack.workspace.id}`];
    await ada.says(channel, 'Ben: and then?', { thread });
    await untilTaken(2);
    await bob.mentions(channel, 'Ben: and now?');
    await slack.until(() => privately(bob).length > 0, 'the refusal');
    expect(taken.slice(1).map(({ asked }) => asked.status)).toEqual(['refused', 'refused']);
    expect(privately(ada)).toEqual([]);
  });

  test('to the bot alone needs no mention, and its thread goes on', async () => {
    const world = await startListening({ models: quickBen() });
    const { ada, taken, untilTaken } = world;
    const direct = await ada.direct();
    const { thread } = await ada.says(direct, 'Ben: why?');
    await ada.says(direct, 'Ben: and then?', { thread });
    await untilTaken(2);
    expect(new Set(taken.map(({ request }) => request.threadId)).size).toBe(1);
  });

  test('is a follow-up in a thread that began with a question, if its channel has it so', async () => {
    const world = await startListening({ models: quickBen() });
    const { ada, bob, channel, taken, untilTaken, bot } = world;
    const { thread } = await ada.mentions(channel, 'Ben: why?');
    await untilTaken(1);
    await bob.says(channel, 'Ben: who says so?', { thread });
    await untilTaken(2);
    const change = { change: 'set followUpMode mention' };
    const place = placeIn(world, thread);
    await bot.command({ place, person: serverManager, command: 'config', options: change });
    await bob.says(channel, 'Ben: not heard', { thread });
    await bob.mentions(channel, 'Ben: heard again', { thread });
    await untilTaken(3);
    expect(taken.map(({ request }) => request.question)).toEqual([
      'Ben: why?',
      'Ben: who says so?',
      'Ben: heard again',
    ]);
  });

  test('in a thread of people is left alone, also once the council was asked in it', async () => {
    const { ada, bob, channel, taken, untilTaken } = await startListening({ models: quickBen() });
    const { thread } = await ada.says(channel, 'Lunch?');
    await bob.mentions(channel, 'Ben: is soup lunch?', { thread });
    await untilTaken(1);
    await ada.says(channel, 'Ben, let us go then', { thread });
    await ada.says(channel, 'Nothing to do with it');
    await bob.mentions(channel, 'Ben: and stew?', { thread });
    await untilTaken(2);
    expect(taken.map(({ request }) => request.question)).toEqual([
      'Ben: is soup lunch?',
      'Ben: and stew?',
    ]);
  });

  test.each([
    ['of an app', { bot_id: 'B999', user: 'U999' }],
    ['of a bot without a user', { subtype: 'bot_message', bot_id: 'B999' }],
    ['of Slack itself', { subtype: 'channel_join' }],
    ['of nobody', { user: undefined }],
  ])('%s is never answered', async (_whose, parts) => {
    const world = await startListening({ models: quickBen() });
    const { slack, ada, channel, taken, untilTaken } = world;
    const { botUserId } = slack.installation();
    const event = {
      type: 'message',
      user: ada.user.id,
      channel: channel.id,
      channel_type: 'channel',
      text: `<@${botUserId}> Ben: loop?`,
      ts: '1700000000.000100',
      event_ts: '1700000000.000100',
      ...parts,
    };
    const teamId = slack.workspace.id;
    await slack.events.tell({ teamId, subscription: 'message.channels', event });
    await ada.mentions(channel, 'Ben: a person?');
    await untilTaken(1);
    expect(taken.map(({ request }) => request.question)).toEqual(['Ben: a person?']);
  });

  test('that is chatter, or said to someone else, is never answered', async () => {
    const { ada, bob, channel, taken, untilTaken } = await startListening({
      models: quickBen(),
    });
    const { thread } = await ada.mentions(channel, 'Ben: why?');
    await untilTaken(1);
    const chatter = ['thanks!', ':+1:', 'lol', '+1', '<https://tenor.com/view/cat>'];
    const toOthers = [`<@${bob.user.id}> what do you think?`, '<!here> lunch?', 'Interesting.'];
    for (const text of [...chatter, ...toOthers]) await ada.says(channel, text, { thread });
    await ada.mentions(channel, 'thanks!', { thread });
    await ada.says(await ada.direct(), 'cool!!');
    await ada.says(channel, 'Ben: and why not?', { thread });
    await untilTaken(2);
    expect(taken.map(({ request }) => request.question)).toEqual([
      'Ben: why?',
      'Ben: and why not?',
    ]);
  });

  test('of the bot itself, under a sage’s name, or in a reminder of Slackbot’s is never answered', async () => {
    const { slack, ada, channel, taken, untilTaken } = await startListening({ models: quickBen() });
    const { botUserId, botId } = slack.installation();
    for (const [index, parts] of [
      { user: botUserId },
      { username: 'Ben', bot_id: botId },
      { user: 'USLACKBOT' },
    ].entries()) {
      const ts = `1700000000.00010${index}`;
      const event = { type: 'message', channel: channel.id, text: `<@${botUserId}> Ben: me?`, ts };
      const teamId = slack.workspace.id;
      const subscription = 'message.channels';
      await slack.events.tell({
        teamId,
        subscription,
        event: { ...event, event_ts: ts, ...parts },
      });
    }
    await ada.mentions(channel, 'Ben: a person?');
    await untilTaken(1);
    expect(taken.map(({ request }) => request.question)).toEqual(['Ben: a person?']);
  });
});

import { describe, expect, test, vi } from 'vitest';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import { hang } from '../../fakes/scripted-model.ts';
import { quickBen, startListening, turnOf } from './listening.ts';

/** Ben is asked and never answers. */
const slowBen = () => scriptedModels({ sages: { ben: Array.from({ length: 20 }, () => hang) } });

describe('a mention in Slack', () => {
  test('is one question, though Slack tells of it twice, and again', async () => {
    const world = await startListening({ models: quickBen() });
    const { slack, ada, channel, taken, untilTaken } = world;
    slack.events.copies = 3;
    const { ts } = await ada.mentions(channel, 'Ben: why not?');
    await untilTaken(1);
    slack.events.copies = 1;
    for (const { eventId } of slack.events.all) await slack.events.redeliver(eventId);
    await ada.mentions(channel, 'Ben: and now?');
    await untilTaken(2);
    expect(taken.map(({ request }) => request.question)).toEqual([
      'Ben: why not?',
      'Ben: and now?',
    ]);
    expect(taken[0]?.request).toMatchObject({
      threadId: `slack:${slack.workspace.id}:${channel.id}:${ts}`,
      eventId: `${channel.id}:${ts}`,
      author: { id: ada.user.id, name: 'ada' },
      askedAt: Math.floor(Number(ts) * 1000),
    });
  });

  test('in a thread of people is asked in that thread', async () => {
    const { ada, bob, channel, taken, untilTaken } = await startListening({ models: quickBen() });
    const { thread } = await ada.says(channel, 'Lunch?');
    await bob.mentions(channel, 'Ben: is soup lunch?', { thread });
    await untilTaken(1);
    expect(taken[0]?.request.threadId.endsWith(`:${thread}`)).toBe(true);
  });

  test('names people and links in plain words, in which nothing is live', async () => {
    const { slack, ada, bob, channel, taken, untilTaken } = await startListening({
      models: quickBen(),
    });
    await ada.mentions(
      channel,
      `Ben: would <@${bob.user.id}> &lt;tell&gt; <!channel> in <#C0123|general>, as <https://a.example/x|we do>?`,
    );
    await untilTaken(1);
    expect(taken[0]?.request.question).toBe(
      'Ben: would @\u2060bob <tell> @channel in #general, as we do (https://a.example/x)?',
    );
    expect(slack.calls.filter(({ method }) => method === 'users.info')).toHaveLength(2);
  });

  test('alone gets help, which no one else sees', async () => {
    const { slack, ada, bob, channel, taken, privately } = await startListening();
    await ada.mentions(channel, '  ');
    await slack.until(() => privately(ada).length > 0, 'help');
    expect(privately(ada)[0]).toContain('/council ask');
    expect(privately(bob)).toEqual([]);
    expect(taken).toEqual([]);
    expect(slack.appMessages().filter(({ ephemeralFor }) => !ephemeralFor)).toEqual([]);
  });

  test('with files is asked with them, also without a word', async () => {
    const { slack, ada, channel, taken, untilTaken } = await startListening({
      models: quickBen(),
    });
    const { botUserId } = slack.installation();
    const teamId = slack.workspace.id;
    const posts = [
      [`<@${botUserId}> Ben: is this right?`, '1700000000.000100'],
      [`<@${botUserId}>`, '1700000000.000200'],
    ];
    const url_private = 'https://files.slack.com/files-pri/T1-F1/plan.pdf';
    for (const [text, ts] of posts) {
      const event = {
        type: 'message',
        subtype: 'file_share',
        user: ada.user.id,
        channel: channel.id,
        channel_type: 'channel',
        files: [{ id: 'F1', name: '../../<!channel> plan.pdf', mode: 'hosted', url_private }],
        text,
        ts,
        event_ts: ts,
      };
      await slack.events.tell({ teamId, subscription: 'message.channels', event });
    }
    await untilTaken(2);
    expect(taken.map(({ request }) => request.question)).toEqual([
      'Ben: is this right?',
      'What do you make of this?',
    ]);
    expect(taken[0]?.request.heard?.messages).toMatchObject([
      {
        isMeant: true,
        sources: [{ status: 'pointed', name: '!channel plan.pdf', address: url_private }],
      },
    ]);
  });

  test('of a file alone in a thread of the council asks nothing, and costs no call', async () => {
    const models = scriptedModels({
      moderator: ['{"respond": "nobody"}'],
      sages: { ben: [answer('No.')] },
    });
    const { slack, ada, channel, taken, untilTaken } = await startListening({ models });
    const { thread } = await ada.mentions(channel, 'Ben: why?');
    await untilTaken(1);
    const ts = '1900000000.000100';
    const event = {
      type: 'message',
      subtype: 'file_share',
      text: '',
      user: ada.user.id,
      channel: channel.id,
      channel_type: 'channel',
      thread_ts: thread,
      ts,
      event_ts: ts,
      files: [
        { id: 'F1', name: 'lunch.png', mode: 'hosted', url_private: 'https://files.slack.com/f' },
      ],
    };
    const teamId = slack.workspace.id;
    await slack.events.tell({ teamId, subscription: 'message.channels', event });
    await ada.says(channel, 'can someone book the room', { thread });
    await vi.waitFor(() => expect(models.moderator.requests).toHaveLength(1));
    expect(JSON.stringify(models.moderator.requests)).toContain('book the room');
    expect(taken).toHaveLength(1);
  });

  test.each([
    ['a clip that was recorded in Slack', { subtype: 'slack_audio', mimetype: 'video/webm' }],
    ['a recording', { mimetype: 'audio/mpeg' }],
    ['a video', { mimetype: 'video/mp4' }],
  ])('of %s alone is not asked, and its author told why', async (_what, kind) => {
    const { slack, ada, taken } = await startListening();
    const direct = await ada.direct();
    const ts = '1900000000.000100';
    const url_private = 'https://files.slack.com/f';
    const event = {
      type: 'message',
      subtype: 'file_share',
      text: '',
      user: ada.user.id,
      channel: direct.id,
      channel_type: 'im',
      ts,
      event_ts: ts,
      files: [{ id: 'F1', name: 'clip', mode: 'hosted', url_private, ...kind }],
    };
    const teamId = slack.workspace.id;
    await slack.events.tell({ teamId, subscription: 'message.im', event });
    await slack.until(() => slack.messages(direct).length > 0, 'a word about it');
    expect(slack.messages(direct)[0]?.text).toContain('can’t listen to voice messages');
    expect(taken).toEqual([]);
  });

  test('that is refused is told once to the person who asked', async () => {
    const { slack, ada, channel, taken, privately } = await startListening();
    await ada.mentions(channel, 'x'.repeat(300));
    await slack.until(() => privately(ada).length > 0, 'a refusal');
    for (const { eventId } of slack.events.all) await slack.events.redeliver(eventId);
    expect(privately(ada)).toEqual([expect.stringContaining('the limit is 200')]);
    expect(taken).toHaveLength(1);
  });

  test('of someone who is not let in is answered once, to them alone', async () => {
    const { slack, ada, bob, channel, untilTaken, privately } = await startListening({
      access: { allow: ['slack:TELSEWHERE'] },
    });
    for (const said of ['Ben: why?', 'Ben: why not?']) await ada.mentions(channel, said);
    await bob.mentions(channel, 'Ben: and me?');
    await untilTaken(3);
    await slack.until(() => privately(bob).length > 0, 'the second refusal');
    const sorry = expect.stringContaining('this council isn’t open to you here');
    expect(privately(ada)).toEqual([sorry]);
    expect(privately(bob)).toEqual([sorry]);
  });

  test('is taken by a retry where the first delivery failed, and the failure was told', async () => {
    let isDown = true;
    const { slack, ada, channel, taken, untilTaken, privately, log } = await startListening({
      models: quickBen(),
      wrap: (bot) => ({
        ask: async (request) => {
          if (isDown) throw new Error('The store is away.');
          return bot.ask(request);
        },
      }),
    });
    await ada.mentions(channel, 'Ben: why not?');
    await slack.until(() => privately(ada).length > 0, 'the failure');
    expect(privately(ada)).toEqual([expect.stringContaining('because of a fault in the program')]);
    expect(log.join('\n')).toContain('The store is away.');
    isDown = false;
    for (const { eventId } of slack.events.all) await slack.events.redeliver(eventId);
    await untilTaken(1);
    expect(taken[0]?.asked).toMatchObject({ status: 'accepted', isNew: true });
  });

  test('to stop is carried out by the next delivery if the first process ended before', async () => {
    let hasEnded = true;
    const { slack, ada, channel, untilTaken, privately, invocations } = await startListening({
      models: slowBen(),
      wrap: (bot) => ({
        command: async (invocation) => {
          if (hasEnded) throw new Error('The process has ended.');
          return bot.command(invocation);
        },
      }),
    });
    const { thread } = await ada.mentions(channel, 'Ben: why not?');
    await untilTaken(1);
    const { ts } = await ada.mentions(channel, 'stop', { thread });
    await slack.until(() => privately(ada).length === 1, 'the failure');
    hasEnded = false;
    for (const { eventId } of slack.events.all) await slack.events.redeliver(eventId);
    await slack.until(() => privately(ada).length === 2, 'the stop');
    expect(privately(ada)[1]).toContain('Stopped one question');
    expect(invocations.at(-1)).toMatchObject({ saidAt: Math.floor(Number(ts) * 1000) });
  });

  test('to stop, to the bot alone, ends the question that is running, in whatever thread', async () => {
    const { slack, ada, taken, untilTaken, store } = await startListening({ models: slowBen() });
    const direct = await ada.direct();
    await ada.says(direct, 'Ben: why not?');
    await untilTaken(1);
    await ada.says(direct, 'stop');
    await slack.until(() => slack.appMessages().length === 1, 'the stop');
    expect(slack.appMessages()[0]?.text).toContain('Stopped one question');
    await vi.waitFor(async () =>
      expect(await store.turns.read(turnOf(taken[0]))).toMatchObject({ outcome: 'stopped' }),
    );
    await ada.says(direct, 'stop');
    await slack.until(() => slack.appMessages().length === 2, 'that there is none');
    expect(slack.appMessages()[1]?.text).toContain('You have nothing running');
  });

  test('to the bot alone that fails is told in its own thread, where the person looks', async () => {
    const { slack, ada } = await startListening({
      wrap: () => ({ interpret: () => Promise.reject(new Error('The store is away.')) }),
    });
    const direct = await ada.direct();
    const { ts } = await ada.says(direct, 'Ben: why?');
    await slack.until(() => slack.appMessages().length > 0, 'the failure');
    expect(slack.appMessages().map(({ threadTs }) => threadTs)).toEqual([ts]);
  });

  test('is taken without names where users:read is missing', async () => {
    const { slack, ada, channel, taken, untilTaken } = await startListening({ models: quickBen() });
    slack.setScopes(['app_mentions:read', 'channels:history', 'chat:write']);
    await ada.mentions(channel, `Ben: is <@${ada.user.id}> here?`);
    await untilTaken(1);
    expect(taken[0]?.request.author.name).toBe(ada.user.id);
  });

  test('200 times by one person is refused quickly, and three times in so many words', async () => {
    const { slack, ada, bob, channel, taken, untilTaken, privately } = await startListening({
      models: slowBen(),
    });
    await Promise.all(
      Array.from({ length: 200 }, (_, number) => ada.mentions(channel, `Ben: and ${number}?`)),
    );
    await untilTaken(200);
    await slack.until(() => privately(ada).length === 3, 'three refusals');
    await bob.mentions(channel, 'Ben: may I?');
    await untilTaken(201);
    expect(taken.at(-1)?.asked).toMatchObject({ status: 'accepted' });
    expect(taken.slice(0, 200).filter(({ asked }) => asked.status === 'accepted')).toHaveLength(5);
    expect(privately(ada)).toHaveLength(3);
    const lookedUp = slack.calls.filter(({ method }) => method === 'users.info');
    expect(lookedUp).toHaveLength(2);
  }, 60_000);
});

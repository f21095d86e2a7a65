import { describe, expect, test, vi } from 'vitest';
import { slackLimits } from '../../../src/platforms/slack/api/patience.ts';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import { expectWholeTurn, question, saidIn, startWhole } from './whole-turn.ts';

const limitable = [
  ['the progress message', 'chat.postMessage', 0],
  ['the second answer', 'chat.startStream', 1],
  ['the verdict', 'chat.postMessage', 1],
  ['the first edit', 'chat.update', 0],
  ['the status', 'assistant.threads.setStatus', 0],
  ['the address of the verdict', 'chat.getPermalink', 0],
  ['who asks', 'users.info', 0],
] as const;

// Many at once, on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

describe('Slack’s limits', () => {
  test.concurrent.each(limitable.map(([what, method, after]) => ({ what, method, after })))(
    'after a 429 on $what everything is there once, in order',
    async ({ method, after }) => {
      await using council = await startWhole();
      const { slack, channel, ada } = council;
      slack.faults.plan(method, { kind: 'rate limit', retryAfterSeconds: 1 }, { after });
      const { thread } = await ada.mentions(channel, question);
      await expectWholeTurn(council, thread);
      expect(slack.calls.filter(({ status }) => status === 429)).toHaveLength(1);
    },
  );

  test.concurrent('after a 429 on every kind of call at once everything is there once, in order', async () => {
    await using council = await startWhole();
    const { slack, channel, ada } = council;
    for (const [, method] of limitable) {
      slack.faults.plan(method, { kind: 'rate limit', retryAfterSeconds: 1 });
    }
    const { thread } = await ada.mentions(channel, question);
    await expectWholeTurn(council, thread);
  });

  test.concurrent('in one channel do not hold up another', async () => {
    const sages = { ada: [answer('Yes.')], ben: [answer('No.')] };
    await using council = await startWhole({}, scriptedModels({ sages }));
    const { slack, channel, ada, bot } = council;
    const other = await slack.addChannel('other');
    slack.faults.plan(
      'chat.postMessage',
      { kind: 'rate limit', retryAfterSeconds: 4 },
      { when: ({ args }) => args.channel === channel.id },
    );
    const held = await ada.mentions(channel, 'Ada: should we?');
    await slack.until(() => slack.calls.some(({ status }) => status === 429), 'the 429');
    const free = await ada.mentions(other, 'Ben: should we?');
    const answers = (place: typeof channel, thread: string) =>
      saidIn({ ...council, channel: place }, thread).map(({ text }) => text);
    await slack.until(() => answers(other, free.thread).includes('No.'), 'the other answer');
    expect(answers(channel, held.thread)).toEqual([]);
    await slack.until(() => answers(channel, held.thread).includes('Yes.'), 'the held answer');
    await bot.idle();
  });

  test.concurrent('are kept by themselves: a whole turn meets no 429', async () => {
    await using council = await startWhole({ limits: true, pacing: slackLimits });
    const { slack, channel, ada } = council;
    const { thread } = await ada.mentions(channel, question);
    await expectWholeTurn(council, thread);
    expect([...slack.limits.refused]).toEqual([]);
  }, 60_000);
});

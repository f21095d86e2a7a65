import { describe, expect, test, vi } from 'vitest';
import type { Fault } from '../../fakes/slack/api/faults.ts';
import { expectWholeTurn, question, startWhole } from './whole-turn.ts';

/** What is posted in a turn: which call of a method it is. */
const posts = [
  ['the progress message', 'chat.postMessage', 1],
  ['the first answer', 'chat.startStream', 1],
  ['the last answer', 'chat.startStream', 4],
  ['the verdict', 'chat.postMessage', 2],
] as const;

const faults: readonly Fault[] = [
  { kind: 'status', status: 500 },
  { kind: 'status after processing', status: 500 },
  { kind: 'silence' },
  { kind: 'silence after processing' },
  { kind: 'drop' },
  { kind: 'drop after processing' },
];

const cases = posts.flatMap(([what, method, number]) =>
  faults.map((fault) => ({ what, method, number, fault, kind: fault.kind })),
);

// Many at once, on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

describe('a post in Slack that nothing is answered to', () => {
  test.concurrent.each(cases)(
    'after “$kind” on $what everything is there once, in order',
    async ({ method, number, fault }) => {
      await using council = await startWhole();
      const { slack, channel, ada } = council;
      slack.faults.plan(method, fault, { after: number - 1 });
      const { thread } = await ada.mentions(channel, question);
      await expectWholeTurn(council, thread);
    },
  );

  test.concurrent('is there once when looking for it fails as well', async () => {
    await using council = await startWhole();
    const { slack, channel, ada } = council;
    slack.faults.plan('chat.startStream', { kind: 'drop after processing' }, { after: 1 });
    slack.faults.plan('conversations.replies', { kind: 'status', status: 500 });
    slack.faults.plan('conversations.replies', { kind: 'drop' });
    slack.faults.plan('conversations.replies', { kind: 'rate limit', retryAfterSeconds: 1 });
    const { thread } = await ada.mentions(channel, question);
    await expectWholeTurn(council, thread);
  });

  test.concurrent('is there once when that happens to every post', async () => {
    await using council = await startWhole();
    const { slack, channel, ada } = council;
    slack.faults.plan('chat.postMessage', { kind: 'drop after processing' }, { times: 2 });
    slack.faults.plan('chat.startStream', { kind: 'drop after processing' }, { times: 4 });
    const { thread } = await ada.mentions(channel, question);
    await expectWholeTurn(council, thread);
    const count = (name: string) => slack.calls.filter(({ method }) => method === name).length;
    expect([count('chat.postMessage'), count('chat.startStream')]).toEqual([2, 4]);
  });

  test.concurrent('is there once when Slack says that it failed within', async () => {
    await using council = await startWhole();
    const { slack, channel, ada } = council;
    slack.faults.plan(
      'chat.postMessage',
      { kind: 'refusal', error: 'internal_error' },
      { times: 3 },
    );
    const { thread } = await ada.mentions(channel, question);
    await expectWholeTurn(council, thread);
  });
});

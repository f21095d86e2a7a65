import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import type { Fault } from '../../fakes/slack/api/faults.ts';
import { inWords, pausing } from './pausing-models.ts';
import { saidIn, startWhole } from './whole-turn.ts';

const long = 'One two three four five six seven eight nine ten eleven twelve.';
/** How fast the sage speaks. */
const wordMs = 30;

/** A bot whose only sage speaks word by word, so that its answer is seen to grow. */
async function startGrowing() {
  const script = scriptedModels({ sages: { ben: [inWords(answer(long))] } });
  const council = await startWhole(
    {},
    pausing(script, () => wait(wordMs)),
  );
  const { slack, channel, ada, bot } = council;
  return {
    ...council,
    calls: (method: string) => slack.calls.filter((call) => call.method === method),

    /** Asks; fails unless the answer is there in the end: whole, once, and growing no more. */
    async expectWholeAnswer(meanwhile?: () => Promise<void>): Promise<void> {
      const { thread } = await ada.mentions(channel, 'Ben: and you?');
      const said = () => saidIn(council, thread);
      await meanwhile?.();
      const isOver = () => said()[0]?.text.includes('1 of 1 answered.') === true;
      await slack.until(isOver, 'the end of the turn', 60_000);
      await bot.idle();
      const [progress, ...answers] = said();
      expect(progress?.text).not.toContain('Not everything');
      expect(answers.map(({ author, text }) => [author, text])).toEqual([['Ben Sage', long]]);
      expect(answers[0]?.metadata?.event_payload).toMatchObject({ part: 'answer ben' });
      expect(answers[0]?.streaming).not.toBe('in_progress');
      slack.assertNoViolations();
    },
  };
}

const faults: readonly Fault[] = [
  { kind: 'rate limit', retryAfterSeconds: 1 },
  { kind: 'status', status: 500 },
  { kind: 'status after processing', status: 500 },
  { kind: 'silence after processing' },
  { kind: 'drop' },
  { kind: 'drop after processing' },
];

const cases = ['chat.startStream', 'chat.appendStream', 'chat.stopStream'].flatMap((method) =>
  faults.map((fault) => ({ method, fault, kind: fault.kind })),
);

// Many at once, on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

describe('an answer that grows in Slack', () => {
  test.concurrent('begins as soon as there is something to read', async () => {
    await using council = await startGrowing();
    await council.expectWholeAnswer();
    expect(council.calls('chat.startStream')).toHaveLength(1);
    expect(council.calls('chat.appendStream').length).toBeGreaterThan(0);
    expect(council.calls('chat.stopStream')).toHaveLength(1);
  });

  test.concurrent.each(cases)(
    'is whole and there once after “$kind” on $method',
    async ({ method, fault }) => {
      await using council = await startGrowing();
      council.slack.faults.plan(method, fault);
      await council.expectWholeAnswer();
      expect(council.calls(method).length).toBeGreaterThan(0);
    },
  );

  test.concurrent('goes on in the same message when Slack closes it', async () => {
    await using council = await startGrowing();
    const { slack, calls } = council;
    await council.expectWholeAnswer(async () => {
      await slack.until(() => calls('chat.appendStream').length > 0, 'it grows');
      slack.streams.closeAll();
    });
    expect(calls('chat.startStream')).toHaveLength(1);
    const refused = calls('chat.appendStream').concat(calls('chat.stopStream'));
    expect(refused.map((call) => JSON.stringify(call.answer))).toContainEqual(
      expect.stringContaining('message_not_in_streaming_state'),
    );
  });

  test.concurrent('is said whole where Slack lets nothing grow', async () => {
    await using council = await startGrowing();
    const refusal = { kind: 'refusal', error: 'channel_type_not_supported' } as const;
    council.slack.faults.plan('chat.startStream', refusal, { times: 9 });
    await council.expectWholeAnswer();
    expect(council.calls('chat.startStream')).toHaveLength(1);
  });
});

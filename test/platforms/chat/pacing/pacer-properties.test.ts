import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type {
  CallLimit,
  Destination,
  PacingLimits,
} from '../../../../src/platforms/chat/pacing/call-ledger.ts';
import { createPacer } from '../../../../src/platforms/chat/pacing/pacer.ts';
import { discordLimits } from '../../../../src/platforms/discord/rest/request-budget.ts';
import { slackLimits } from '../../../../src/platforms/slack/api/patience.ts';
import { type Answer, RecordedCalls, TooMany } from './recorded-calls.ts';

const answer: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ afterMs: fc.nat(3000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      afterMs: fc.nat(500),
      error: fc
        .record({ retryAfterMs: fc.nat(20_000), isGlobal: fc.boolean() })
        .map((limited) => new TooMany(limited)),
    }),
  },
);

const step = fc.record({
  waitMs: fc.oneof(fc.constant(0), fc.nat(1500)),
  what: fc.constantFrom('post', 'webhook post', 'edit'),
  thread: fc.nat(3),
  state: fc.nat(3),
  answer,
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Threads 0 and 1 are in one channel and share its webhook, 2 and 3 in another. */
function destinationOf({ thread, what }: Step): Destination {
  const channel = `channel ${thread < 2 ? 'a' : 'b'}`;
  const webhook = what === 'webhook post' ? { webhook: `webhook of ${channel}` } : {};
  return { thread: `thread ${thread}`, channel, ...webhook };
}

/** Runs a schedule to its end: four threads, each with posts and one message that is edited. */
async function run(steps: readonly Step[], limits: PacingLimits) {
  const platform = new RecordedCalls();
  const pacer = createPacer(limits);
  const messages = [0, 1, 2, 3].map((thread) => {
    const destination = {
      thread: `thread ${thread}`,
      channel: `channel ${thread < 2 ? 'a' : 'b'}`,
    };
    return pacer.edits<string>({
      destination,
      shown: `${thread} posted`,
      edit: (state) => platform.call('edit', destination, state),
      onEditFailed: (error) => expect.unreachable(String(error)),
    });
  });
  const posted: Promise<void>[] = [];
  for (const [index, one] of steps.entries()) {
    await vi.advanceTimersByTimeAsync(one.waitMs);
    if (one.what === 'edit') {
      platform.answers.push(one.answer);
      messages[one.thread]?.show(`${one.thread} ${one.state}`);
      continue;
    }
    const destination = destinationOf(one);
    const answers = [one.answer];
    const send = () =>
      platform.call('post', destination, { thread: one.thread, index }, answers.shift() ?? {});
    posted.push(pacer.post(destination, send));
  }
  const finished = messages.map((message, thread) => message.finish(`${thread} last`));
  await vi.runAllTimersAsync();
  await Promise.all([...posted, ...finished]);
  return platform;
}

/** The most calls of one kind and place that the platform took and can have counted in one window. */
function mostInOneWindow(limit: CallLimit, platform: RecordedCalls): number {
  const places = new Map<string, { readonly first: number; readonly last: number }[]>();
  for (const { kind, destination, startedAt, endedAt, error } of platform.calls) {
    if (error !== undefined) continue;
    const { per } = limit;
    const place = per === 'everything' || per === 'method' ? per : destination[per];
    if (place === undefined || !limit.of.includes(kind)) continue;
    places.set(place, [...(places.get(place) ?? []), { first: startedAt, last: endedAt }]);
  }
  return Math.max(
    0,
    ...[...places.values()].flatMap((calls) =>
      // A window that ends as a call arrives: all that may have arrived less than a window before.
      calls.map(
        ({ first }) =>
          calls.filter((call) => call.first <= first && call.last > first - limit.windowMs).length,
      ),
    ),
  );
}

describe.each([
  ['Discord', discordLimits],
  ['Slack', slackLimits],
])('any schedule of posts and edits, with the limits of %s,', (_name, limits: PacingLimits) => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const schedules = fc.array(step, { maxLength: 60 });

  it('never passes a limit in any window, whenever the platform counts the calls', async () => {
    await fc.assert(
      fc.asyncProperty(schedules, async (steps) => {
        const platform = await run(steps, limits);
        for (const limit of limits.calls) {
          expect(mostInOneWindow(limit, platform)).toBeLessThanOrEqual(limit.calls);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('makes every post once, in the order of its thread', async () => {
    await fc.assert(
      fc.asyncProperty(schedules, async (steps) => {
        const { made } = await run(steps, limits);
        for (const thread of [0, 1, 2, 3]) {
          const wanted = steps.flatMap((one, index) =>
            one.thread === thread && one.what !== 'edit' ? [{ thread, index }] : [],
          );
          const inThread = expect.objectContaining({ thread });
          expect(made.filter((what) => inThread.asymmetricMatch(what))).toEqual(wanted);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('brings the last state of every message, no edit twice and none too soon, and no timer stays', async () => {
    await fc.assert(
      fc.asyncProperty(schedules, async (steps) => {
        const platform = await run(steps, limits);
        for (const thread of [0, 1, 2, 3]) {
          const edits = platform.calls.filter(
            ({ kind, destination }) => kind === 'edit' && destination.thread === `thread ${thread}`,
          );
          const made = edits.filter(({ error }) => error === undefined);
          expect(made.at(-1)?.what).toBe(`${thread} last`);
          for (const [index, edit] of made.entries()) {
            expect(edit.what).not.toBe(made[index - 1]?.what ?? `${thread} posted`);
          }
          for (const [index, edit] of edits.slice(1).entries()) {
            const before = edits[index]?.endedAt ?? Infinity;
            expect(edit.startedAt).toBeGreaterThanOrEqual(before + limits.editGapMs);
          }
        }
        expect(vi.getTimerCount()).toBe(0);
      }),
      { numRuns: 150 },
    );
  });
});

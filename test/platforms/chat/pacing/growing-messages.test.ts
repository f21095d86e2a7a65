import { describe, expect, it, vi } from 'vitest';
import { slackLimits } from '../../../../src/platforms/slack/api/patience.ts';
import { pacedPlatform, thread } from './paced-platform.ts';
import { TooMany } from './recorded-calls.ts';

const paced = pacedPlatform(slackLimits);

describe('messages that grow', () => {
  it('are begun within their own limit, and what is posted whole does not wait for them', async () => {
    const begin = (index: number) => {
      const destination = { thread: `stream ${index}`, channel: `channel ${index}` };
      const send = () => paced.platform.call('stream_start', destination, index);
      return paced.pacer.post(destination, send, undefined, 'stream_start');
    };
    const begun = Array.from({ length: 21 }, (_, index) => begin(index));
    const posted = paced.post('whole');
    await vi.advanceTimersByTimeAsync(0);
    expect(paced.platform.made).toEqual([
      ...Array.from({ length: 20 }, (_, index) => index),
      'whole',
    ]);
    await vi.runAllTimersAsync();
    await Promise.all([...begun, posted]);
    expect(paced.platform.times.at(-1)).toBe(60_000);
  });

  it('end within another limit than they grow', async () => {
    const streams = Array.from({ length: 21 }, (_, index) =>
      paced.pacer.edits<string>({
        destination: { thread: `${index}`, channel: `${index}` },
        kindOf: (isLast) => (isLast ? 'stream_stop' : 'stream_append'),
        shown: 'a',
        edit: (state) => paced.platform.call('edit', thread, state),
        onEditFailed: (error) => expect.unreachable(String(error)),
      }),
    );
    const finished = Promise.all(streams.map((stream) => stream.finish('a b c')));
    await vi.runAllTimersAsync();
    await finished;
    // More than could have been appended.
    expect(paced.platform.times.slice(0, 20).every((time) => time === 0)).toBe(true);
    expect(paced.platform.times.at(-1)).toBe(60_000);
  });

  it('wait together when the platform refuses their method, and posts do not', async () => {
    const streams = ['one', 'two'].map((name) => {
      const destination = { thread: name, channel: name };
      return paced.pacer.edits<string>({
        destination,
        kindOf: () => 'stream_append',
        shown: '',
        edit: (state) => paced.platform.call('edit', destination, state),
        onEditFailed: (error) => expect.unreachable(String(error)),
      });
    });
    const limited = new TooMany({ retryAfterMs: 5000, isGlobal: false });
    paced.platform.answers.push({ error: limited });
    streams[0]?.show('a');
    await vi.advanceTimersByTimeAsync(0);
    streams[1]?.show('b');
    const posted = paced.post('whole', { thread: 'two', channel: 'two' });
    await vi.advanceTimersByTimeAsync(4999);
    await posted;
    expect(paced.platform.made).toEqual(['whole']);
    await vi.runAllTimersAsync();
    expect(paced.platform.made).toEqual(['whole', 'a', 'b']);
  });
});

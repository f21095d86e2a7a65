import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Destination } from '../../../src/platforms/pacing/call-ledger.ts';
import { discordLimits, slackLimits } from '../../../src/platforms/pacing/call-limits.ts';
import { createPacer, type Pacer } from '../../../src/platforms/pacing/pacer.ts';
import { RecordedCalls, rateLimitOf, TooMany } from './recorded-calls.ts';

const thread: Destination = { thread: 'thread', channel: 'channel' };
const sages: Destination = { ...thread, webhook: 'webhook' };

let platform: RecordedCalls;
let pacer: Pacer;

beforeEach(() => {
  vi.useFakeTimers();
  platform = new RecordedCalls();
  pacer = createPacer({ limits: discordLimits, rateLimitOf });
});
afterEach(async () => {
  await vi.runAllTimersAsync();
  await pacer.flush();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

function post(what: unknown, destination = thread, signal?: AbortSignal): Promise<void> {
  return pacer.post(destination, () => platform.call('post', destination, what), signal);
}

function edits(shown: unknown, more: { signal?: AbortSignal; destination?: Destination } = {}) {
  const { destination = thread, ...rest } = more;
  const failures: unknown[] = [];
  const message = pacer.edits<unknown>({
    destination,
    shown,
    edit: (state) => platform.call('edit', destination, state),
    onEditFailed: (error) => failures.push(error),
    ...rest,
  });
  return { message, failures };
}

describe('posts', () => {
  it('are made at once while the limits allow it, and wait for the window to pass after that', async () => {
    const posted = Promise.all([1, 2, 3, 4, 5, 6, 7].map((what) => post(what)));
    await vi.runAllTimersAsync();
    await posted;
    expect(platform.made).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(platform.times).toEqual([0, 0, 0, 0, 0, 5000, 5000]);
  });

  it('of one thread are made one after another, of two threads side by side', async () => {
    platform.answers.push({ afterMs: 300 }, { afterMs: 100 });
    const other = { thread: 'other', channel: 'channel' };
    const posted = Promise.all([post('a'), post('b'), post('c', other)]);
    await vi.runAllTimersAsync();
    await posted;
    expect(platform.calls.map(({ what }) => what)).toEqual(['a', 'c', 'b']);
    expect(platform.times).toEqual([0, 0, 300]);
  });

  it('count from the end of a call, because nobody knows when the platform counts it', async () => {
    platform.answers.push(...Array.from({ length: 5 }, () => ({ afterMs: 100 })));
    const posted = Promise.all([1, 2, 3, 4, 5, 6].map((what) => post(what)));
    await vi.runAllTimersAsync();
    await posted;
    expect(platform.times).toEqual([0, 100, 200, 300, 400, 5100]);
  });

  it('by webhook share one count for each webhook, and one for the channel over all of them', async () => {
    const posted = Promise.all(
      Array.from({ length: 36 }, (_, index) =>
        post(index, { thread: `${index}`, channel: 'channel', webhook: `${index % 2}` }),
      ),
    );
    await vi.runAllTimersAsync();
    await posted;
    const times = platform.times;
    expect(times.filter((time) => time === 0)).toHaveLength(10);
    expect(times.filter((time) => time < 60_000)).toHaveLength(30);
    expect(times.filter((time) => time === 60_000)).toHaveLength(6);
  });

  it('give what the call gives, and reject as it does without holding up the next', async () => {
    platform.answers.push({ error: new Error('no permission') });
    const [failed, given] = await Promise.allSettled([
      post('a'),
      pacer.post(thread, async () => 'the id'),
    ]);
    expect(failed).toMatchObject({ reason: { message: 'no permission' } });
    expect(given).toEqual({ status: 'fulfilled', value: 'the id' });
  });

  it('wait as long as the platform asks, in their order, while other channels go on', async () => {
    platform.answers.push({ error: new TooMany({ retryAfterMs: 40_000, isGlobal: false }) });
    const elsewhere = { thread: 'elsewhere', channel: 'elsewhere', webhook: 'other' };
    const sibling = { thread: 'sibling', channel: 'channel', webhook: 'webhook' };
    const posted = Promise.all([post(1, sages), post(2, sages)]);
    await vi.advanceTimersByTimeAsync(0);
    const later = Promise.all([post(3, elsewhere), post(4, sibling)]);
    await vi.runAllTimersAsync();
    await Promise.all([posted, later]);
    expect(platform.made).toEqual([3, 1, 4, 2]);
    expect(platform.times).toEqual([0, 0, 40_000, 40_000, 40_000]);
  });

  it('that were refused take no room from others', async () => {
    const refused = { error: new TooMany({ retryAfterMs: 100, isGlobal: false }) };
    platform.answers.push(...Array.from({ length: 5 }, () => refused));
    const posted = Promise.all([1, 2, 3, 4, 5].map((what) => post(what)));
    await vi.runAllTimersAsync();
    await posted;
    expect(platform.made).toEqual([1, 2, 3, 4, 5]);
    expect(platform.times.at(-1)).toBe(500);
  });

  it('that were refused hold back the edits of their thread, too', async () => {
    platform.answers.push({ error: new TooMany({ retryAfterMs: 9000, isGlobal: false }) });
    const posted = post('a');
    await vi.advanceTimersByTimeAsync(0);
    edits('posted').message.show('b');
    edits('posted', { destination: { ...thread, thread: 'other' } }).message.show('c');
    await vi.runAllTimersAsync();
    await posted;
    expect(platform.times).toEqual([0, 0, 9000, 9000]);
    expect(platform.made).toEqual(['c', 'a', 'b']);
  });

  it('all wait when the limit of the whole token is reached', async () => {
    platform.answers.push({ error: new TooMany({ retryAfterMs: 3000, isGlobal: true }) });
    const first = post(1);
    await vi.advanceTimersByTimeAsync(0);
    const second = post(2, { thread: 'elsewhere', channel: 'elsewhere' });
    await vi.runAllTimersAsync();
    await Promise.all([first, second]);
    expect(platform.times).toEqual([0, 3000, 3000]);
  });

  it('that are called off while they wait are never made, and leave their place', async () => {
    const stop = new AbortController();
    const first = [1, 2, 3, 4, 5].map((what) => post(what));
    const dropped = post('dropped', thread, stop.signal);
    const last = post(6);
    await vi.advanceTimersByTimeAsync(1000);
    stop.abort(new Error('stopped'));
    await expect(dropped).rejects.toThrow('stopped');
    await vi.runAllTimersAsync();
    await Promise.all([...first, last]);
    expect(platform.made).toEqual([1, 2, 3, 4, 5, 6]);
    await expect(post(7, thread, stop.signal)).rejects.toThrow('stopped');
  });

  it('hand their signal to the call that is being made', async () => {
    const stop = new AbortController();
    const posted = pacer.post(
      thread,
      (signal) =>
        new Promise<void>((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
      stop.signal,
    );
    await vi.advanceTimersByTimeAsync(0);
    stop.abort(new Error('stopped'));
    await expect(posted).rejects.toThrow('stopped');
  });

  it('all end with the pacer', async () => {
    const end = new AbortController();
    pacer = createPacer({ limits: slackLimits, rateLimitOf, signal: end.signal });
    const posted = Promise.allSettled([post(1), post(2), post(3)]);
    await vi.advanceTimersByTimeAsync(0);
    end.abort(new Error('shut down'));
    expect((await posted).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('edits', () => {
  it('show the first state at once, and of those that follow the newest when the gap is over', async () => {
    const { message } = edits('posted');
    message.show('a');
    await vi.advanceTimersByTimeAsync(100);
    message.show('b');
    await vi.advanceTimersByTimeAsync(100);
    message.show('c');
    await vi.runAllTimersAsync();
    expect(platform.made).toEqual(['a', 'c']);
    expect(platform.times).toEqual([0, 1500]);
  });

  it('wait while the message is to stay as it is at first, and the last one does not', async () => {
    const open = () =>
      pacer.edits<string>({
        destination: thread,
        quietMs: 3000,
        shown: '',
        edit: (state) => platform.call('edit', thread, state),
        onEditFailed: (error) => expect.unreachable(String(error)),
      });
    const [short, long] = [open(), open()];
    short.show('a');
    long.show('b');
    await vi.advanceTimersByTimeAsync(2999);
    expect(platform.made).toEqual([]);
    const finished = short.finish('a ends');
    await vi.advanceTimersByTimeAsync(0);
    await finished;
    expect(platform.made).toEqual(['a ends']);
    await vi.runAllTimersAsync();
    expect(platform.made).toEqual(['a ends', 'b']);
  });

  it('are not made for a state that the message shows already', async () => {
    const { message } = edits({ text: 'posted' });
    message.show({ text: 'posted' });
    await vi.runAllTimersAsync();
    message.show({ text: 'a' });
    await vi.advanceTimersByTimeAsync(0);
    message.show({ text: 'b' });
    message.show({ text: 'a' });
    await vi.runAllTimersAsync();
    await message.finish({ text: 'a' });
    expect(platform.made).toEqual([{ text: 'a' }]);
  });

  it('end with the last state, after the gap, and ignore what comes later', async () => {
    const { message } = edits('posted');
    message.show('a');
    await vi.advanceTimersByTimeAsync(0);
    const finished = message.finish('last');
    message.show('too late');
    await vi.runAllTimersAsync();
    await finished;
    expect(platform.made).toEqual(['a', 'last']);
    expect(() => message.finish('again')).toThrow(TypeError);
  });

  it('bring the last state even when the budget is spent, and before other edits that wait', async () => {
    const others = [1, 2, 3, 4, 5, 6, 7].map((index) => edits(`posted ${index}`).message);
    for (const message of others.slice(0, 6)) message.show('shown');
    await vi.advanceTimersByTimeAsync(0);
    const finished = others[6]?.finish('last');
    await vi.runAllTimersAsync();
    await finished;
    expect(platform.times).toEqual([0, 0, 0, 0, 0, 5000, 5000]);
    expect(platform.made.at(-2)).toBe('last');
  });

  it('that were refused by the limits are made later, in their newest state', async () => {
    platform.answers.push({
      afterMs: 200,
      error: new TooMany({ retryAfterMs: 7000, isGlobal: false }),
    });
    const { message, failures } = edits('posted');
    message.show('a');
    await vi.advanceTimersByTimeAsync(100);
    message.show('b');
    await vi.runAllTimersAsync();
    expect(platform.made).toEqual(['b']);
    expect(platform.times).toEqual([0, 7200]);
    expect(failures).toEqual([]);
  });

  it('that were refused hold back other edits of their channel, and no post', async () => {
    platform.answers.push({ error: new TooMany({ retryAfterMs: 9000, isGlobal: false }) });
    edits('posted').message.show('a');
    await vi.advanceTimersByTimeAsync(0);
    edits('other').message.show('b');
    const posted = post('c');
    await vi.runAllTimersAsync();
    await posted;
    expect(platform.made).toEqual(['c', 'a', 'b']);
    expect(platform.times).toEqual([0, 0, 9000, 9000]);
  });

  it('that were refused are given up when the message is to be as it was', async () => {
    platform.answers.push({
      afterMs: 200,
      error: new TooMany({ retryAfterMs: 7000, isGlobal: false }),
    });
    const { message } = edits('posted');
    message.show('a');
    await vi.advanceTimersByTimeAsync(100);
    const finished = message.finish('posted');
    await vi.runAllTimersAsync();
    await finished;
    expect(platform.made).toEqual([]);
  });

  it('that fail are told, and the next state is sent, the same one too', async () => {
    platform.answers.push({ error: new Error('away') }, { error: new Error('gone') });
    const { message, failures } = edits('posted');
    message.show('a');
    await vi.runAllTimersAsync();
    expect(failures).toMatchObject([{ message: 'away' }]);
    const finished = message.finish('a');
    const refused = expect(finished).rejects.toThrow('gone');
    await vi.runAllTimersAsync();
    await refused;
    expect(platform.calls).toHaveLength(2);
  });

  it('that are called off are not made', async () => {
    const stop = new AbortController();
    const { message } = edits('posted', { signal: stop.signal });
    message.show('a');
    await vi.advanceTimersByTimeAsync(0);
    const finished = message.finish('b');
    stop.abort(new Error('stopped'));
    await expect(finished).rejects.toThrow('stopped');
    message.show('c');
    await vi.runAllTimersAsync();
    expect(platform.made).toEqual(['a']);
  });
});

describe('flush', () => {
  it('waits for what waits and for what is being made', async () => {
    platform.answers.push({ afterMs: 500 });
    const posted = post('a');
    edits('posted').message.show('b');
    let isFlushed = false;
    const flushed = pacer.flush().then(() => {
      isFlushed = true;
    });
    await vi.advanceTimersByTimeAsync(499);
    expect(isFlushed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all([posted, flushed]);
    expect(platform.made).toEqual(['a', 'b']);
  });

  it('does not wait when there is nothing', async () => {
    await pacer.flush();
    expect(platform.calls).toEqual([]);
  });
});

describe('messages that grow', () => {
  it('are begun within their own limit, and what is posted whole does not wait for them', async () => {
    pacer = createPacer({ limits: slackLimits, rateLimitOf });
    const begin = (index: number) => {
      const destination = { thread: `stream ${index}`, channel: `channel ${index}` };
      const send = () => platform.call('stream_start', destination, index);
      return pacer.post(destination, send, undefined, 'stream_start');
    };
    const begun = Array.from({ length: 21 }, (_, index) => begin(index));
    const posted = post('whole');
    await vi.advanceTimersByTimeAsync(0);
    expect(platform.made).toEqual([...Array.from({ length: 20 }, (_, index) => index), 'whole']);
    await vi.runAllTimersAsync();
    await Promise.all([...begun, posted]);
    expect(platform.times.at(-1)).toBe(60_000);
  });

  it('end within another limit than they grow', async () => {
    pacer = createPacer({ limits: slackLimits, rateLimitOf });
    const streams = Array.from({ length: 21 }, (_, index) =>
      pacer.edits<string>({
        destination: { thread: `${index}`, channel: `${index}` },
        kindOf: (isLast) => (isLast ? 'stream_stop' : 'stream_append'),
        shown: 'a',
        edit: (state) => platform.call('edit', thread, state),
        onEditFailed: (error) => expect.unreachable(String(error)),
      }),
    );
    const finished = Promise.all(streams.map((stream) => stream.finish('a b c')));
    await vi.runAllTimersAsync();
    await finished;
    // More than could have been appended.
    expect(platform.times.slice(0, 20).every((time) => time === 0)).toBe(true);
    expect(platform.times.at(-1)).toBe(60_000);
  });

  it('leave no room for those that were given up', async () => {
    pacer = createPacer({ limits: slackLimits, rateLimitOf });
    const end = new AbortController();
    const open = (signal?: AbortSignal) =>
      pacer.edits<string>({
        destination: thread,
        kindOf: (isLast) => (isLast ? 'last_edit' : 'edit'),
        shown: '',
        edit: (state) => platform.call('edit', thread, state),
        onEditFailed: (error) => expect.unreachable(String(error)),
        ...(signal ? { signal } : {}),
      });
    for (let count = 0; count < 50; count += 1) open(end.signal);
    const message = open();
    message.show('progress');
    await vi.advanceTimersByTimeAsync(0);
    expect(platform.made).toEqual([]);
    end.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(platform.made).toEqual(['progress']);
  });

  it('leave room for the ends of all others', async () => {
    pacer = createPacer({ limits: slackLimits, rateLimitOf });
    const messages = Array.from({ length: 50 }, (_, index) =>
      pacer.edits<string>({
        destination: { thread: `${index}`, channel: `${index}` },
        kindOf: (isLast) => (isLast ? 'last_edit' : 'edit'),
        shown: '',
        edit: (state) => platform.call('edit', thread, state),
        onEditFailed: (error) => expect.unreachable(String(error)),
      }),
    );
    for (const message of messages) message.show('progress');
    await vi.advanceTimersByTimeAsync(0);
    expect(platform.made).toEqual([]);
    const finished = messages.map((message) => message.finish('end'));
    await vi.advanceTimersByTimeAsync(0);
    await Promise.all(finished);
    expect(platform.made).toEqual(Array.from({ length: 50 }, () => 'end'));
  });

  it('wait together when the platform refuses their method, and posts do not', async () => {
    pacer = createPacer({ limits: slackLimits, rateLimitOf });
    const streams = ['one', 'two'].map((name) => {
      const destination = { thread: name, channel: name };
      return pacer.edits<string>({
        destination,
        kindOf: () => 'stream_append',
        shown: '',
        edit: (state) => platform.call('edit', destination, state),
        onEditFailed: (error) => expect.unreachable(String(error)),
      });
    });
    const limited = new TooMany({ retryAfterMs: 5000, isGlobal: false });
    platform.answers.push({ error: limited });
    streams[0]?.show('a');
    await vi.advanceTimersByTimeAsync(0);
    streams[1]?.show('b');
    const posted = post('whole', { thread: 'two', channel: 'two' });
    await vi.advanceTimersByTimeAsync(4999);
    await posted;
    expect(platform.made).toEqual(['whole']);
    await vi.runAllTimersAsync();
    expect(platform.made).toEqual(['whole', 'a', 'b']);
  });
});

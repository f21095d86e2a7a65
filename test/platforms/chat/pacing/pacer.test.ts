import { describe, expect, it, vi } from 'vitest';
import type { Destination } from '../../../../src/platforms/chat/pacing/call-ledger.ts';
import { discordLimits } from '../../../../src/platforms/discord/rest/request-budget.ts';
import { pacedPlatform, thread } from './paced-platform.ts';
import { TooMany } from './recorded-calls.ts';

const paced = pacedPlatform(discordLimits);
const sages: Destination = { ...thread, webhook: 'webhook' };

function edits(shown: unknown, more: { signal?: AbortSignal; destination?: Destination } = {}) {
  const { destination = thread, ...rest } = more;
  const failures: unknown[] = [];
  const message = paced.pacer.edits<unknown>({
    destination,
    shown,
    edit: (state) => paced.platform.call('edit', destination, state),
    onEditFailed: (error) => failures.push(error),
    ...rest,
  });
  return { message, failures };
}

describe('posts', () => {
  it('are made at once while the limits allow it, and wait for the window to pass after that', async () => {
    const posted = Promise.all([1, 2, 3, 4, 5, 6, 7].map((what) => paced.post(what)));
    await vi.runAllTimersAsync();
    await posted;
    expect(paced.platform.made).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(paced.platform.times).toEqual([0, 0, 0, 0, 0, 5000, 5000]);
  });

  it('of one thread are made one after another, of two threads side by side', async () => {
    paced.platform.answers.push({ afterMs: 300 }, { afterMs: 100 });
    const other = { thread: 'other', channel: 'channel' };
    const posted = Promise.all([paced.post('a'), paced.post('b'), paced.post('c', other)]);
    await vi.runAllTimersAsync();
    await posted;
    expect(paced.platform.calls.map(({ what }) => what)).toEqual(['a', 'c', 'b']);
    expect(paced.platform.times).toEqual([0, 0, 300]);
  });

  it('of a turn go before those of turns that were asked later, whenever they come', async () => {
    const made: string[] = [];
    const say = (turn: number, what: string) => {
      const destination = { ...sages, thread: `${turn}` };
      return paced.pacer.inTurn(turn).post(destination, async () => void made.push(what));
    };
    const answers = async (turn: number) => {
      for (const sage of ['a', 'b', 'c', 'd']) await say(turn, `${turn}${sage}`);
    };
    const posted = Promise.all([3, 1, 4, 2].map(answers));
    const told = paced.pacer.post(sages, async () => void made.push('a reply'));
    await vi.runAllTimersAsync();
    await Promise.all([posted, told]);
    // Five in two seconds: first one of each, as nothing else waits.
    expect(made).toEqual([
      ...['a reply', '1a', '2a', '3a', '4a'],
      ...['1b', '2b', '3b', '4b', '1c'],
      ...['1d', '2c', '3c', '4c', '2d'],
      ...['3d', '4d'],
    ]);
  });

  it('count from the end of a call, because no one knows when the platform counts it', async () => {
    paced.platform.answers.push(...Array.from({ length: 5 }, () => ({ afterMs: 100 })));
    const posted = Promise.all([1, 2, 3, 4, 5, 6].map((what) => paced.post(what)));
    await vi.runAllTimersAsync();
    await posted;
    expect(paced.platform.times).toEqual([0, 100, 200, 300, 400, 5100]);
  });

  it('by webhook share one count for each webhook, and one for the channel over all of them', async () => {
    const posted = Promise.all(
      Array.from({ length: 36 }, (_, index) =>
        paced.post(index, { thread: `${index}`, channel: 'channel', webhook: `${index % 2}` }),
      ),
    );
    await vi.runAllTimersAsync();
    await posted;
    const times = paced.platform.times;
    expect(times.filter((time) => time === 0)).toHaveLength(10);
    expect(times.filter((time) => time < 60_000)).toHaveLength(30);
    expect(times.filter((time) => time === 60_000)).toHaveLength(6);
  });

  it('give what the call gives, and reject as it does without holding up the next', async () => {
    paced.platform.answers.push({ error: new Error('no permission') });
    const [failed, given] = await Promise.allSettled([
      paced.post('a'),
      paced.pacer.post(thread, async () => 'the id'),
    ]);
    expect(failed).toMatchObject({ reason: { message: 'no permission' } });
    expect(given).toEqual({ status: 'fulfilled', value: 'the id' });
  });

  it('begin at once however many messages are still to be edited', async () => {
    const cards = Array.from({ length: 60 }, (_, index) => {
      const destination = { thread: `${index}`, channel: `${index}` };
      return edits('card', { destination }).message;
    });
    const posted = paced.post('verdict');
    await vi.advanceTimersByTimeAsync(0);
    expect(paced.platform.made).toEqual(['verdict']);
    const finished = Promise.all(cards.map((card) => card.finish('end')));
    await vi.runAllTimersAsync();
    await Promise.all([posted, finished]);
  });

  it('wait as long as the platform asks, in their order, while other channels go on', async () => {
    paced.platform.answers.push({ error: new TooMany({ retryAfterMs: 40_000, isGlobal: false }) });
    const elsewhere = { thread: 'elsewhere', channel: 'elsewhere', webhook: 'other' };
    const sibling = { thread: 'sibling', channel: 'channel', webhook: 'webhook' };
    const posted = Promise.all([paced.post(1, sages), paced.post(2, sages)]);
    await vi.advanceTimersByTimeAsync(0);
    const later = Promise.all([paced.post(3, elsewhere), paced.post(4, sibling)]);
    await vi.runAllTimersAsync();
    await Promise.all([posted, later]);
    expect(paced.platform.made).toEqual([3, 1, 4, 2]);
    expect(paced.platform.times).toEqual([0, 0, 40_000, 40_000, 40_000]);
  });

  it('that were refused take no room from others', async () => {
    const refused = { error: new TooMany({ retryAfterMs: 100, isGlobal: false }) };
    paced.platform.answers.push(...Array.from({ length: 5 }, () => refused));
    const posted = Promise.all([1, 2, 3, 4, 5].map((what) => paced.post(what)));
    await vi.runAllTimersAsync();
    await posted;
    expect(paced.platform.made).toEqual([1, 2, 3, 4, 5]);
    expect(paced.platform.times.at(-1)).toBe(500);
  });

  it('all wait when the limit of the whole token is reached', async () => {
    paced.platform.answers.push({ error: new TooMany({ retryAfterMs: 3000, isGlobal: true }) });
    const first = paced.post(1);
    await vi.advanceTimersByTimeAsync(0);
    const second = paced.post(2, { thread: 'elsewhere', channel: 'elsewhere' });
    await vi.runAllTimersAsync();
    await Promise.all([first, second]);
    expect(paced.platform.times).toEqual([0, 3000, 3000]);
  });

  it('that are called off while they wait are never made, and leave their place', async () => {
    const stop = new AbortController();
    const first = [1, 2, 3, 4, 5].map((what) => paced.post(what));
    const dropped = paced.post('dropped', thread, stop.signal);
    const last = paced.post(6);
    await vi.advanceTimersByTimeAsync(1000);
    stop.abort(new Error('stopped'));
    await expect(dropped).rejects.toThrow('stopped');
    await vi.runAllTimersAsync();
    await Promise.all([...first, last]);
    expect(paced.platform.made).toEqual([1, 2, 3, 4, 5, 6]);
    await expect(paced.post(7, thread, stop.signal)).rejects.toThrow('stopped');
  });

  it('hand their signal to the call that is being made', async () => {
    const stop = new AbortController();
    const posted = paced.pacer.post(
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
    expect(paced.platform.made).toEqual(['a', 'c']);
    expect(paced.platform.times).toEqual([0, 1500]);
  });

  it('wait while the message is to stay as it is at first, and the last one does not', async () => {
    const open = () =>
      paced.pacer.edits<string>({
        destination: thread,
        quietMs: 3000,
        shown: '',
        edit: (state) => paced.platform.call('edit', thread, state),
        onEditFailed: (error) => expect.unreachable(String(error)),
      });
    const [short, long] = [open(), open()];
    short.show('a');
    long.show('b');
    await vi.advanceTimersByTimeAsync(2999);
    expect(paced.platform.made).toEqual([]);
    const finished = short.finish('a ends');
    await vi.advanceTimersByTimeAsync(0);
    await finished;
    expect(paced.platform.made).toEqual(['a ends']);
    await vi.runAllTimersAsync();
    expect(paced.platform.made).toEqual(['a ends', 'b']);
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
    expect(paced.platform.made).toEqual([{ text: 'a' }]);
  });

  it('end with the last state, after the gap, and ignore what comes later', async () => {
    const { message } = edits('posted');
    message.show('a');
    await vi.advanceTimersByTimeAsync(0);
    const finished = message.finish('last');
    message.show('too late');
    await vi.runAllTimersAsync();
    await finished;
    expect(paced.platform.made).toEqual(['a', 'last']);
    expect(() => message.finish('again')).toThrow(TypeError);
  });

  it('bring the last state even when the budget is spent, and before other edits that wait', async () => {
    const others = [1, 2, 3, 4, 5, 6, 7].map((index) => edits(`posted ${index}`).message);
    for (const message of others.slice(0, 6)) message.show('shown');
    await vi.advanceTimersByTimeAsync(0);
    const finished = others[6]?.finish('last');
    await vi.runAllTimersAsync();
    await finished;
    expect(paced.platform.times).toEqual([0, 0, 0, 0, 0, 5000, 5000]);
    expect(paced.platform.made.at(-2)).toBe('last');
  });

  it('that were refused by the limits are made later, in their newest state', async () => {
    paced.platform.answers.push({
      afterMs: 200,
      error: new TooMany({ retryAfterMs: 7000, isGlobal: false }),
    });
    const { message, failures } = edits('posted');
    message.show('a');
    await vi.advanceTimersByTimeAsync(100);
    message.show('b');
    await vi.runAllTimersAsync();
    expect(paced.platform.made).toEqual(['b']);
    expect(paced.platform.times).toEqual([0, 7200]);
    expect(failures).toEqual([]);
  });

  it('that were refused hold back other edits of their channel, and no post', async () => {
    paced.platform.answers.push({ error: new TooMany({ retryAfterMs: 9000, isGlobal: false }) });
    edits('posted').message.show('a');
    await vi.advanceTimersByTimeAsync(0);
    edits('other').message.show('b');
    const posted = paced.post('c');
    await vi.runAllTimersAsync();
    await posted;
    expect(paced.platform.made).toEqual(['c', 'a', 'b']);
    expect(paced.platform.times).toEqual([0, 0, 9000, 9000]);
  });

  it('that were refused are given up when the message is to be as it was', async () => {
    paced.platform.answers.push({
      afterMs: 200,
      error: new TooMany({ retryAfterMs: 7000, isGlobal: false }),
    });
    const { message } = edits('posted');
    message.show('a');
    await vi.advanceTimersByTimeAsync(100);
    const finished = message.finish('posted');
    await vi.runAllTimersAsync();
    await finished;
    expect(paced.platform.made).toEqual([]);
  });

  it('that fail are told, and the next state is sent, the same one too', async () => {
    paced.platform.answers.push({ error: new Error('away') }, { error: new Error('gone') });
    const { message, failures } = edits('posted');
    message.show('a');
    await vi.runAllTimersAsync();
    expect(failures).toMatchObject([{ message: 'away' }]);
    const finished = message.finish('a');
    const refused = expect(finished).rejects.toThrow('gone');
    await vi.runAllTimersAsync();
    await refused;
    expect(paced.platform.calls).toHaveLength(2);
  });

  it('that fail to bring the last state bring it when asked again', async () => {
    paced.platform.answers.push({ error: new Error('away') });
    const { message } = edits('posted');
    const finish = async () => {
      const finished = message.finish('last');
      await Promise.allSettled([vi.runAllTimersAsync(), finished]);
      return finished;
    };
    await expect(finish()).rejects.toThrow('away');
    await finish();
    expect(paced.platform.made).toEqual(['last']);
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
    expect(paced.platform.made).toEqual(['a']);
  });
});

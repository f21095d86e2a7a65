import { expect, test } from 'vitest';
import { silentLog } from '../../src/domain/log.ts';
import type { ChatModel } from '../../src/models/chat-model.ts';
import { withPermits } from '../../src/models/permits.ts';
import { createInlineQuotas } from '../../src/queue/inline-quotas.ts';
import { createPermits } from '../../src/queue/permits.ts';
import type { Quotas } from '../../src/queue/quotas.ts';
import { scriptedModel } from '../fakes/scripted-model.ts';

const request = { messages: [], stage: 'sage', signal: new AbortController().signal } as const;

/** A model that answers when it is let, and knows how many it works for. */
function heldModel() {
  let [now, most] = [0, 0];
  const ends: (() => void)[] = [];
  const script = scriptedModel(
    'test:held',
    Array.from({ length: 20 }, () => 'Yes.'),
  );
  const model: ChatModel = {
    id: script.id,
    async complete(asked) {
      now += 1;
      most = Math.max(most, now);
      await new Promise<void>((resolve) => ends.push(resolve));
      now -= 1;
      return script.complete(asked);
    },
    stream: (asked) => script.stream(asked),
  };
  return { model, ends, most: () => most };
}

test('no more calls go on at once than there are permits, in however many processes', async () => {
  const quotas = createInlineQuotas();
  const { model, ends, most } = heldModel();
  const limited = [1, 2].map(() =>
    withPermits(model, createPermits(quotas, { name: 'calls:test', limit: 3, log: silentLog })),
  );
  const replies = Promise.all(
    Array.from({ length: 12 }, (_, index) => limited[index % 2]?.complete(request)),
  );
  let ended = 0;
  while (ended < 12) {
    await expect.poll(() => ends.length).toBeGreaterThan(0);
    for (const end of ends.splice(0)) {
      end();
      ended += 1;
    }
  }
  expect((await replies).map((reply) => reply?.text)).toEqual(Array(12).fill('Yes.'));
  expect(most()).toBe(3);
});

test('a permit is given back by a stream that is left in the middle', async () => {
  const quotas = createInlineQuotas();
  const model = withPermits(
    scriptedModel('test:streams', [['One. ', 'Two.'], 'Three.']),
    createPermits(quotas, { name: 'calls:test', limit: 1, log: silentLog }),
  );
  for await (const _chunk of model.stream(request)) break;
  expect((await model.complete(request)).text).toBe('Three.');
});

test('a call that waits for a permit ends with the reason of its signal', async () => {
  const quotas = createInlineQuotas();
  const permits = createPermits(quotas, { name: 'calls:test', limit: 1, log: silentLog });
  await permits.acquire(request.signal);
  const stopped = new AbortController();
  const waiting = permits.acquire(stopped.signal);
  const reason = new Error('stopped by somebody');
  stopped.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

test('a call waits while the permits can not be reached', async () => {
  const quotas = createInlineQuotas();
  let isAway = true;
  let tries = 0;
  const warned: string[] = [];
  const shaky: Quotas = {
    take: async (...given) => {
      tries += 1;
      if (isAway) throw new Error('away');
      return quotas.take(...given);
    },
    keep: (...given) => quotas.keep(...given),
    release: (holder) => quotas.release(holder),
  };
  const note = (_facts: object, text: string) => void warned.push(text);
  const log = { ...silentLog, info: note, warn: note, error: note };
  const permits = createPermits(shaky, { name: 'calls:test', limit: 1, log });
  const waiting = permits.acquire(request.signal);
  await expect.poll(() => tries).toBeGreaterThan(2);
  isAway = false;
  (await waiting)();
  expect(warned).toEqual([
    'requests for permits of calls:test fail, and are tried again',
    'requests for permits of calls:test work again',
  ]);
});

import { describe, expect, it } from 'vitest';
import { type CallUsage, ModelError, type ModelFailure } from '../../src/models/chat-model.ts';
import type { Embedded } from '../../src/models/embeddings.ts';
import { type Prices, pricesIn } from '../../src/models/prices.ts';
import { withRetry } from '../../src/models/retry.ts';
import { withEmbeddingUsage, withUsage } from '../../src/models/usage.ts';
import { chunksOf, failureOf, noPrices, question } from './ask.ts';
import { createScriptedModel, type ScriptedCall } from './scripted-model.ts';

const price = { inputUsdPerMillionTokens: 2, outputUsdPerMillionTokens: 10 };
const listed = pricesIn({ 'scripted:model': price });
/** As the table has it. */
const prices = { ...noPrices, listed };
const usage = { inputTokens: 1000, outputTokens: 500, reasoningTokens: 300 };

function counted(script: readonly ScriptedCall[], known: Prices) {
  const records: CallUsage[] = [];
  const { model } = createScriptedModel(...script);
  const record = (call: CallUsage) => {
    records.push(call);
  };
  return { model: withUsage(model, { prices: known, record }), records };
}

function failing(failure: ModelFailure, pieces: readonly string[] = []): ScriptedCall {
  return { pieces, error: new ModelError('It failed.', { failure, model: 'scripted:model' }) };
}

describe('a call that was answered', () => {
  it('is recorded with the figures of the server and the price of the list', async () => {
    const script = [
      { pieces: ['Yes.'], reply: { usage } },
      { pieces: ['Yes.'], reply: { usage } },
    ];
    const { model, records } = counted(script, prices);
    await model.complete(question({ stage: 'review', sage: 'seneca' }));
    await chunksOf(model.stream(question({ stage: 'review', sage: 'seneca' })));
    const expected = {
      model: 'scripted:model',
      stage: 'review',
      sage: 'seneca',
      ...usage,
      costUsd: 0.007,
      estimated: false,
      outcome: 'answered',
      latencyMs: expect.any(Number),
    };
    expect(records).toEqual([expected, expected]);
  });

  it("is recorded with the server's own price where it states one", async () => {
    const script = [{ pieces: ['Yes.'], reply: { usage: { ...usage, costUsd: 0.5 } } }];
    const { model, records } = counted(script, prices);
    await model.complete(question());
    expect(records).toMatchObject([{ costUsd: 0.5 }]);
  });

  it("is recorded with the operator's own price, whatever the server states", async () => {
    const script = [{ pieces: ['Yes.'], reply: { usage: { ...usage, costUsd: 0.5 } } }];
    const { model, records } = counted(script, { ...noPrices, own: listed });
    await model.complete(question());
    expect(records).toMatchObject([{ costUsd: 0.007 }]);
  });

  it('has no price where no one knows one', async () => {
    const { model, records } = counted([{ pieces: ['Yes.'], reply: { usage } }], noPrices);
    await model.complete(question());
    expect(records[0]).not.toHaveProperty('costUsd');
  });

  it('is estimated, and says so, where the server states nothing', async () => {
    const script = [{ pieces: ['小さく', 'Yes'], reasoning: 'Hm.' }];
    const { model, records } = counted(script, prices);
    const messages = [{ role: 'user', content: '12345678' }] as const;
    await chunksOf(model.stream(question({ messages })));
    expect(records).toMatchObject([
      { inputTokens: 2, outputTokens: 4, reasoningTokens: 0, estimated: true, outcome: 'answered' },
    ]);
  });
});

describe('an answer for which the server states no token at all', () => {
  const none = { inputTokens: 0, outputTokens: 0, reasoningTokens: 0 };

  it.each([[none], [{ ...none, costUsd: 0 }]])(
    'is estimated, with its cost if any: %j',
    async (zeros) => {
      const script = [{ pieces: ['Yes'], reply: { usage: zeros } }];
      const { model, records } = counted(script, noPrices);
      const messages = [{ role: 'user', content: '12345678' }] as const;
      await model.complete(question({ messages }));
      const { costUsd } = { costUsd: undefined, ...zeros };
      expect(records).toMatchObject([{ inputTokens: 2, outputTokens: 1, estimated: true }]);
      expect(records[0]?.costUsd).toBe(costUsd);
    },
  );
});

describe('a call that failed', () => {
  it.each(['unreachable', 'key_rejected', 'rate_limited', 'server_error'] as const)(
    'is recorded without cost when it was %s',
    async (failure) => {
      const { model, records } = counted([failing(failure)], prices);
      await failureOf(model.complete(question()));
      expect(records).toMatchObject([
        { outcome: failure, inputTokens: 0, outputTokens: 0, costUsd: 0 },
      ]);
    },
  );

  it('is recorded with what it had worked on when it broke off', async () => {
    const { model, records } = counted([failing('broken_stream', ['12345', '678'])], prices);
    await failureOf(chunksOf(model.stream(question())));
    expect(records).toMatchObject([
      {
        outcome: 'broken_stream',
        outputTokens: 2,
        estimated: true,
        inputTokens: expect.any(Number),
      },
    ]);
    expect(records[0]?.inputTokens).toBeGreaterThan(0);
  });

  it('is recorded with the figures that the server states for it', async () => {
    const facts = { failure: 'output_limit', model: 'scripted:model', usage } as const;
    const script = [{ error: new ModelError('It thought to the end.', facts) }];
    const { model, records } = counted(script, prices);
    await failureOf(model.complete(question()));
    const expected = { outcome: 'output_limit', ...usage, costUsd: 0.007, estimated: false };
    expect(records).toMatchObject([expected]);
  });

  it('is recorded for every try that was made', async () => {
    const script = [
      failing('server_error'),
      failing('broken_stream', ['Yes']),
      { pieces: ['Yes.'] },
    ];
    const { model, records } = counted(script, prices);
    await chunksOf(withRetry(model, { sleep: async () => {} }).stream(question()));
    expect(records.map(({ outcome }) => outcome)).toEqual([
      'server_error',
      'broken_stream',
      'answered',
    ]);
  });
});

describe('a call that was stopped', () => {
  it('is recorded as such, by its reason', async () => {
    const script = [{ error: 'stopped' }, { pieces: ['Yes'], error: 'stopped' }];
    const { model, records } = counted(script, prices);
    await expect(model.complete(question())).rejects.toBe('stopped');
    await expect(chunksOf(model.stream(question()))).rejects.toBe('stopped');
    expect(records.map(({ outcome }) => outcome)).toEqual(['aborted', 'aborted']);
  });

  it('is recorded as such when its reader leaves', async () => {
    const { model, records } = counted([{ pieces: ['Yes', ', but.'] }], prices);
    for await (const _chunk of model.stream(question())) {
      break;
    }
    expect(records).toMatchObject([{ outcome: 'aborted', outputTokens: 1, estimated: true }]);
  });

  it('is an answer when its reader leaves with the last chunk', async () => {
    const { model, records } = counted([{ pieces: ['Yes.'] }], prices);
    for await (const chunk of model.stream(question())) {
      if (chunk.type === 'finished') {
        break;
      }
    }
    expect(records.map(({ outcome }) => outcome)).toEqual(['answered']);
  });

  it('is not recorded when it was never made', () => {
    const { model, records } = counted([], prices);
    model.stream(question());
    expect(records).toEqual([]);
  });
});

describe('a call of an embedding model', () => {
  const { signal } = new AbortController();

  function countedEmbedder(answered: Embedded | Error) {
    const records: CallUsage[] = [];
    const embed = async (): Promise<Embedded> => {
      if (answered instanceof Error) throw answered;
      return answered;
    };
    const record = (call: CallUsage) => {
      records.push(call);
    };
    return {
      embedder: withEmbeddingUsage({ id: 'scripted:model', embed }, { prices, record }),
      records,
    };
  }
  const vectors = [[1, 0]];

  it('is recorded with the figures of the server and the price of the list', async () => {
    const stated = { inputTokens: 500, outputTokens: 0, reasoningTokens: 0 };
    const { embedder, records } = countedEmbedder({ vectors, usage: stated });
    expect((await embedder.embed(['Why?'], signal)).vectors).toEqual(vectors);
    expect(records).toEqual([
      {
        model: 'scripted:model',
        stage: 'embedding',
        ...stated,
        costUsd: 0.001,
        estimated: false,
        outcome: 'answered',
        latencyMs: expect.any(Number),
      },
    ]);
  });

  it('is estimated from the texts where the server states nothing', async () => {
    const { embedder, records } = countedEmbedder({ vectors });
    await embedder.embed(['x'.repeat(40), 'y'.repeat(40)], signal);
    expect(records).toMatchObject([{ inputTokens: 20, outputTokens: 0, estimated: true }]);
  });

  it('is recorded, and free, where the server refused it', async () => {
    const refused = new ModelError('No.', { failure: 'key_rejected', model: 'scripted:model' });
    const { embedder, records } = countedEmbedder(refused);
    await expect(embedder.embed(['Why?'], signal)).rejects.toBe(refused);
    expect(records).toMatchObject([{ inputTokens: 0, costUsd: 0, outcome: 'key_rejected' }]);
  });

  it('is recorded as aborted where no one waited for it', async () => {
    const { embedder, records } = countedEmbedder(new DOMException('Enough.', 'AbortError'));
    await expect(embedder.embed(['Why?'], signal)).rejects.toThrow('Enough.');
    expect(records).toMatchObject([{ inputTokens: 1, outcome: 'aborted' }]);
  });

  it('of no texts is none', async () => {
    const { embedder, records } = countedEmbedder({ vectors: [] });
    await embedder.embed([], signal);
    expect(records).toEqual([]);
  });
});

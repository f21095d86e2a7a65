import { describe, expect, it } from 'vitest';
import { ModelError, type ModelFailure } from '../../src/models/chat-model.ts';
import { type RetryOptions, withRetry } from '../../src/models/retry.ts';
import { chunksOf, failureOf, question } from './ask.ts';
import { createScriptedModel, type ScriptedCall } from './scripted-model.ts';

const yes: ScriptedCall = { pieces: ['Yes.'] };

function failing(failure: ModelFailure, retryAfterMs?: number): ScriptedCall {
  return { error: errorOf(failure, retryAfterMs) };
}

function errorOf(failure: ModelFailure, retryAfterMs?: number): ModelError {
  return new ModelError(`It failed: ${failure}.`, {
    failure,
    model: 'scripted:model',
    retryAfterMs,
  });
}

/** A retried model whose waits are only noted. */
function retried(script: readonly ScriptedCall[], options: RetryOptions = {}) {
  const { model, requests } = createScriptedModel(...script);
  const waits: number[] = [];
  const sleep = async (delayMs: number) => {
    waits.push(delayMs);
  };
  return { model: withRetry(model, { sleep, random: () => 0, ...options }), requests, waits };
}

describe('a call that failed', () => {
  it.each(['rate_limited', 'server_error', 'unreachable'] as const)(
    'is made up to two more times when it was %s',
    async (failure) => {
      const lucky = retried([failing(failure), failing(failure), yes]);
      expect(await lucky.model.complete(question())).toMatchObject({ text: 'Yes.' });
      const unlucky = retried([failing(failure), failing(failure), failing(failure)]);
      expect(await failureOf(unlucky.model.complete(question()))).toMatchObject({ failure });
      expect(unlucky.requests).toHaveLength(3);
    },
  );

  it.each(['broken_stream', 'empty', 'timed_out'] as const)(
    'is made once more when it was %s, whatever else fails',
    async (failure) => {
      const { model, requests } = retried([failing(failure), failing(failure)], { attempts: 5 });
      expect(await failureOf(model.complete(question()))).toMatchObject({ failure });
      expect(requests).toHaveLength(2);
      const mixed = [failing(failure), failing('server_error'), failing('broken_stream')];
      const other = retried(mixed, { attempts: 5 });
      expect(await failureOf(other.model.complete(question()))).toMatchObject({
        failure: 'broken_stream',
      });
    },
  );

  it.each([
    'key_rejected',
    'payment_required',
    'model_not_found',
    'bad_request',
    'refused',
  ] as const)('is not made again when it was %s', async (failure) => {
    const { model, waits } = retried([failing(failure)]);
    expect(await failureOf(model.complete(question()))).toMatchObject({ failure });
    expect(waits).toEqual([]);
  });

  it('is not made again for a fault of ours', async () => {
    const fault = new TypeError('a bug');
    const { model } = retried([{ error: fault }]);
    await expect(model.complete(question())).rejects.toBe(fault);
  });
});

describe('the wait before the next try', () => {
  const failures = [failing('server_error'), failing('server_error'), yes];

  it.each([
    [0, [250, 500]],
    [0.5, [375, 750]],
  ])('grows, and varies with the draw %s', async (draw, expected) => {
    const { model, waits } = retried(failures, { random: () => draw });
    await model.complete(question());
    expect(waits).toEqual(expected);
  });

  it('is at least what the server asks', async () => {
    const script = [failing('rate_limited', 7000), yes];
    const earliest = retried(script, { random: () => 0 });
    await earliest.model.complete(question());
    const later = retried(script, { random: () => 0.5 });
    await later.model.complete(question());
    expect([earliest.waits, later.waits]).toEqual([[7000], [7250]]);
  });

  it('is never none, even where the server asks for none', async () => {
    const { model, waits } = retried([failing('rate_limited', 0), yes]);
    await model.complete(question());
    expect(waits).toEqual([1250]);
  });

  it('is half a second at least where the end of a rate limit is past', async () => {
    const past = failing('rate_limited', 1);
    const { model, waits } = retried([past, past, past, past, yes], { random: () => 0 });
    await model.complete(question());
    expect(waits).toEqual([500, 500, 500, 500]);
  });

  it('is longer after a rate limit without a time, as of one request a second', async () => {
    const { model, waits } = retried([failing('rate_limited'), failing('rate_limited'), yes]);
    await model.complete(question());
    expect(waits).toEqual([1250, 2500]);
  });

  it('is no attempt where a server names the end of its rate limit, up to three minutes', async () => {
    const minute = failing('rate_limited', 60_000);
    const lucky = retried([minute, minute, minute, yes]);
    expect(await lucky.model.complete(question())).toMatchObject({ text: 'Yes.' });
    const crowded = retried([...Array.from({ length: 8 }, () => failing('rate_limited', 5)), yes]);
    expect(await crowded.model.complete(question())).toMatchObject({ text: 'Yes.' });
    const unlucky = retried([minute, minute, minute, minute]);
    expect(await failureOf(unlucky.model.complete(question()))).toMatchObject({
      failure: 'rate_limited',
    });
    expect(unlucky.waits).toHaveLength(3);
  });

  it('stops the clock of the caller for a rate limit only', async () => {
    const { model } = createScriptedModel(failing('server_error'), failing('rate_limited', 9), yes);
    const events: string[] = [];
    const sleep = async () => {
      events.push('waits');
    };
    const onWait = () => {
      events.push('clock stops');
      return () => events.push('clock runs');
    };
    await withRetry(model, { sleep }).complete(question({ onWait }));
    expect(events).toEqual(['waits', 'clock stops', 'waits', 'clock runs']);
  });

  it('is not begun when the server asks for too long', async () => {
    const { model, waits } = retried([failing('rate_limited', 65_001)]);
    const error = await failureOf(model.complete(question()));
    expect(error).toMatchObject({ failure: 'rate_limited', retryAfterMs: 65_001 });
    expect(waits).toEqual([]);
  });

  it('ends at once when the call is stopped', async () => {
    const stop = new AbortController();
    const reason = new Error('stopped by a member');
    const { model, requests } = createScriptedModel(failing('rate_limited', 29_000));
    const call = withRetry(model).complete(question({ signal: stop.signal }));
    const ended = expect(call).rejects.toBe(reason);
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort(reason);
    await ended;
    expect(requests).toHaveLength(1);
  });

  it('is not begun when the call was stopped meanwhile', async () => {
    const { model, waits } = retried([failing('server_error')]);
    const asked = question({ signal: AbortSignal.abort('stopped') });
    await expect(model.complete(asked)).rejects.toBe('stopped');
    expect(waits).toEqual([]);
  });
});

describe('a stream that failed', () => {
  it('says that it begins anew when part of it was given', async () => {
    const error = errorOf('broken_stream');
    const { model } = retried([{ pieces: ['Yes, b'], error }, yes]);
    expect(await chunksOf(model.stream(question()))).toEqual([
      { type: 'text', text: 'Yes, b' },
      { type: 'restarted', cause: error },
      { type: 'text', text: 'Yes.' },
      { type: 'finished', reply: { text: 'Yes.', reasoning: '', finishReason: 'stop' } },
    ]);
  });

  it('says nothing of it when nothing was given yet', async () => {
    const { model } = retried([failing('server_error'), failing('rate_limited'), yes]);
    const chunks = await chunksOf(model.stream(question()));
    expect(chunks.map(({ type }) => type)).toEqual(['text', 'finished']);
  });

  it('throws in the end, with what had come of the last try', async () => {
    const error = errorOf('broken_stream');
    const { model, requests } = retried([
      { pieces: ['Yes'], error },
      { pieces: ['Yes, b'], error },
    ]);
    expect(await failureOf(chunksOf(model.stream(question())))).toBe(error);
    expect(requests).toHaveLength(2);
  });

  it('throws the reason when it was stopped', async () => {
    const reason = new Error('stopped by a member');
    const { model } = retried([{ pieces: ['Yes'], error: reason }]);
    const asked = question({ signal: AbortSignal.abort(reason) });
    await expect(chunksOf(model.stream(asked))).rejects.toBe(reason);
  });
});

describe('the end of a call', () => {
  /** What is told of its end. */
  async function endsOf(script: readonly ScriptedCall[], signal?: AbortSignal) {
    const ends: unknown[] = [];
    const { model } = retried(script, { onEnd: (error) => ends.push(error) });
    await model.complete(question(signal && { signal })).catch(() => undefined);
    return ends;
  }

  it('is told once when it is answered, whatever failed before', async () => {
    expect(await endsOf([failing('server_error'), yes])).toEqual([undefined]);
  });

  it('is told with the error of its last try', async () => {
    const last = errorOf('rate_limited');
    expect(
      await endsOf([failing('server_error'), failing('unreachable'), { error: last }]),
    ).toEqual([last]);
    const rejected = errorOf('key_rejected');
    expect(await endsOf([{ error: rejected }])).toEqual([rejected]);
  });

  it('is told with the reason when it was stopped', async () => {
    const reason = new Error('stopped by a member');
    const stopped = [{ error: errorOf('broken_stream') }];
    expect(await endsOf(stopped, AbortSignal.abort(reason))).toEqual([reason]);
  });

  it('is told of a stream that is read only up to the last chunk', async () => {
    const ends: unknown[] = [];
    const { model } = retried([yes], { onEnd: (error) => ends.push(error) });
    for await (const { type } of model.stream(question())) if (type === 'finished') break;
    expect(ends).toEqual([undefined]);
  });
});

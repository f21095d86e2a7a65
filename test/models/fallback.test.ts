import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type CallUsage, ModelError } from '../../src/models/chat-model.ts';
import { withFallback } from '../../src/models/retry.ts';
import { askInShape } from '../../src/models/structured.ts';
import { withUsage } from '../../src/models/usage.ts';
import { type Line, scriptedModel } from '../fakes/scripted-model.ts';
import { failureOf, noPrices, question } from './ask.ts';

const away = new ModelError('Nobody listens at http://a.', {
  failure: 'unreachable',
  model: 'a:a',
});
const broken = new ModelError('b:b broke off.', { failure: 'broken_stream', model: 'b:b' });

/** Models `a:a`, `b:b` …, each with its lines; what follows the first stands in for it. */
function chain(...lines: readonly (readonly Line[])[]) {
  const calls: CallUsage[] = [];
  const record = (call: CallUsage) => void calls.push(call);
  const models = lines.map((said, index) => {
    const letter = 'abc'[index];
    return withUsage(scriptedModel(`${letter}:${letter}`, said), { prices: noPrices, record });
  });
  const [first, ...others] = models;
  if (!first) throw new Error('A chain needs a model.');
  return { model: withFallback(first, others), calls };
}

describe('a model with others behind it', () => {
  it('answers by itself, and says nothing of them', async () => {
    const { model, calls } = chain(['Yes.'], []);
    expect(await model.complete(question())).not.toHaveProperty('by');
    expect(calls).toHaveLength(1);
    expect(calls[0]).not.toHaveProperty('remarks');
  });

  it('asks them in their order, and says who wrote the reply and for whom', async () => {
    const { model, calls } = chain([away], [broken], ['Yes.']);
    expect(model.id).toBe('a:a');
    expect(await model.complete(question())).toMatchObject({ text: 'Yes.', by: 'c:c' });
    expect(calls.map(({ model: id, outcome }) => [id, outcome])).toEqual([
      ['a:a', 'unreachable'],
      ['b:b', 'broken_stream'],
      ['c:c', 'answered'],
    ]);
    expect(calls.at(-1)?.remarks).toEqual(['stands in for a:a: Nobody listens at http://a.']);
  });

  it('starts a stream over that another goes on with', async () => {
    const half: Line = () => Promise.reject(broken);
    const { model } = chain([half], [['{"answer": ', '"Yes."}']]);
    const heard: unknown[] = [];
    const listen = {
      onPartial: (value: unknown) => heard.push(structuredClone(value)),
      onRestart: () => heard.push('restart'),
    };
    const shape = { name: 'answer', schema: z.object({ answer: z.string() }) };
    expect(await askInShape(model, question(), shape, listen)).toMatchObject({
      status: 'shaped',
      reply: { by: 'b:b' },
    });
    expect(heard[0]).toBe('restart');
  });

  it('fails with the failure of the first, which is the one to mend, and names those that failed too', async () => {
    const { model, calls } = chain([away], [broken]);
    expect(await failureOf(model.complete(question()))).toMatchObject({
      failure: 'unreachable',
      model: 'a:a',
      cause: away,
      message: 'Nobody listens at http://a. b:b, asked in its place, failed, too.',
    });
    expect(calls.map(({ remarks }) => remarks)).toEqual([undefined, undefined]);
  });

  it('asks no one else when the call was stopped', async () => {
    const stop = new AbortController();
    const stopped: Line = () => {
      stop.abort(new Error('Stopped.'));
      return Promise.reject(away);
    };
    const { model, calls } = chain([stopped], ['Yes.']);
    await expect(model.complete(question({ signal: stop.signal }))).rejects.toThrow('Stopped.');
    expect(calls).toHaveLength(1);
  });

  it('does not stand in for itself', () => {
    const only = scriptedModel('a:a', []);
    expect(withFallback(only, [scriptedModel('a:a', [])])).toBe(only);
  });
});

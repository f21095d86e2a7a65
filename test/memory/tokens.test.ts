import { describe, expect, test } from 'vitest';
import { approximateCounter, loadTokenCounter } from '../../src/memory/tokens.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { addTurn, recall, said } from './remembering.ts';

describe('what a text costs a model of OpenAI', () => {
  test.each([
    ['openai:gpt-5', 'o200k_base'],
    ['openrouter:openai/gpt-4o', 'o200k_base'],
    ['openai:gpt-4-turbo', 'cl100k_base'],
  ])('is told for %s by its tokenizer', async (model, name) => {
    const counter = await loadTokenCounter(model);
    expect(counter.name).toBe(name);
    expect(counter.count('The harbour must be dredged.')).toBe(7);
    expect(counter.count('')).toBe(0);
  });

  test('is told of what looks like a mark of the tokenizer as of any other text', async () => {
    const counter = await loadTokenCounter('openai:gpt-5');
    for (const mark of ['<|endoftext|>', '<|im_start|>', '<|fim_prefix|>', '<|endofprompt|>']) {
      expect(counter.count(`What is ${mark} for?`)).toBeGreaterThan(counter.count('What is for?'));
    }
  });

  test('is told exactly also of a text of many pieces', async () => {
    const counter = await loadTokenCounter('openai:gpt-5');
    const sentence = ' The harbour must be dredged.';
    expect(counter.count(sentence.repeat(500))).toBe(500 * counter.count(sentence));
  });

  test.each(['🙂', '好'])(
    'is told of one sign after the other without an end: %j',
    async (sign) => {
      const counter = await loadTokenCounter('openai:gpt-5');
      expect(counter.count(sign.repeat(100_000))).toBeGreaterThan(100);
    },
  );

  test('is estimated for a model whose tokenizer is not here', async () => {
    expect(await loadTokenCounter('anthropic:claude')).toBe(approximateCounter);
  });
});

test('a mark of the tokenizer in a question keeps no later question from its context', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  await addTurn(store, 't1', { ada: said('A mark.') }, undefined, {
    question: 'What is <|endoftext|> for?',
  });
  const counter = await loadTokenCounter('openai:gpt-5');
  const { forSages, receipt } = await recall(store, { counter });
  expect(JSON.stringify(forSages)).toContain('What is <|endoftext|> for?');
  expect(receipt.tokens).toBeGreaterThan(0);
  await store.close();
});

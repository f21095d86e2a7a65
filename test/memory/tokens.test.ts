import { countTokens } from 'gpt-tokenizer';
import { describe, expect, test } from 'vitest';
import { readConversations } from '../../bench/recall-data.ts';
import { readRecording, recordingNames } from '../../src/app/recordings.ts';
import { estimateTokens } from '../../src/memory/recall/context-budget.ts';

const file = new URL('../fixtures/recall/conversations.json', import.meta.url).pathname;

/** What OpenAI's tokenizer counts stands for 1. */
function ratioOf(texts: readonly string[]): number {
  const text = texts.join('\n');
  return estimateTokens(text) / countTokens(text);
}

describe('what a text costs a model', () => {
  test.each(recordingNames)('is estimated of the recorded council %s', (name) => {
    const { answers, verdict } = readRecording(name);
    const ratio = ratioOf([...answers.map(({ answer }) => answer), verdict.verdict]);
    expect(ratio).toBeGreaterThan(1);
    expect(ratio).toBeLessThan(1.15);
  });

  test.each([
    ['english', 1, 1.1],
    ['german', 0.95, 1.05],
    ['spanish', 0.93, 1],
    ['japanese', 1, 1.3],
  ])('is estimated of what people say in %s', (language, least, most) => {
    const ofLanguage = readConversations(file).filter((one) => one.language === language);
    const ratio = ratioOf(ofLanguage.flatMap(({ turns }) => turns.map(({ text }) => text)));
    expect(ratio).toBeGreaterThan(least);
    expect(ratio).toBeLessThan(most);
  });

  test('of nothing is nothing', () => {
    expect(estimateTokens('')).toBe(0);
  });
});

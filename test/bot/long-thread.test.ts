import { describe, expect, test } from 'vitest';
import { estimateTokens } from '../../src/memory/recall/context-budget.ts';
import type { ChatRequest } from '../../src/models/chat-model.ts';
import type { ChannelSettings } from '../../src/settings/channel-settings.ts';
import { scriptedModels } from '../council/scripted-council.ts';
import { type Line, scriptedModel } from '../fakes/scripted-model.ts';
import { fileSettings, question, startBot } from './bot-fixture.ts';

const sages = ['ada', 'ben', 'cleo', 'dan'] as const;
const questions = 12;
const budgetTokens = 4000;

/** Words that are no other turn's, with a code in them that stands nowhere else. */
const words = (turn: number, count: number, own: string) =>
  [`code-${own}-${turn}`, ...Array.from({ length: count - 1 }, (_, at) => `word${at % 90}`)].join(
    ' ',
  );
const answerOf = (sage: string, turn: number): string =>
  JSON.stringify({
    answer: words(turn, 300, `answer-${sage}`),
    summary: words(turn, 30, `summary-${sage}`),
  });
const verdictOf = (turn: number): string =>
  JSON.stringify({
    verdict: words(turn, 120, 'verdict'),
    consensus: [],
    disagreements: [],
    minority_report: '',
    confidence: 'medium',
  });
const topics = ['harbour', 'bakery', 'library', 'tramway', 'orchard', 'quarry'];
const askedAt = (turn: number) =>
  `code-question-${turn}: what becomes of the ${topics[turn % topics.length]} in year ${turn}?`;

interface Prompts {
  readonly sage: string;
  readonly chair: string;
}

/** What is shown of earlier talk, without the rules before it and the question after it. */
function earlierTalk({ messages }: ChatRequest): readonly string[] {
  return messages.slice(1, -1).map(({ content }) => content);
}

/** Asks twelve questions in one thread, the last about what was asked nine before it. */
async function lastPrompts(
  history: ChannelSettings['history'],
  limits: { readonly interactions?: number; readonly chairTurns?: number } = {},
): Promise<Prompts & { readonly tokens: number; readonly compactions: number }> {
  const turns = Array.from({ length: questions }, (_, at) => at + 1);
  const compact: Line = ({ messages }) => {
    const said = messages.map(({ content }) => content).join('\n');
    const asked = Array.from(said.matchAll(/<question[^>]*>\n(.*)\n/g), ([, text]) => text);
    return `compacted-text: ${sages.join(', ')} were asked ${asked.join(' ')}`;
  };
  const models = scriptedModels({
    sages: Object.fromEntries(
      sages.map((sage) => [sage, turns.map((turn) => answerOf(sage, turn))]),
    ),
    chair: turns.map(verdictOf),
  });
  const compactor = scriptedModel('test:compactor', Array(60).fill(compact));
  const { bot, store, idle, shutDown } = await startBot(models, {
    settings: { ...fileSettings, history, seats: [...sages], depth: 'quick' },
    openModels: () => ({ ...models, compactor }),
    limits: {
      maxQuestionChars: 200,
      maxQueuedTurnsPerUser: 5,
      maxQueuedTurnsPerThread: 8,
      overheardPerThreadPerHour: 30,
    },
    recalled: { interactions: 3, chairTurns: 3, memories: 10, budgetTokens, ...limits },
  });
  for (const turn of turns) {
    const text = turn === questions ? `Again: ${askedAt(questions - 9)}` : askedAt(turn);
    await bot.ask({
      ...question,
      askedAt: Date.now(),
      eventId: `event-${turn}`,
      question: text,
    });
    await idle();
  }
  const asked = models.sage({ key: 'ada' }).requests.at(-1);
  const judged = models.chair.requests.at(-1);
  if (!asked || !judged) throw new Error('Nobody was asked.');
  await shutDown();
  await store.close();
  const [sage, chair] = [earlierTalk(asked), earlierTalk(judged)];
  const tokens = (texts: readonly string[]) => estimateTokens(texts.join('\n'));
  return {
    sage: sage.join('\n'),
    chair: chair.join('\n'),
    tokens: Math.max(tokens(sage), tokens(chair)),
    compactions: compactor.requests.length,
  };
}

/** Turns of which a prompt holds a code. */
function turnsWith(prompt: string, code: string): readonly number[] {
  const found = [...prompt.matchAll(new RegExp(`code-${code}-(\\d+)\\b`, 'g'))];
  return [...new Set(found.map(([, turn]) => Number(turn)))].sort((one, other) => one - other);
}

describe('the twelfth question of four sages with 300 words each', () => {
  test('shown in full: the last turn whole, those before in short, what is older compacted', async () => {
    const { sage, tokens, compactions } = await lastPrompts('full');
    expect(turnsWith(sage, 'answer-ada')).toEqual([11]);
    expect(turnsWith(sage, 'answer-dan')).toEqual([11]);
    expect(turnsWith(sage, 'summary-dan')).toEqual(expect.arrayContaining([8, 9, 10]));
    expect(turnsWith(sage, 'question')).toEqual(expect.arrayContaining([8, 9, 10, 11]));
    expect(turnsWith(sage, 'verdict')).toEqual([3, 11]);
    expect(sage).toContain('compacted-text');
    expect(sage).toContain('of="6 earlier questions"');
    expect(tokens).toBeLessThanOrEqual(budgetTokens * 1.05);
    expect(compactions).toBe(6);
  });

  test('shown in full: what the history does not show is recalled, from nine questions back', async () => {
    const { sage } = await lastPrompts('full');
    const memories = sage.split('<summary of=')[0] ?? '';
    expect(turnsWith(memories, 'question')).toContain(3);
    expect(turnsWith(memories, 'summary-ada')).toContain(3);
  });

  test('shown in short: the last three, and what was said nine questions back', async () => {
    const { sage, tokens, compactions } = await lastPrompts('summaries');
    expect(turnsWith(sage, 'summary-dan')).toEqual(expect.arrayContaining([9, 10, 11]));
    expect(turnsWith(sage, 'question')).toContain(3);
    expect(turnsWith(sage, 'answer-ada')).toEqual([]);
    expect(tokens).toBeLessThanOrEqual(budgetTokens * 1.05);
    expect(compactions).toBe(0);
  });

  test.each([
    ['full', {}],
    ['summaries', {}],
    ['summaries', { interactions: 1 }],
    ['full', { interactions: 10 }],
  ] as const)(
    'the chair reads the last three verdicts, and the one on what is asked again: %s, %j',
    async (history, limits) => {
      const { chair } = await lastPrompts(history, limits);
      expect(turnsWith(chair, 'verdict')).toEqual([3, 9, 10, 11]);
      expect(turnsWith(chair, 'question')).toEqual(expect.arrayContaining([9, 10, 11]));
    },
  );

  test('the chair reads as many verdicts as the operator says', async () => {
    const { chair } = await lastPrompts('summaries', { chairTurns: 5 });
    expect(turnsWith(chair, 'verdict')).toEqual([3, 7, 8, 9, 10, 11]);
    const none = await lastPrompts('summaries', { chairTurns: 0 });
    expect(turnsWith(none.chair, 'verdict')).toEqual([]);
  });
});

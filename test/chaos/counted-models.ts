/** Models that say who speaks on which question, and count how often each was asked. */

import { setTimeout as wait } from 'node:timers/promises';
import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';
import type { Random } from './random.ts';

/** By their names; each asked once for a question unless a call was lost with its process. */
export const callers = ['ada', 'ben', 'chair'] as const;

/** How a question begins by which it is told from all others. */
export function numbered(question: number): string {
  return `#${question}.`;
}

export interface CountedModels extends AsyncDisposable {
  /** Settings that seat Ada and Ben, without a moderator and without reviews. */
  readonly settings: { readonly council: object; readonly models: object };
  /** Calls that were made for a question beyond the first of each caller. */
  paidAgain(): number;
  /** Calls in all. */
  calls(): number;
}

/** @param latencyMs - Of a reply, drawn between these. */
export async function startCountedModels(
  random: Random,
  latencyMs: readonly [number, number],
): Promise<CountedModels> {
  const server = new LLMock({ host: '127.0.0.1', port: 0, journalMaxEntries: 1 });
  const counts = new Map<string, number>();
  for (const model of callers) {
    server.on({ model }, async (request) => {
      const question = questionIn(request);
      counts.set(`${model} ${question}`, (counts.get(`${model} ${question}`) ?? 0) + 1);
      await wait(random.between(...latencyMs));
      return { content: replyOf(model, question) };
    });
  }
  await server.start();
  const total = () => [...counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    settings: {
      council: { seats: ['ada', 'ben'], depth: 'quick', fallbackSage: 'ada' },
      models: {
        default: 'mock:chair',
        sages: { ada: 'mock:ada', ben: 'mock:ben' },
        providers: { mock: { baseUrl: `${server.url}/v1` } },
      },
    },
    paidAgain: () => total() - counts.size,
    calls: total,
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

function questionIn({ messages }: ChatCompletionRequest): string {
  const text = JSON.stringify(messages);
  const found = /#\d+\./.exec(text)?.[0];
  if (found === undefined) throw new Error(`No question in ${text.slice(0, 200)}`);
  return found;
}

function replyOf(model: (typeof callers)[number], question: string): string {
  if (model !== 'chair') {
    return JSON.stringify({ answer: `${model} on ${question}`, summary: `${model}.` });
  }
  return JSON.stringify({
    verdict: `Verdict on ${question}`,
    consensus: [],
    disagreements: [],
    minority_report: '',
    confidence: 'medium',
  });
}

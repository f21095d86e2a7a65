/** Models that say who speaks on which question, and note each call. */

import { setTimeout as wait } from 'node:timers/promises';
import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';
import { questionIn, wordsOf } from './crowd.ts';
import type { Random } from './random.ts';
import { type Caller, callers, type ModelCall, type Part } from './record.ts';

export interface CountedModels extends AsyncDisposable {
  /** Settings that seat Ada and Ben, without a moderator and without reviews. */
  readonly settings: { readonly council: object; readonly models: object };
  /** All calls so far, the earliest first. */
  readonly made: readonly ModelCall[];
  /** How many calls there were. */
  calls(): number;
  /** Calls that were made for a question beyond the first of each part. */
  paidAgain(): number;
}

/**
 * @param latencyMs - Of a reply, drawn between these.
 * @param isStored - Whether the store has the answer already, asked before it is given; `undefined`
 *   when no one can tell.
 */
export async function startCountedModels(
  random: Random,
  latencyMs: readonly [number, number],
  isStored: (part: Part, question: number) => Promise<boolean | undefined> = async () => undefined,
): Promise<CountedModels> {
  const server = new LLMock({ host: '127.0.0.1', port: 0, journalMaxEntries: 1 });
  const made: { -readonly [Part in keyof ModelCall]: ModelCall[Part] }[] = [];
  for (const caller of callers) {
    server.on({ model: caller }, async (request) => {
      const question = questionOf(request);
      const part = isOwnAnswer(request) ? 'own_answer' : caller;
      const call: (typeof made)[number] = { caller: part, question, at: Date.now() };
      made.push(call);
      const [wasStored] = await Promise.all([
        isStored(part, question),
        wait(random.between(...latencyMs)),
      ]);
      if (wasStored !== undefined) call.wasStored = wasStored;
      return { content: part === 'own_answer' ? 'I would wait.' : replyOf(caller, question) };
    });
  }
  await server.start();
  return {
    settings: {
      council: { seats: ['ada', 'ben'], depth: 'quick', fallbackSage: 'ada' },
      models: {
        default: 'mock:chair',
        sages: { ada: 'mock:ada', ben: 'mock:ben' },
        providers: { mock: { baseUrl: `${server.url}/v1` } },
      },
    },
    made,
    calls: () => made.length,
    paidAgain: () => made.length - stepsIn(made),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

/** How many different answers the calls were for. */
export function stepsIn(calls: readonly ModelCall[]): number {
  return new Set(calls.map(({ caller, question }) => `${caller} ${question}`)).size;
}

function questionOf({ messages }: ChatCompletionRequest): number {
  // What was said before the question is heard too, and stands before it.
  const text = JSON.stringify(messages.at(-1));
  const found = questionIn(text);
  if (found === undefined) throw new Error(`No question in ${text.slice(0, 200)}`);
  return found;
}

/** A sage's answer and the verdict have a form; what the chair would say alone has none. */
function isOwnAnswer({ response_format: form }: ChatCompletionRequest): boolean {
  return form === undefined;
}

function replyOf(caller: Caller, question: number): string {
  const words = wordsOf(caller, question);
  if (caller !== 'chair') return JSON.stringify({ answer: words, summary: `${caller}.` });
  return JSON.stringify({
    verdict: words,
    consensus: [],
    disagreements: [],
    minority_report: '',
    confidence: 'medium',
  });
}

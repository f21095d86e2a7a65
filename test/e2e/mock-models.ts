/** A council's models on aimock, each part under a model name of its own, so that calls can be counted by part. */

import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';
import { onTestFinished } from 'vitest';

export type ModelName =
  | 'moderator'
  | 'ada'
  | 'ben'
  | 'cleo'
  | 'reviewer'
  | 'chair'
  | 'second-chair';

type Response = Parameters<LLMock['on']>[1];
type Options = Parameters<LLMock['on']>[2];

/** One reply of a model; the last one given stands for all that follow. */
export interface Reply {
  readonly response: Response;
  readonly options?: Options;
}

/** Replies by model. */
export type Faults = Readonly<Partial<Record<ModelName, readonly Reply[]>>>;

export interface MockModels {
  /** Settings that seat the three sages on these models. */
  readonly settings: {
    readonly council: object;
    readonly models: object;
  };
  /** How often each model was asked. */
  calls(): Readonly<Partial<Record<string, number>>>;
  /** What a model was sent, as text, one for each call. */
  promptsOf(model: string): readonly string[];
}

const answers = { ada: 'Ada says yes.', ben: 'Ben says no.', cleo: 'Cleo says later.' } as const;

/** What the parts say when nothing goes wrong. All reviewers put Ada first, then Cleo, then Ben. */
const wellBehaved: Faults = {
  moderator: [
    says({
      focus: [{ sage: 'ada', query: 'What breaks first?' }],
      predefined_chosen_sages: ['ada', 'ben', 'cleo'],
      new_sages_to_create: [],
    }),
  ],
  ada: [says({ answer: answers.ada, summary: 'Ada: yes.' })],
  ben: [says({ answer: answers.ben, summary: 'Ben: no.' })],
  cleo: [says({ answer: answers.cleo, summary: 'Cleo: later.' })],
  reviewer: [{ response: rankedInOrder }],
  chair: [
    says({
      verdict: 'Rewrite it in parts.',
      consensus: ['It is slow.'],
      disagreements: ['How fast to go.'],
      minority_report: 'Ben would leave it.',
      confidence: 'medium',
    }),
  ],
};

/** A reply in the form that was asked for. */
export function says(value: object): Reply {
  return { response: { content: JSON.stringify(value) } };
}

/** A reply as it stands. */
export function saysText(content: string): Reply {
  return { response: { content } };
}

/** A refusal by status, in the API's form. */
export function failsWith(status: number, retryAfterSeconds?: number): Reply {
  const error = { message: `the server said ${status}` };
  return {
    response: {
      error,
      status,
      ...(retryAfterSeconds === undefined ? {} : { retryAfter: retryAfterSeconds }),
    },
  };
}

/** @param faults - What a model says instead, call by call. */
export async function startMockModels(faults: Faults = {}): Promise<MockModels> {
  const server = new LLMock({ host: '127.0.0.1', port: 0, journalMaxEntries: 200 });
  await server.start();
  onTestFinished(() => server.stop());
  const replies: Faults = { ...wellBehaved, ...faults };
  server.on({ predicate: isOwnAnswer }, { content: 'I would wait.' });
  for (const [model, inOrder] of Object.entries(replies)) {
    for (const [index, { response, options }] of inOrder.entries()) {
      const isLast = index === inOrder.length - 1;
      server.on({ model, ...(isLast ? {} : { sequenceIndex: index }) }, response, options);
    }
  }
  return {
    settings: {
      council: { seats: 'moderated', fallbackSage: 'ada', maxSages: 3 },
      models: {
        default: 'mock:moderator',
        sages: { ada: 'mock:ada', ben: 'mock:ben', cleo: 'mock:cleo' },
        reviewer: 'mock:reviewer',
        chair: 'mock:chair',
        ...('second-chair' in replies ? { fallback: ['mock:second-chair'] } : {}),
        providers: { mock: { baseUrl: `${server.url}/v1`, apiKeyEnv: 'MODEL_KEY' } },
      },
    },
    calls: () => {
      const counts: Record<string, number> = {};
      for (const { body } of server.getRequests()) {
        const model = isOwnAnswer(body) ? 'own_answer' : modelIn(body);
        counts[model] = (counts[model] ?? 0) + 1;
      }
      return counts;
    },
    promptsOf: (model) =>
      server
        .getRequests()
        .filter(({ body }) => modelIn(body) === model && !isOwnAnswer(body))
        .map(({ body }) => JSON.stringify(body)),
  };
}

/** The chair's, before it has heard the council, whichever model is asked for it. */
function isOwnAnswer(body: unknown): boolean {
  return JSON.stringify(body).includes('"Answer the person who asks');
}

function modelIn(body: unknown): string {
  return typeof body === 'object' && body !== null && 'model' in body ? String(body.model) : '';
}

/** Finds each answer's label in what the reviewer was shown. */
function rankedInOrder(request: ChatCompletionRequest): { readonly content: string } {
  const shown = JSON.stringify(request.messages);
  const ranked = [answers.ada, answers.cleo, answers.ben].flatMap((answer) => {
    const [, label] = new RegExp(`label=\\\\"(\\w)\\\\">\\\\n${answer}`).exec(shown) ?? [];
    return label ? [label] : [];
  });
  const lines = ranked.map((label, index) => `${index + 1}. Response ${label}`);
  return { content: `Each has its points.\n\nFINAL RANKING:\n${lines.join('\n')}` };
}

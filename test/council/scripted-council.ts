/** A small council with scripted models, for tests of the deliberation. */

import type { Council, CouncilContext, CouncilModels } from '../../src/council/council.ts';
import type { PassedCheckpoints, TurnEvent } from '../../src/council/events.ts';
import { runTurn } from '../../src/council/turn.ts';
import type { Sage, TurnRequest } from '../../src/domain/turn.ts';
import { type Line, type ScriptedModel, scriptedModel } from '../fakes/scripted-model.ts';

export const bench: readonly Sage[] = ['ada', 'ben', 'cleo', 'dan', 'eve'].map((key) => ({
  key,
  name: `${key[0]?.toUpperCase()}${key.slice(1)} Sage`,
  description: `Sees what ${key} sees.`,
  source: 'predefined',
  ...(key === 'ada' ? { prompt: 'You think as Ada: in engines and their limits.' } : {}),
}));

export const council: Council = {
  bench,
  seats: 'moderated',
  depth: 'standard',
  maxSages: 4,
  maxDynamicSages: 1,
  answerWords: 160,
  fallbackSage: 'eve',
  limits: {
    moderatorTimeoutMs: 10_000,
    sageTimeoutMs: 20_000,
    reviewTimeoutMs: 20_000,
    chairTimeoutMs: 30_000,
    quorumShare: 0.75,
    graceMs: 5_000,
    maxAnswerChars: 2_000,
  },
};

export const request: TurnRequest = {
  turnId: 'turn-1',
  threadId: 'test:w:c:t',
  eventId: 'event-1',
  question: 'Should we rewrite the engine?',
  author: { id: 'u1', name: 'Uma' },
  askedAt: 1_000,
};

/** The moderator's reply. */
export function seating(
  keys: readonly string[],
  focus: Readonly<Record<string, string>> = {},
  added: readonly { name: string; description: string }[] = [],
): string {
  return JSON.stringify({
    focus: Object.entries(focus).map(([sage, query]) => ({ sage, query })),
    predefined_chosen_sages: keys,
    new_sages_to_create: added,
  });
}

export function answer(text: string): string {
  return JSON.stringify({ answer: text, summary: `In short: ${text}` });
}

export const verdict = JSON.stringify({
  verdict: 'Rewrite it in parts.',
  consensus: ['It is slow.'],
  disagreements: ['How fast to go.'],
  minority_report: 'Ben would leave it.',
  confidence: 'medium',
});

export const ownAnswer = 'I would rewrite it.';

/** What each part says, by call. Parts that are left out throw when they are asked. */
export interface Script {
  readonly moderator?: readonly Line[];
  readonly sages?: Readonly<Record<string, readonly Line[]>>;
  readonly reviews?: Readonly<Record<string, readonly Line[]>>;
  readonly chair?: readonly Line[];
  /** What the chair says before it has heard the council; absent: always the same. */
  readonly ownAnswers?: readonly Line[];
}

export interface ScriptedModels extends CouncilModels {
  readonly moderator: ScriptedModel;
  readonly sage: (sage: Pick<Sage, 'key'>) => ScriptedModel;
  readonly reviewer: (sage: Pick<Sage, 'key'>) => ScriptedModel;
  /** Its requests are those for verdicts. */
  readonly chair: ScriptedModel;
  /** Lines that no one asked for, over all parts. */
  unsaid(): number;
}

export function scriptedModels(script: Script): ScriptedModels {
  const all: ScriptedModel[] = [];
  const open = (id: string, lines: readonly Line[] = []) => {
    const model = scriptedModel(id, lines);
    all.push(model);
    return model;
  };
  const byKey = (part: string, scripts: Readonly<Record<string, readonly Line[]>> = {}) => {
    const models = new Map<string, ScriptedModel>();
    return ({ key }: Pick<Sage, 'key'>) => {
      const model = models.get(key) ?? open(`test:${part}-${key}`, scripts[key]);
      models.set(key, model);
      return model;
    };
  };
  const sage = byKey('sage', script.sages);
  const reviewer = byKey('review', script.reviews);
  for (const key of Object.keys(script.sages ?? {})) sage({ key });
  for (const key of Object.keys(script.reviews ?? {})) reviewer({ key });
  const ownAnswers = script.ownAnswers && open('test:chair', script.ownAnswers);
  const verdicts = open('test:chair', script.chair);
  return {
    moderator: open('test:moderator', script.moderator),
    sage,
    reviewer,
    chair: {
      id: verdicts.id,
      requests: verdicts.requests,
      get unsaid() {
        return verdicts.unsaid;
      },
      complete(request) {
        const model = ownAnswers ?? scriptedModel(verdicts.id, [ownAnswer]);
        return (request.stage === 'own_answer' ? model : verdicts).complete(request);
      },
      stream: (request) => verdicts.stream(request),
    },
    unsaid: () => all.reduce((sum, model) => sum + model.unsaid, 0),
  };
}

/** A review that ranks the answers as given, whatever labels they have in it. */
export function ranks(...texts: readonly string[]): Line {
  return (asked) => {
    const shown = asked.messages.at(-1)?.content ?? '';
    const labels = texts.map((text) => {
      const [, label] = new RegExp(`<response label="(\\w)">\\n${text}`).exec(shown) ?? [];
      if (!label) throw new Error(`“${text}” was not shown to the reviewer`);
      return label;
    });
    const list = labels.map((label, index) => `${index + 1}. Response ${label}`).join('\n');
    return `Each has its points.\n\nFINAL RANKING:\n${list}`;
  };
}

/** A whole turn in which four sages answer and all rank Ada first. */
export const wholeScript: Script = {
  moderator: [seating(['ada', 'ben', 'cleo', 'dan'], { ada: 'What breaks first?' })],
  sages: {
    ada: [answer('Ada says yes.')],
    ben: [answer('Ben says no.')],
    cleo: [answer('Cleo says later.')],
    dan: [answer('Dan says in parts.')],
  },
  reviews: Object.fromEntries(
    ['ada', 'ben', 'cleo', 'dan'].map((key) => [
      key,
      [ranks('Ada says yes.', 'Dan says in parts.', 'Cleo says later.', 'Ben says no.')],
    ]),
  ),
  chair: [verdict],
};

export interface RunOptions {
  readonly council?: Partial<Council>;
  readonly request?: Partial<TurnRequest>;
  readonly context?: Partial<CouncilContext>;
  readonly passed?: PassedCheckpoints;
  readonly earlier?: PassedCheckpoints;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: TurnEvent) => void;
}

/** What memory says of the date. */
export const todayTold = { role: 'user', content: 'Today is a Sunday.' } as const;

/** Runs a turn to its end and gives its events. */
export async function run(
  models: CouncilModels,
  options: RunOptions = {},
): Promise<readonly TurnEvent[]> {
  const events: TurnEvent[] = [];
  for await (const event of runTurn({
    request: { ...request, ...options.request },
    council: { ...council, ...options.council },
    context: { forSages: [], forChair: [], forReviewers: [], ...options.context },
    models,
    ...(options.passed ? { passed: options.passed } : {}),
    ...(options.earlier ? { earlier: options.earlier } : {}),
    signal: options.signal ?? new AbortController().signal,
  })) {
    events.push(event);
    options.onEvent?.(event);
  }
  return events;
}

/** The events of one kind. */
export function only<Type extends TurnEvent['type']>(
  events: readonly TurnEvent[],
  type: Type,
): readonly Extract<TurnEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<TurnEvent, { type: Type }> => event.type === type);
}

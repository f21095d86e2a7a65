/** What each depth costs in tokens: a recorded council's texts, in the prompts as they are sent. */

import { readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer';
import { readRecording } from '../src/app/recordings.ts';
import type { Council } from '../src/council/council.ts';
import { runTurn } from '../src/council/turn.ts';
import type { Depth } from '../src/domain/asking.ts';
import type { Sage } from '../src/domain/turn.ts';
import type { ChatModel, ChatRequest, Stage } from '../src/models/chat-model.ts';
import { benchCouncil } from './bench-council.ts';

/** What a turn used. */
export interface Used {
  readonly calls: number;
  /** In and out. */
  readonly tokens: number;
}

/** How many sages a docket names; `undefined`: it names no contradiction. */
export type Parties = 2 | 3 | 4 | undefined;

const recorded = readRecording('rewrite');

/** A tailored prompt, as a bench of one's own has it: what stands below the front matter. */
function withPrompt(sage: Sage): Sage {
  const file = readFileSync(new URL(`../config/sages/${sage.key}.md`, import.meta.url), 'utf8');
  return { ...sage, prompt: file.split('\n---\n').slice(1).join('\n---\n').trim() };
}

/** Runs a whole turn of four sages with the recorded texts, without earlier talk in the prompts. */
export async function usedBy(depth: Depth, parties?: Parties): Promise<Used> {
  const bench = recorded.seated.seats.map(({ sage }) => withPrompt(sage));
  const council: Council = { ...benchCouncil, bench, depth };
  const used = { calls: 0, tokens: 0 };
  const model = countingModel(parties, (tokens) => {
    used.calls += 1;
    used.tokens += tokens;
  });
  const events = runTurn({
    request: recorded.request,
    council,
    context: { forSages: [], forChair: [], forReviewers: [] },
    models: { moderator: model, sage: () => model, reviewer: () => model, chair: model },
    signal: new AbortController().signal,
  });
  for await (const event of events) {
    if (event.type === 'ended' && event.end.outcome !== 'answered') {
      throw new Error(`The turn ended otherwise: ${event.end.explanation}`);
    }
  }
  return used;
}

/** What one sage that is asked alone uses. */
export async function usedAlone(): Promise<Used> {
  const [seat] = recorded.seated.seats;
  if (!seat) throw new Error('No sage sits in the recording.');
  const used = { calls: 0, tokens: 0 };
  const model = countingModel(undefined, (tokens) => {
    used.calls += 1;
    used.tokens += tokens;
  });
  const request = { ...recorded.request, sages: [seat.sage.key] };
  const council: Council = { ...benchCouncil, bench: [withPrompt(seat.sage)] };
  const models = { moderator: model, sage: () => model, reviewer: () => model, chair: model };
  const context = { forSages: [], forChair: [], forReviewers: [] };
  const { signal } = new AbortController();
  for await (const _ of runTurn({ request, council, context, models, signal }));
  return used;
}

function countingModel(parties: Parties, count: (tokens: number) => void): ChatModel {
  const reply = (request: ChatRequest) => {
    const text = said(request, parties);
    const asked = request.messages.map(({ content }) => content).join('\n');
    count(countTokens(asked) + countTokens(text));
    return { text, reasoning: '', finishReason: 'stop' as const };
  };
  return {
    id: 'bench:model',
    complete: async (request) => reply(request),
    async *stream(request) {
      yield { type: 'finished', reply: reply(request) };
    },
  };
}

/** As long as a rebuttal may be. */
const fiftyWords = 'the first module tells within six weeks what a plan for a year can only guess. '
  .repeat(3)
  .trim();

function said(request: ChatRequest, parties: Parties): string {
  const { stage, sage } = request;
  const replies: Partial<Record<Stage, () => string>> = {
    moderator: () =>
      JSON.stringify({
        focus: recorded.seated.seats.map((seat) => ({ sage: seat.sage.key, query: seat.focus })),
        predefined_chosen_sages: recorded.seated.seats.map((seat) => seat.sage.key),
        new_sages_to_create: [],
      }),
    sage: () => {
      const { answer, summary } = answerBy(sage);
      return JSON.stringify({ answer, summary });
    },
    own_answer: () => recorded.verdict.verdict,
    review: () => recorded.reviews.find(({ reviewer }) => reviewer === sage)?.text ?? '',
    docket: () => JSON.stringify(docketFor(request, parties)),
    rebuttal: () =>
      JSON.stringify({
        position: 'hold',
        flaw: '',
        because: fiftyWords,
        strongest_opposing_point: 'Two systems at once are more than four people can carry.',
      }),
    second_ballot: () => 'FINAL RANKING:\n1. Response B\n2. Response A',
    verdict: () => {
      const { verdict, consensus, disagreements, minorityReport, unsettled } = recorded.verdict;
      const rulings = { number: 1, settled: true, follows: 'Engineer', why: fiftyWords };
      return JSON.stringify({
        verdict,
        consensus,
        disagreements,
        minority_report: minorityReport,
        unsettled,
        confidence: 'medium',
        confidence_reason: recorded.verdict.confidenceReason,
        ...(parties && { contradictions: [rulings, { ...rulings, number: 2 }], unique: [] }),
      });
    },
  };
  const reply = replies[stage];
  if (!reply) throw new Error(`Nothing is recorded for ${stage}.`);
  return reply();
}

function answerBy(sage: string | undefined) {
  const answer = recorded.answers.find((one) => one.sage === sage);
  if (!answer) throw new Error(`Nothing is recorded of ${sage}.`);
  return answer;
}

/** Two contradictions between so many of the answers, each with a quote of 20 words. */
function docketFor({ messages }: ChatRequest, parties: Parties) {
  const shown = messages.at(-1)?.content ?? '';
  const all = Array.from(
    shown.matchAll(/<response label="(\w)">\n([\s\S]*?)\n<\/response>/g),
    ([, label = '', text = '']) => ({
      label,
      quote: text.split(/\s+/).slice(0, 20).join(' '),
    }),
  ).slice(0, parties ?? 0);
  const topic = 'Whether to replace the system or to keep it';
  const stances = all.map((one, index) => ({
    ...one,
    stance:
      index % 2 === 0 ? 'Replace it piece by piece.' : 'Keep it until the knowledge is saved.',
  }));
  return {
    consensus: ['The knowledge of the one who leaves comes first.'],
    contradictions: parties
      ? [
          { topic, stances },
          { topic: `${topic} now`, stances },
        ]
      : [],
    unique: [{ label: 'A', point: 'Log which pages are used, and drop the others.' }],
    blind_spots: ['Who pays for two systems.'],
  };
}

/** The chair's verdict and own answer. If the chair fails, the top-ranked answer with a notice replaces the verdict. */

import { longestNextQuestion, mostNextQuestions } from '../domain/asking.ts';
import { hasDocket, type Round } from '../domain/docket.ts';
import { english, type TurnWords } from '../domain/languages/english.ts';
import { listedIn, turnWordsIn } from '../domain/languages/languages.ts';
import {
  type Dissent,
  keptReasoning,
  type OwnAnswer,
  type Ranking,
  type Review,
  type SageAnswer,
  type Seat,
  type Verdict,
} from '../domain/turn.ts';
import { namesOf, oneLine } from '../domain/words.ts';
import type { StepInput } from './council.ts';
import { askInTime, callInTime, keepsText } from './cutoff.ts';
import { settle } from './docket.ts';
import { chairMessages, ownAnswerMessages, verdictShape } from './prompts/chair-prompt.ts';
import {
  deepVerdictShape,
  docketText,
  type Rulings,
  settlementRule,
} from './prompts/round-prompts.ts';
import { readMissedByAll, readObjections, type StageInput } from './review.ts';
import { ModelsUnavailable } from './seating.ts';
import { growingText } from './streaming.ts';

interface VerdictInput extends StageInput {
  readonly reviews: readonly Review[];
  /** Absent at depths other than `deep`. */
  readonly round: Round | undefined;
  /** Absent without a readable ballot. */
  readonly ranking: Ranking | undefined;
  /** The chair's own answer, if it was requested. */
  readonly ownAnswer: OwnAnswer | undefined;
  /** The verdict of the turn that this one takes deeper. */
  readonly earlier: Verdict | undefined;
}

/** What the chair wrote, or what stands in for it. */
type Written = Omit<Verdict, 'dissent' | 'settlement' | 'latencyMs'> & {
  readonly rulings?: Rulings;
};

/** The other fields of a verdict that is only a text. */
const emptyFields = {
  consensus: [],
  disagreements: [],
  minorityReport: '',
  unsettled: [],
};

/** Asks the chair for the verdict. Throws only when the turn was stopped, or when a chair that answers alone fails. */
export async function reachVerdict(input: VerdictInput): Promise<Verdict> {
  const { ranking, round } = input;
  const startedAt = Date.now();
  const words = turnWordsIn(input.request.language);
  const dissent = [...findDissent(input.reviews, ranking, input.answers, input.seats, words)];
  const nameOf = namesOf(input.seats.map(({ sage }) => sage));
  const { rulings, ...written } = await askChair(input, nameOf, words);
  const latencyMs = Date.now() - startedAt;
  const settlement =
    round && hasDocket(round.docket) && settle(round, rulings, ranking, nameOf, words);
  return { ...written, dissent, ...(settlement ? { settlement } : {}), latencyMs };
}

async function askChair(
  input: VerdictInput,
  nameOf: (sage: string) => string,
  words: TurnWords,
): Promise<Written> {
  const { council, request, ranking, context } = input;
  const { chair } = input.models;
  const objections = input.reviews.flatMap((review) => readObjections(review, nameOf));
  const seated = input.answers.flatMap((answer) => {
    const seat = input.seats.find((candidate) => candidate.sage.key === answer.sage);
    const against = objections.filter(({ sage }) => sage === answer.sage);
    return seat ? [{ seat, answer, objections: against.map(({ text }) => text) }] : [];
  });
  const missedByAll = input.reviews.flatMap((review) => readMissedByAll(review, nameOf) ?? []);
  const docket = input.round && docketText(input.round, nameOf);
  const round = docket ? { rule: settlementRule, docket } : undefined;
  const onGrowth = (verdict: string) => input.emit({ type: 'verdict_grew', verdict });
  const growing = growingText('verdict', onGrowth);
  const reply = await askInTime(
    chair,
    {
      messages: chairMessages(
        request.question,
        { answers: seated, missedByAll, ranking, ...draftOf(input) },
        council,
        context,
        round,
      ),
      stage: 'verdict',
      signal: input.signal,
      who: 'The chair',
      timeoutMs: council.limits.chairTimeoutMs,
    },
    round ? deepVerdictShape : verdictShape,
    { onPartial: growing.onPartial, onSettled: growing.onSettled },
  );
  const { whole } = growing;
  if (reply.status === 'failed') {
    const { explanation } = reply;
    if (!whole || !keepsText(reply)) return topAnswer(input, explanation, nameOf, words);
    const notice = words.onlyVerdict(explanation);
    return { kind: 'synthesis', verdict: whole, ...emptyFields, by: chair.id, notice };
  }
  const { by = chair.id, reasoning, finishReason } = reply.reply;
  const standIn = by === chair.id ? '' : words.stoodIn(by, chair.id);
  const kept = { kind: 'synthesis', ...keptReasoning(reasoning), by } as const;
  if (reply.status === 'shaped') {
    const {
      minority_report: minorityReport,
      confidence,
      confidence_reason: why,
      next_questions: next,
      contradictions,
      unique,
      ...written
    } = { contradictions: [], unique: [], ...reply.value };
    const rest = { ...written, ...(council.suggestsNext && suggested(next)) };
    const reason = why.trim() === '' ? {} : { confidenceReason: why.trim() };
    // What is said once more was as sure then as it is now.
    const certainty = input.answers.length === 0 ? {} : { confidence, ...reason };
    const rulings = { contradictions, unique };
    const notice = standIn === '' ? {} : { notice: standIn };
    return { ...rest, ...certainty, ...kept, ...notice, minorityReport, rulings };
  }
  const flaw = finishReason === 'length' && !whole ? words.verdictCutOff : words.verdictUnshaped;
  const verdict = whole || growing.text || reply.text;
  return { verdict, ...emptyFields, ...kept, notice: `${standIn} ${flaw}`.trim() };
}

/** People go deeper from the verdict that they read, not from what the chair wrote before it. */
function draftOf({ earlier, ownAnswer }: VerdictInput) {
  const isDraftRead = earlier?.kind === 'synthesis';
  return { isDraftRead, draft: isDraftRead ? earlier.verdict : (ownAnswer?.text ?? '') };
}

/** The suggested questions that fit on a button, without repeats, as a field to spread. */
function suggested(questions: readonly string[]): Pick<Verdict, 'nextQuestions'> {
  const plain = questions.map(oneLine).filter((one) => one && one.length <= longestNextQuestion);
  const nextQuestions = [...new Set(plain)].slice(0, mostNextQuestions);
  return nextQuestions.length === 0 ? {} : { nextQuestions };
}

/** Returns the top-ranked answer, or the first if nothing was ranked, marked as no synthesis. */
function topAnswer(
  input: VerdictInput,
  explanation: string,
  nameOf: (sage: string) => string,
  words: TurnWords,
): Written {
  const [best, ...others] = input.ranking?.places.filter(({ votes }) => votes > 0) ?? [];
  const answer = input.answers.find(({ sage }) => sage === best?.sage) ?? input.answers[0];
  if (!answer) throw new ModelsUnavailable(`The chair failed: ${explanation}`);
  const tied = others.filter(({ position }) => position === best?.position);
  const names = tied.map(({ sage }) => nameOf(sage));
  const first =
    names.length === 0 ? words.placedFirst : words.tiedFirst(listedIn(words, names, names.length));
  const place = best ? first : words.seatedFirst;
  return {
    kind: 'top_answer',
    verdict: answer.answer,
    ...emptyFields,
    by: answer.sage,
    notice: words.noVerdict(input.models.chair.id, explanation, nameOf(answer.sage), place),
  };
}

/** Finds the answers that a reviewer other than their author ranked first, alone or tied, but the council didn't. */
export function findDissent(
  reviews: readonly Review[],
  ranking: Ranking | undefined,
  answers: readonly SageAnswer[],
  seats: readonly Seat[],
  words = english,
): readonly Dissent[] {
  const nameOf = namesOf(seats.map(({ sage }) => sage));
  return (ranking?.places ?? []).flatMap((place) => {
    if (place.position === 1) return [];
    const supporters = reviews.filter(
      (review) => review.reviewer !== place.sage && firstChoices(review).includes(place.sage),
    );
    const answer = answers.find((candidate) => candidate.sage === place.sage);
    if (supporters.length === 0 || !answer) return [];
    const voters = supporters.map((review) => nameOf(review.reviewer));
    const names = listedIn(words, voters, voters.length);
    const shown = words.firstChoice(nameOf(place.sage), place.position, names);
    return [{ sage: place.sage, shown, summary: answer.summary }];
  });
}

function firstChoices(review: Review): readonly string[] {
  if (review.ballot.status !== 'ranked') return [];
  const best = review.ballot.groups[0] ?? [];
  return review.labels.filter(({ label }) => best.includes(label)).map(({ sage }) => sage);
}

/** Asks the chair for its own answer. Throws only after a stop or a shutdown. */
export async function askOwnAnswer(input: StepInput): Promise<OwnAnswer> {
  const { council, context } = input;
  const { chair } = input.models;
  const startedAt = Date.now();
  const ended = () => ({ model: chair.id, latencyMs: Date.now() - startedAt });
  const request = {
    messages: ownAnswerMessages(input.request.question, council, context),
    stage: 'own_answer' as const,
    signal: input.signal,
    who: 'The chair',
    timeoutMs: council.limits.sageTimeoutMs,
  };
  const reply = await callInTime(request, (asked) => chair.complete(asked));
  if ('status' in reply) {
    const { reason, explanation } = reply;
    return { ...ended(), text: '', failure: { reason, explanation } };
  }
  const { text, reasoning, by } = reply;
  const whole = text.trim().slice(0, council.limits.maxAnswerChars);
  return { ...ended(), text: whole, ...keptReasoning(reasoning), ...(by && { model: by }) };
}

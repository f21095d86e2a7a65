/** Fits earlier talk into a prompt's token budget, and tells what was left out and why. */

import type { MemoryPiece, MemoryUse } from '../../domain/stored-turn.ts';

type UsedPiece = MemoryUse['used'][number];

/** Of something that may go into a prompt. */
export interface Candidate {
  readonly piece: MemoryPiece;
  /** All that it adds to a prompt. */
  readonly text: string;
}

/** A question and what came of it. */
export interface PastCandidate extends Candidate {
  /** What may stand in its place; the same text where there is nothing shorter. */
  readonly short: string;
}

/** How a question of the history is shown to the sages. */
export type Shown = 'whole' | 'short' | 'left_out';

/** What may go into a prompt besides the question, which always does. */
export interface Candidates<Found extends Candidate> {
  /** In the order in which they were pinned. */
  readonly pinned: readonly Candidate[];
  /** What is longer ago than the history, in short. */
  readonly compacted?: Candidate | undefined;
  /** What sages are shown of the last questions, oldest first. */
  readonly history: readonly PastCandidate[];
  /** What the chair is shown of them, oldest first. */
  readonly chair: readonly Candidate[];
  /** Memories, the most relevant first, without those that the history holds when it is shown like this. */
  memoriesBeside(shown: readonly Shown[]): readonly Found[];
  /** Whether a memory says again what the chair is shown anyway. */
  isToldToChair(memory: Found, chair: readonly Candidate[]): boolean;
}

/** How much fits, and what came of it. */
export interface Fitted<Found extends Candidate> {
  /** How many of what is pinned fit. */
  readonly pinnedCount: number;
  readonly isCompactedShown: boolean;
  /** For each question of the history. */
  readonly shown: readonly Shown[];
  readonly memories: readonly Found[];
  /** What fits into the chair's prompt: the last of its questions, and the first of these memories. */
  readonly forChair: { readonly questions: number; readonly memories: readonly Found[] };
  readonly use: Omit<MemoryUse, 'notShown'>;
  /** How many pieces did not fit. */
  readonly overBudget: number;
}

/** What the history keeps of the budget while memories want the rest. */
const historyShare = 0.6;

interface FittedHistory {
  readonly isCompactedShown: boolean;
  readonly shown: readonly Shown[];
  readonly tokens: number;
}

/**
 * History and memories each have a share of what pins leave, and what the other leaves of its own. Over
 * it, the least relevant memories go first, and those that are too long; of the history whole answers go before short ones and the
 * oldest first, and what was compacted last. The chair's questions go before its memories.
 */
export function fitBudget<Found extends Candidate>(
  candidates: Candidates<Found>,
  budgetTokens: number,
  tokensOf: (text: string) => number,
): Fitted<Found> {
  const counted = new Map<string, number>();
  const cost = (text: string): number => {
    const tokens = counted.get(text) ?? tokensOf(text);
    counted.set(text, tokens);
    return tokens;
  };
  const costOf = (some: readonly Candidate[]) =>
    some.reduce((sum, { text }) => sum + cost(text), 0);
  const { pinned, compacted, history, chair, memoriesBeside, isToldToChair } = candidates;
  const pins = firstThatFit(pinned, budgetTokens, cost);
  // The last pin goes when nothing else is left.
  const room = pins.length < pinned.length ? 0 : budgetTokens - costOf(pins);
  const fitHistory = (most: number) => fitPast(history, compacted, most, cost);
  let past = fitHistory(room * historyShare);
  const wanted = memoriesBeside(past.shown);
  if (past.tokens < costOf(history) + (compacted ? cost(compacted.text) : 0)) {
    // It is over its share, and has what memories leave of theirs.
    past = fitHistory(room - costOf(allThatFit(wanted, room * (1 - historyShare), cost)));
  }
  const found = memoriesBeside(past.shown);
  const memories = allThatFit(found, room - past.tokens, cost);
  const ofChair = firstThatFit(chair.toReversed(), room, cost).toReversed();
  const unsaid = memories.filter((memory) => !isToldToChair(memory, ofChair));
  const chairMemories = allThatFit(unsaid, room - costOf(ofChair), cost);

  const used = (one: Candidate): UsedPiece => ({ ...one.piece, tokens: cost(one.text) });
  const usedPast = history.flatMap(({ piece, text, short }, at): readonly UsedPiece[] => {
    const how = past.shown[at];
    if (how === 'whole') return [{ ...piece, tokens: cost(text) }];
    return how === 'short' ? [{ ...piece, tokens: cost(short), isShortened: true }] : [];
  });
  const pastIds = new Set(usedPast.map(({ id }) => id));
  const ofChairAlone = ofChair.filter(({ piece }) => !pastIds.has(piece.id));
  const shownIds = new Set([...pastIds, ...ofChairAlone.map(({ piece }) => piece.id)]);
  const gone = [
    ...pinned.slice(pins.length),
    ...found.filter((memory) => !memories.includes(memory)),
    ...(compacted && !past.isCompactedShown ? [compacted] : []),
    ...history.filter(({ piece }) => !shownIds.has(piece.id)),
  ];
  return {
    pinnedCount: pins.length,
    ...{ isCompactedShown: past.isCompactedShown, shown: past.shown, memories },
    forChair: { questions: ofChair.length, memories: chairMemories },
    use: {
      budgetTokens,
      tokens:
        costOf(pins) +
        Math.max(costOf(memories) + past.tokens, costOf(chairMemories) + costOf(ofChair)),
      used: [
        ...pins.map((one) => ({ ...used(one), isPinned: true as const })),
        ...memories.map(used),
        ...(compacted && past.isCompactedShown ? [used(compacted)] : []),
        ...ofChairAlone.map(used),
        ...usedPast,
      ],
    },
    overBudget: gone.length,
  };
}

/**
 * What was compacted comes first: it is short, and all that is left of its questions. Then the last
 * question as it was answered, which the next one most often is about; then the others in short, from
 * the newest back; and with what is left they are whole, from the newest back, too.
 */
function fitPast(
  history: readonly PastCandidate[],
  compacted: Candidate | undefined,
  most: number,
  cost: (text: string) => number,
): FittedHistory {
  let left = most;
  const takes = (tokens: number): boolean => {
    if (tokens > left) return false;
    left -= tokens;
    return true;
  };
  const isCompactedShown = compacted !== undefined && takes(cost(compacted.text));
  const newestFirst = history.toReversed();
  const [newest, ...others] = newestFirst;
  const isNewestWhole = newest !== undefined && takes(cost(newest.text));
  const inShort = isNewestWhole ? others : newestFirst;
  const fitting = countWhile(inShort, ({ short }) => takes(cost(short)));
  const widened = countWhile(inShort.slice(0, fitting), ({ text, short }) =>
    takes(cost(text) - cost(short)),
  );
  const whole = (isNewestWhole ? 1 : 0) + widened;
  const known = (isNewestWhole ? 1 : 0) + fitting;
  const shown = newestFirst.map((_, at): Shown => {
    if (at < whole) return 'whole';
    return at < known ? 'short' : 'left_out';
  });
  return { isCompactedShown, shown: shown.toReversed(), tokens: most - left };
}

/** What is too long is left out, and what comes after it may still fit. */
function allThatFit<One extends Candidate>(
  some: readonly One[],
  most: number,
  cost: (text: string) => number,
): readonly One[] {
  let left = most;
  return some.filter(({ text }) => {
    const tokens = cost(text);
    if (tokens > left) return false;
    left -= tokens;
    return true;
  });
}

function firstThatFit<One extends Candidate>(
  some: readonly One[],
  most: number,
  cost: (text: string) => number,
): readonly One[] {
  let left = most;
  const count = countWhile(some, ({ text }) => {
    left -= cost(text);
    return left >= 0;
  });
  return some.slice(0, count);
}

/** How many there are before the first of which it is not so. */
function countWhile<One>(some: readonly One[], isSo: (one: One) => boolean): number {
  const at = some.findIndex((one) => !isSo(one));
  return at < 0 ? some.length : at;
}

const letters = { latin: 4, other: 2 } as const;
const spaceless = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;
const beyondLatin = /[\u0250-\u{10ffff}]/gu;

/**
 * About the tokens that a text is to a model: one for 4 Latin letters, for 2 of other alphabets, and for
 * each sign of Chinese, Japanese and Thai.
 *
 * Of what councils say in English and German it tells 0 to 13 % more than OpenAI's `o200k_base` counts,
 * in Spanish 4 % less, in Japanese 22 % more. The tokenizer itself would take 30 MB on the disk and 75 MB
 * of memory, and is one vendor's.
 */
export function estimateTokens(text: string): number {
  const signs = text.match(spaceless)?.length ?? 0;
  const others = (text.match(beyondLatin)?.length ?? 0) - signs;
  const latin = text.length - signs - others;
  return Math.ceil(signs + others / letters.other + latin / letters.latin);
}

/** Fits what a prompt may hold of earlier talk into a number of tokens, and tells what was left out and why. */

import type { TokenCounter } from './tokens.ts';

/** A piece of earlier talk, by the id that a store knows it by; no text, so that it tells nothing once that is forgotten. */
export interface ContextPiece {
  readonly kind: 'question' | 'message' | 'shard';
  readonly threadId: string;
  readonly id: string;
}

/** What became of the pieces that a prompt might have held. */
export interface ContextReceipt {
  /** What counted the tokens, e.g. `o200k_base`, or `approximation`. */
  readonly tokenizer: string;
  readonly budgetTokens: number;
  readonly tokens: number;
  /** What is pinned first. */
  readonly used: readonly UsedPiece[];
  readonly leftOut: readonly LeftOut[];
}

export interface UsedPiece extends ContextPiece {
  readonly tokens: number;
  /** It is in because it is pinned; absent: it is not. */
  readonly isPinned?: true;
}

export interface LeftOut extends ContextPiece {
  readonly why:
    | 'over_budget'
    /** It is among the last questions anyway. */
    | 'in_history'
    /** Something nearer to the question says the same. */
    | 'said_twice'
    /** The model that compacts a long history did not. */
    | 'not_compacted';
}

/** Of something that may go into a prompt. */
export interface Candidate {
  readonly piece: ContextPiece;
  /** All that it adds to a prompt; of two prompts, the longer one. */
  readonly text: string;
}

/** What may go into a prompt besides the question, which always does. */
export interface Candidates {
  /** In the order in which they were pinned. */
  readonly pinned: readonly Candidate[];
  /** Oldest first. */
  readonly history: readonly Candidate[];
  /** Most relevant first. */
  readonly memories: readonly Candidate[];
}

/** How much fits, and what came of it. */
export interface Fitted {
  /** How many of what is pinned fit. */
  readonly pinnedCount: number;
  /** The first of the history that fits; those after it do, too. */
  readonly firstOfHistory: number;
  /** How many of the memories fit. */
  readonly memoryCount: number;
  readonly receipt: ContextReceipt;
}

/**
 * Over the budget, the least relevant memory goes first, then the oldest of the history, and what was
 * pinned last only when there is nothing else.
 */
export function fitBudget(
  { pinned, history, memories }: Candidates,
  budgetTokens: number,
  counter: TokenCounter,
): Fitted {
  const cost = ({ piece, text }: Candidate) => ({ ...piece, tokens: counter.count(text) });
  const pinnedCosts = pinned.map((one) => ({ ...cost(one), isPinned: true as const }));
  const historyCosts = history.map(cost);
  const memoryCosts = memories.map(cost);
  const all = [...pinnedCosts, ...historyCosts, ...memoryCosts];
  let pinnedCount = pinned.length;
  let firstOfHistory = 0;
  let memoryCount = memories.length;
  let tokens = all.reduce((sum, one) => sum + one.tokens, 0);
  while (tokens > budgetTokens && memoryCount > 0) {
    memoryCount -= 1;
    tokens -= memoryCosts[memoryCount]?.tokens ?? 0;
  }
  while (tokens > budgetTokens && firstOfHistory < history.length) {
    tokens -= historyCosts[firstOfHistory]?.tokens ?? 0;
    firstOfHistory += 1;
  }
  while (tokens > budgetTokens && pinnedCount > 0) {
    pinnedCount -= 1;
    tokens -= pinnedCosts[pinnedCount]?.tokens ?? 0;
  }
  const gone = [
    ...pinned.slice(pinnedCount),
    ...memories.slice(memoryCount),
    ...history.slice(0, firstOfHistory),
  ];
  return {
    ...{ pinnedCount, firstOfHistory, memoryCount },
    receipt: {
      tokenizer: counter.name,
      budgetTokens,
      tokens,
      used: [
        ...pinnedCosts.slice(0, pinnedCount),
        ...memoryCosts.slice(0, memoryCount),
        ...historyCosts.slice(firstOfHistory),
      ],
      leftOut: gone.map(({ piece }) => ({ ...piece, why: 'over_budget' })),
    },
  };
}

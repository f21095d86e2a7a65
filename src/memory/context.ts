/**
 * What goes into a prompt from earlier talk: the one place that decides it.
 *
 * The last questions of the thread, in short or as they were said, and what else was said that fits
 * the question: sages, moderator and reviewers see each sage's answer, the chair sees the verdicts.
 */

import type { ChatMessage } from '../models/chat-model.ts';
import type { Embedder } from '../models/embeddings.ts';
import type { Interaction, MemoryScope, MessageStore } from '../store/store.ts';
import type { Compact } from './compaction.ts';
import {
  type Candidate,
  type ContextPiece,
  type ContextReceipt,
  fitBudget,
  type LeftOut,
} from './context-budget.ts';
import { fullHistory, type History, mostFullInteractions } from './full-history.ts';
import { type AnswerForm, type Exchange, exchangeOf } from './history.ts';
import { type Memory, messageKey, messageKeysOf } from './memories.ts';
import { memoryMessages, memoryText } from './memory-messages.ts';
import type { MemoryPlace } from './memory-place.ts';
import type { Pin } from './pins.ts';
import { reachWhere } from './reach.ts';
import type { Recollection } from './recollection.ts';
import type { TokenCounter } from './tokens.ts';

export interface RememberedContext {
  readonly forSages: readonly ChatMessage[];
  readonly forChair: readonly ChatMessage[];
  /** How many earlier interactions are in it. */
  readonly interactions: number;
  readonly receipt: ContextReceipt;
}

/** How much of earlier talk a prompt may hold. */
export interface ContextLimits {
  /** How many interactions to look back in short; 0 recalls nothing at all. */
  readonly interactions: number;
  /** How many messages that fit the question, and how many shards besides; 0 for none. */
  readonly memories: number;
  readonly budgetTokens: number;
}

export interface ContextOptions
  extends ContextLimits,
    Pick<MemoryPlace, 'isPrivate' | 'isPrivateThread'> {
  readonly threadId: string;
  /** The turn that the context is for; never part of it. */
  readonly turnId: string;
  readonly question: string;
  /** How the last questions are shown. */
  readonly history: AnswerForm;
  /** How far memories may come from. */
  readonly reach: MemoryScope['reach'];
  /** People of elsewhere may read along: nothing of other channels is recalled, however far it may reach. */
  readonly isOpenOutside: boolean;
  /** What is put in before anything else. Default: nothing. */
  readonly pins?: readonly Pin[];
  /** As the channel is set, e.g. `German` or `auto`. */
  readonly language: string;
  /** What embeds the question; absent: at the cost of the channel, if at all. */
  readonly embedder?: Embedder | undefined;
  readonly counter: TokenCounter;
  /** Shortens the older part of a long history that is shown in full. */
  readonly compact: Compact;
  /** Told what failed and is left out. Must not throw. */
  readonly onTrouble: (error: unknown, what: string) => void;
}

export interface ContextSources {
  readonly messages: MessageStore;
  readonly recollection: Recollection;
}

/** Enough of what ranks behind, where the first are in the history anyway. */
const spareMemories = 20;

/** Makes a context, in one step of the store, as proper messages in order of time. Throws what the store throws. */
export async function recallContext(
  { messages, recollection }: ContextSources,
  options: ContextOptions,
): Promise<RememberedContext> {
  const { threadId, turnId, question, language, embedder, pins = [] } = options;
  const { isPrivate, isPrivateThread } = options;
  const reach = reachWhere(options.isOpenOutside, options.reach);
  if (options.interactions === 0) return nothing(options);
  const place = { scope: { threadId, reach }, isPrivate, isPrivateThread };
  const [recent, search, byPin] = await Promise.all([
    messages.recent(threadId, {
      limit: options.history === 'full' ? mostFullInteractions : options.interactions,
      exceptTurnId: turnId,
    }),
    recollection.open({ ...place, text: question, language, embedder }),
    recollection.pinned(place, pins),
  ]);
  const history = await historyOf(recent, options);
  // Two that were pinned may be one by now.
  const pinnedByKey = new Map(Array.from(byPin.values(), (memory) => [memory.key, memory]));
  const pinned = [...pinnedByKey.values()];
  const found = search(
    mostRanked(options),
    (memory) => memory.turnId === turnId || pinnedByKey.has(memory.key),
  );
  const { chosen, leftOut } = choose(found, keysOf(recent), options.memories);
  const candidate = (memory: Memory) => ({
    piece: pieceOf(memory),
    text: memoryText(memory),
  });
  const fitted = fitBudget(
    {
      pinned: pinned.map(candidate),
      history: history.exchanges.map((exchange) => ofExchange(exchange, threadId)),
      memories: chosen.map(candidate),
    },
    options.budgetTokens,
    options.counter,
  );
  const shown = history.exchanges.slice(fitted.firstOfHistory);
  const memories = memoryMessages(
    pinned.slice(0, fitted.pinnedCount),
    chosen.slice(0, fitted.memoryCount),
  );
  return {
    forSages: [...memories, ...shown.flatMap(({ forSages }) => forSages)],
    forChair: [...memories, ...shown.flatMap(({ forChair }) => forChair)],
    interactions: shown.length,
    receipt: {
      ...fitted.receipt,
      leftOut: [...fitted.receipt.leftOut, ...history.leftOut, ...leftOut],
    },
  };
}

/** What a place is told that remembers nothing. */
function nothing({ budgetTokens, counter }: ContextOptions): RememberedContext {
  const receipt = { tokenizer: counter.name, budgetTokens, tokens: 0, used: [], leftOut: [] };
  return { forSages: [], forChair: [], interactions: 0, receipt };
}

async function historyOf(
  recent: readonly Interaction[],
  options: ContextOptions,
): Promise<History> {
  if (options.history === 'full') return fullHistory(recent, options);
  const exchanges = recent.map((one) => exchangeOf(one, 'summaries'));
  return { exchanges, leftOut: [] };
}

/** Enough for both kinds, and for what turns out to be in the history anyway. */
function mostRanked({ memories }: ContextLimits): number {
  return 4 * memories + spareMemories;
}

/** The keys of the messages of a history. */
function keysOf(recent: readonly Interaction[]): ReadonlySet<string> {
  return new Set(recent.flatMap(({ question, answers }) => [question, ...answers].map(messageKey)));
}

/**
 * Takes the nearest of each kind, by turns, without what is in the history or said twice.
 *
 * @param found - Nearest first.
 * @param most - How many of each kind.
 */
function choose(
  found: readonly Memory[],
  inHistory: ReadonlySet<string>,
  most: number,
): { readonly chosen: readonly Memory[]; readonly leftOut: readonly LeftOut[] } {
  const ofKind = { message: [] as Memory[], shard: [] as Memory[] };
  const leftOut: LeftOut[] = [];
  const said = new Set<string>();
  for (const memory of found) {
    const ofSameKind = ofKind[memory.kind];
    if (ofSameKind.length >= most) continue;
    if (messageKeysOf(memory).every((key) => inHistory.has(key))) {
      leftOut.push({ ...pieceOf(memory), why: 'in_history' });
      continue;
    }
    // What is said twice is mostly the very same text: that is seen without a copy of it.
    const plain = said.has(memory.shown) ? memory.shown : memory.shown.trim().toLowerCase();
    if (said.has(plain)) leftOut.push({ ...pieceOf(memory), why: 'said_twice' });
    else {
      said.add(plain).add(memory.shown);
      ofSameKind.push(memory);
    }
  }
  const chosen = Array.from({ length: most }, (_, at) => [ofKind.message[at], ofKind.shard[at]])
    .flat()
    .filter((memory) => memory !== undefined);
  return { chosen, leftOut };
}

function ofExchange({ id, forSages, forChair }: Exchange, threadId: string): Candidate {
  const texts = [forSages, forChair].map((messages) =>
    messages.map(({ content }) => content).join('\n'),
  );
  const [longest = ''] = texts.sort((one, other) => other.length - one.length);
  return { piece: { kind: 'question', threadId, id }, text: longest };
}

function pieceOf({ kind, threadId, id }: Memory): ContextPiece {
  return { kind, threadId, id };
}

/**
 * Decides what a prompt holds of earlier talk.
 *
 * The last questions of the thread, in short or as they were said, and what else was said that fits
 * the question: sages, moderator and reviewers see each sage's answer, the chair sees the verdicts.
 */

import type { HeardMessage } from '../../domain/heard.ts';
import type { MemoryPiece, MemoryUse } from '../../domain/stored-turn.ts';
import type { ChatMessage, EarlierMessage } from '../../models/chat-model.ts';
import type { Embedder } from '../../models/embeddings.ts';
import type { Interaction, MemoryScope, MessageStore } from '../../store/store.ts';
import {
  type Memory,
  type MemoryPlace,
  memoryMessages,
  memoryText,
  messageKey,
  messageKeysOf,
  reachWhere,
} from '../memories.ts';
import type { Pin } from '../pins.ts';
import { type Compact, fullHistory, type History, mostFullInteractions } from './compaction.ts';
import { type Candidate, estimateTokens, fitBudget, type Shown } from './context-budget.ts';
import { type AnswerForm, type Exchange, exchangeOf } from './history.ts';
import type { Recollection } from './recollection.ts';
import { type Situation, situationMessages } from './situation.ts';

export interface RememberedContext {
  readonly forSages: readonly EarlierMessage[];
  readonly forChair: readonly EarlierMessage[];
  /** How many earlier interactions are in it. */
  readonly interactions: number;
  readonly receipt: MemoryUse;
}

/** How much of earlier talk a prompt may hold. */
export interface ContextLimits {
  /** How many interactions to look back in short; 0 recalls nothing at all. */
  readonly interactions: number;
  /** How many of the last interactions the chair is shown, with their verdicts; 0 for none. */
  readonly chairTurns: number;
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
  /**
   * Nothing that was said or summed up from this moment on is part of it, in milliseconds since 1970: for a
   * question that is put again as it was then. Absent: all may be.
   */
  readonly before?: number | undefined;
  readonly question: string;
  readonly situation: Situation;
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
  const { isPrivate, isPrivateThread, interactions, chairTurns } = options;
  const reach = reachWhere(options.isOpenOutside, options.reach);
  if (interactions === 0) return nothing(options);
  const place = { scope: { threadId, reach }, isPrivate, isPrivateThread };
  const wanted = options.history === 'full' ? mostFullInteractions : interactions;
  const { before = Number.POSITIVE_INFINITY } = options;
  const [interactionsFound, search, byPin] = await Promise.all([
    messages.recent(threadId, {
      // What was said since is left out below, and takes the place of what was said before.
      limit: options.before === undefined ? Math.max(wanted, chairTurns) : mostFullInteractions,
      exceptTurnId: turnId,
    }),
    recollection.open({ ...place, text: question, language, embedder }),
    recollection.pinned(place, pins),
  ]);
  const recent = interactionsFound.filter((one) => one.question.createdAt < before);
  const { compacted, exchanges, notCompacted } = await historyOf(recent.slice(-wanted), options);
  const ofChair = lastOf(recent, chairTurns).map((one) => exchangeOf(one, 'summaries'));
  // Two pins may stand for the same memory.
  const pinnedByKey = new Map(Array.from(byPin.values(), (memory) => [memory.key, memory]));
  const pinned = [...pinnedByKey.values()].filter(({ createdAt }) => createdAt < before);
  const found = search(
    mostRanked(options),
    (memory) =>
      memory.turnId === turnId || memory.createdAt >= before || pinnedByKey.has(memory.key),
  );
  const choiceBeside = (shown: readonly Shown[]) =>
    choose(found, holdsWhenShown(exchanges, shown), options.memories);
  const candidate = (memory: Memory): MemoryCandidate => ({
    ...{ memory, piece: pieceOf(memory), text: memoryText(memory) },
  });
  const fitted = fitBudget(
    {
      pinned: pinned.map(candidate),
      compacted: compacted && {
        piece: pastPiece(compacted, threadId),
        text: textOf(compacted.forSages),
      },
      history: exchanges.map((exchange) => ({
        piece: pastPiece(exchange, threadId),
        ...{ text: textOf(exchange.forSages), short: textOf(exchange.inShort) },
      })),
      chair: ofChair.map((exchange) => ({
        piece: pastPiece(exchange, threadId),
        text: textOf(exchange.forChair),
      })),
      memoriesBeside: (shown) => choiceBeside(shown).chosen.map(candidate),
      isToldToChair: ({ memory }, chair) =>
        memory.threadId === threadId && chair.some(({ piece }) => piece.id === memory.id),
    },
    options.budgetTokens,
    estimateTokens,
  );
  const shown = exchanges.flatMap(({ forSages, inShort }, at) => {
    const how = fitted.shown[at];
    if (how === 'whole') return [forSages];
    return how === 'short' ? [inShort] : [];
  });
  const ofOlder = compacted && fitted.isCompactedShown ? [compacted.forSages] : [];
  const kept = pinned.slice(0, fitted.pinnedCount);
  const remembered = (some: readonly MemoryCandidate[]) =>
    memoryMessages(
      kept,
      some.map(({ memory }) => memory),
    );
  const { inHistory, saidTwice } = choiceBeside(fitted.shown);
  const { questions, memories: ofChairMemories } = fitted.forChair;
  const situation = situationMessages(options.situation, isAmong(recent));
  return {
    forSages: [...remembered(fitted.memories), ...ofOlder.flat(), ...shown.flat(), ...situation],
    forChair: [
      ...remembered(ofChairMemories),
      ...lastOf(ofChair, questions).flatMap(({ forChair }) => forChair),
      ...situation,
    ],
    interactions: ofOlder.length + shown.length,
    receipt: {
      ...fitted.use,
      notShown: { overBudget: fitted.overBudget, notCompacted, inHistory, saidTwice },
    },
  };
}

interface MemoryCandidate extends Candidate {
  readonly memory: Memory;
}

/** The context of a place that remembers nothing. */
function nothing({ budgetTokens, situation }: ContextOptions): RememberedContext {
  const receipt = { budgetTokens, tokens: 0, used: [] };
  const messages = situationMessages(situation);
  return { forSages: messages, forChair: messages, interactions: 0, receipt };
}

/** What people ask the council stands in the history: the same moment and author are the same message. */
function isAmong(recent: readonly Interaction[]): (message: HeardMessage) => boolean {
  return ({ at, author }) =>
    recent.some(({ question }) => question.createdAt === at && question.author === author.name);
}

async function historyOf(
  recent: readonly Interaction[],
  options: ContextOptions,
): Promise<History> {
  if (options.history === 'full') return fullHistory(recent, options);
  const exchanges = recent.map((one) => exchangeOf(one, 'summaries'));
  return { exchanges, notCompacted: 0 };
}

/** Enough for both kinds, and for what turns out to be in the history anyway. */
function mostRanked({ memories }: ContextLimits): number {
  return 4 * memories + spareMemories;
}

/**
 * Tells of a memory whether the history says it already. A question that is shown as wanted holds all
 * that belongs to it; one that had to be shortened holds what stands there, and nothing that is left out.
 */
function holdsWhenShown(
  exchanges: readonly Exchange[],
  shown: readonly Shown[],
): (memory: Memory) => boolean {
  const whole = new Set<string>();
  const short = new Map<string, string>();
  for (const [at, { interaction, inShort }] of exchanges.entries()) {
    const keys = [interaction.question, ...interaction.answers].map(messageKey);
    if (shown[at] === 'whole') for (const key of keys) whole.add(key);
    if (shown[at] === 'short') for (const key of keys) short.set(key, textOf(inShort));
  }
  return (memory) =>
    messageKeysOf(memory).every(
      (key) => whole.has(key) || short.get(key)?.includes(memory.shown) === true,
    );
}

/**
 * Takes the nearest of each kind, by turns, without what the history holds or is said twice.
 *
 * @param found - Nearest first.
 * @param most - How many of each kind.
 */
function choose(
  found: readonly Memory[],
  isInHistory: (memory: Memory) => boolean,
  most: number,
): { readonly chosen: readonly Memory[]; readonly inHistory: number; readonly saidTwice: number } {
  const ofKind = { message: [] as Memory[], shard: [] as Memory[] };
  let [inHistory, saidTwice] = [0, 0];
  const said = new Set<string>();
  for (const memory of found) {
    const ofSameKind = ofKind[memory.kind];
    if (ofSameKind.length >= most) continue;
    if (isInHistory(memory)) {
      inHistory += 1;
      continue;
    }
    // What is said twice is mostly the very same text: that is seen without a copy of it.
    const plain = said.has(memory.shown) ? memory.shown : memory.shown.trim().toLowerCase();
    if (said.has(plain)) saidTwice += 1;
    else {
      said.add(plain).add(memory.shown);
      ofSameKind.push(memory);
    }
  }
  const chosen = Array.from({ length: most }, (_, at) => [ofKind.message[at], ofKind.shard[at]])
    .flat()
    .filter((memory) => memory !== undefined);
  return { chosen, inHistory, saidTwice };
}

function pastPiece({ id }: Pick<Exchange, 'id'>, threadId: string): MemoryPiece {
  return { kind: 'question', threadId, id };
}

function textOf(messages: readonly ChatMessage[]): string {
  return messages.map(({ content }) => content).join('\n');
}

function lastOf<One>(some: readonly One[], count: number): readonly One[] {
  return count === 0 ? [] : some.slice(-count);
}

function pieceOf({ kind, threadId, id }: Memory): MemoryPiece {
  return { kind, threadId, id };
}

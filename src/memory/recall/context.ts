/**
 * Builds the context of a prompt: the thread's last questions, in short or verbatim, and memories that are
 * relevant to the question. Sages and moderator see each sage's answer, the chair sees verdicts. Reviewers see
 * verdicts and what people said, because they judge answers without knowing their authors.
 */

import type { MemoryPiece, MemoryUse } from '../../domain/stored-turn.ts';
import type { ChatMessage, EarlierMessage } from '../../models/chat-model.ts';
import type { Embedder } from '../../models/embeddings.ts';
import type { MemoryScope, MessageStore } from '../../store/store.ts';
import {
  type Memory,
  type MemoryPlace,
  memoryKey,
  memoryMessages,
  memoryText,
  messageKeysOf,
  visibleReach,
} from '../memories.ts';
import type { Pin } from '../pins.ts';
import { type HistoryOptions, historyOf, maxFullInteractions } from './compaction.ts';
import { type Candidate, estimateTokens, fitBudget, type Shown } from './context-budget.ts';
import { type Exchange, exchangeOf, lastQuestions } from './history.ts';
import type { Recollection } from './recollection.ts';
import { type Situation, situationMessages } from './situation.ts';

export interface RememberedContext {
  readonly forSages: readonly EarlierMessage[];
  readonly forChair: readonly EarlierMessage[];
  readonly forReviewers: readonly ChatMessage[];
  /** Only the date and the time zone. */
  readonly today: readonly ChatMessage[];
  /** How many earlier interactions it contains. */
  readonly interactions: number;
  readonly receipt: MemoryUse;
}

export interface ContextLimits {
  /** How many interactions a short history goes back; 0 recalls nothing at all. */
  readonly interactions: number;
  /** How many of the last interactions the chair is shown, with their verdicts; 0 for none. */
  readonly chairTurns: number;
  /** How many relevant messages to include, and how many shards; 0 for none. */
  readonly memories: number;
  readonly budgetTokens: number;
}

export interface ContextOptions
  extends ContextLimits,
    HistoryOptions,
    Pick<MemoryPlace, 'isPrivate' | 'isPrivateThread'> {
  readonly threadId: string;
  /** The turn that the context is for; never part of it. */
  readonly turnId: string;
  /**
   * Leaves out everything created from this moment on, in milliseconds since 1970: for repeating an earlier
   * question in its original context. Absent: no limit.
   */
  readonly before?: number | undefined;
  readonly question: string;
  readonly situation: Situation;
  /** Where memories may come from. */
  readonly reach: MemoryScope['reach'];
  /** Outsiders can read the place, so nothing from other channels is recalled, whatever the reach. */
  readonly isOpenOutside: boolean;
  /** Included before anything else. Default: none. */
  readonly pins?: readonly Pin[];
  /** The channel's setting, e.g. `German` or `auto`. */
  readonly language: string;
  /** Embeds the question. Default: the channel's embedder, if it has one. */
  readonly embedder?: Embedder | undefined;
}

/** Extra results to search for, because the history may contain the best ones. */
const spareMemories = 20;

/** Builds a context as prompt messages in order of time. Throws what the store throws. */
export async function recallContext(
  { messages, recollection }: { messages: MessageStore; recollection: Recollection },
  options: ContextOptions,
): Promise<RememberedContext> {
  const { threadId, turnId, question, language, embedder, pins = [], budgetTokens } = options;
  const { isPrivate, isPrivateThread, interactions, chairTurns } = options;
  const { at, timeZone } = options.situation;
  const today = situationMessages({ at, timeZone });
  if (interactions === 0) {
    const said = situationMessages(options.situation);
    const receipt = { budgetTokens, tokens: 0, used: [] };
    const forAll = { forSages: said, forChair: said, forReviewers: said };
    return { ...forAll, today, interactions: 0, receipt };
  }
  const reach = visibleReach(options.isOpenOutside, options.reach);
  const place = { scope: { threadId, reach }, isPrivate, isPrivateThread };
  const wanted = options.history === 'full' ? maxFullInteractions : interactions;
  const { before = Number.MAX_SAFE_INTEGER } = options;
  const limit = Math.max(wanted, chairTurns);
  const [recent, search, byPin] = await Promise.all([
    lastQuestions(messages, threadId, { limit, exceptTurnId: turnId, before }),
    // Without a search, the question needs no vector, which costs a call.
    options.memories === 0
      ? () => []
      : recollection.open({ ...place, text: question, language, embedder }),
    recollection.pinned(place, pins),
  ]);
  const { compacted, exchanges, notCompacted } = await historyOf(recent.slice(-wanted), options);
  const ofChair = lastOf(recent, chairTurns).map((one) => exchangeOf(one, 'summaries'));
  // Two pins may refer to the same memory.
  const pinnedByKey = new Map(Array.from(byPin.values(), (memory) => [memory.key, memory]));
  const pinned = [...pinnedByKey.values()].filter(({ createdAt }) => createdAt < before);
  const found = search(
    // Enough for both kinds, and for those that the history contains.
    4 * options.memories + spareMemories,
    (memory) =>
      memory.turnId === turnId || memory.createdAt >= before || pinnedByKey.has(memory.key),
  );
  const choiceBeside = (shown: readonly Shown[]) =>
    choose(found, containsWhenShown(exchanges, shown), options.memories);
  const pastPiece = (id: string): MemoryPiece => ({ kind: 'question', threadId, id });
  const fitted = fitBudget(
    {
      pinned: pinned.map(candidate),
      compacted: compacted && { piece: pastPiece(compacted.id), text: textOf(compacted.forSages) },
      history: exchanges.map(({ id, forSages, inShort }) => ({
        ...{ piece: pastPiece(id), text: textOf(forSages), short: textOf(inShort) },
      })),
      chair: ofChair.map(({ id, forChair }) => ({ piece: pastPiece(id), text: textOf(forChair) })),
      memoriesBeside: (shown) => choiceBeside(shown).chosen.map(candidate),
      isToldToChair: ({ memory }, chair) =>
        memory.threadId === threadId && chair.some(({ piece }) => piece.id === memory.id),
    },
    budgetTokens,
    estimateTokens,
  );
  const shown = exchanges.flatMap(({ forSages, inShort }, at) => {
    const how = fitted.shown[at];
    if (how === 'whole') return [forSages];
    return how === 'short' ? [inShort] : [];
  });
  const ofOlder = compacted && fitted.isCompactedShown ? [compacted.forSages] : [];
  const kept = pinned.slice(0, fitted.pinnedCount);
  const forSages = fitted.memories.map(({ memory }) => memory);
  const forChair = fitted.forChair.memories.map(({ memory }) => memory);
  const byPeople = ({ role }: Memory) => role === 'human';
  const told = (pins: readonly Memory[], others: readonly Memory[]) =>
    memoryMessages(pins, others, timeZone);
  const { inHistory, saidTwice } = choiceBeside(fitted.shown);
  const lastOfChair = lastOf(ofChair, fitted.forChair.questions);
  const situation = situationMessages(options.situation, recent);
  return {
    forSages: [...told(kept, forSages), ...[...ofOlder, ...shown].flat(), ...situation],
    forChair: [
      ...told(kept, forChair),
      ...lastOfChair.flatMap((one) => one.forChair),
      ...situation,
    ],
    forReviewers: [
      ...told(kept.filter(byPeople), forChair.filter(byPeople)),
      ...lastOfChair.flatMap((one) => one.forReviewers),
      ...situation,
    ],
    today,
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

function candidate(memory: Memory): MemoryCandidate {
  const { kind, threadId, id } = memory;
  return { memory, piece: { kind, threadId, id }, text: memoryText(memory, 'UTC') }; // only counted
}

/**
 * Returns a predicate for the memories that the history contains. A question shown whole contains all its
 * messages; a shortened one contains only the text that is left.
 */
function containsWhenShown(
  exchanges: readonly Exchange[],
  shown: readonly Shown[],
): (memory: Memory) => boolean {
  const whole = new Set<string>();
  const short = new Map<string, string>();
  for (const [at, { interaction, inShort }] of exchanges.entries()) {
    const keys = [interaction.question, ...interaction.answers].map(({ threadId, id }) =>
      memoryKey({ kind: 'message', threadId, id }),
    );
    if (shown[at] === 'whole') for (const key of keys) whole.add(key);
    if (shown[at] === 'short') for (const key of keys) short.set(key, textOf(inShort));
  }
  return (memory) =>
    messageKeysOf(memory).every(
      (key) => whole.has(key) || short.get(key)?.includes(memory.shown) === true,
    );
}

/**
 * Picks the nearest memories, at most so many of each kind, in turn, without repeats and without those
 * that the history contains.
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
    const plain = memory.shown.trim().toLowerCase();
    if (isInHistory(memory)) inHistory += 1;
    else if (said.has(plain)) saidTwice += 1;
    else {
      said.add(plain);
      ofSameKind.push(memory);
    }
  }
  const chosen = Array.from({ length: most }, (_, at) => [ofKind.message[at], ofKind.shard[at]])
    .flat()
    .filter((memory) => memory !== undefined);
  return { chosen, inHistory, saidTwice };
}

function textOf(messages: readonly ChatMessage[]): string {
  return messages.map(({ content }) => content).join('\n');
}

function lastOf<One>(some: readonly One[], count: number): readonly One[] {
  return count === 0 ? [] : some.slice(-count);
}

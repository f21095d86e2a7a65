/**
 * Builds the context of a prompt: the thread's last questions, in short or verbatim, and memories that are
 * relevant to the question. Sages and moderator see each sage's answer and the last verdict, the chair sees all
 * verdicts. Reviewers see verdicts and what people said, because they judge answers without knowing their authors.
 */

import type { MemoryPiece, MemoryUse } from '../../domain/stored-turn.ts';
import type { ChatMessage, EarlierMessage } from '../../models/chat-model.ts';
import type { Embedder } from '../../models/embeddings.ts';
import type { MemoryScope, MessageStore } from '../../store/store.ts';
import {
  type Memory,
  type MemoryPlace,
  memoryMessages,
  memoryText,
  visibleReach,
} from '../memories.ts';
import type { Pin } from '../pins.ts';
import {
  chooseMemories,
  containsWhenShown,
  textOf,
  withNearestVerdicts,
  withoutVerdict,
} from './chosen-memories.ts';
import { type HistoryOptions, historyOf, maxFullInteractions } from './compaction.ts';
import { type Candidate, estimateTokens, fitBudget, type Shown } from './context-budget.ts';
import { exchangeOf, lastPlaces, lastQuestions } from './history.ts';
import type { Recollection } from './recollection.ts';
import { situationMessages } from './situation.ts';

export interface RememberedContext {
  readonly forSages: readonly EarlierMessage[];
  readonly forChair: readonly EarlierMessage[];
  readonly forChairAlone?: readonly EarlierMessage[];
  readonly forReviewers: readonly ChatMessage[];
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
  if (interactions === 0) {
    const said = situationMessages(options.situation, question);
    const receipt = { budgetTokens, tokens: 0, used: [] };
    const forAll = { forSages: said, forChair: said, forReviewers: said };
    return { ...forAll, interactions: 0, receipt };
  }
  const reach = visibleReach(options.isOpenOutside, options.reach);
  const place = { scope: { threadId, reach }, isPrivate, isPrivateThread };
  const wanted = options.history === 'full' ? maxFullInteractions : interactions;
  const { before = Number.MAX_SAFE_INTEGER } = options;
  const limit = Math.max(wanted, chairTurns);
  const [recent, search, byPin] = await Promise.all([
    lastQuestions(messages, threadId, question, { limit, exceptTurnId: turnId, before }),
    // Without a search, the question needs no vector, which costs a call.
    options.memories === 0
      ? () => []
      : recollection.open({ ...place, text: question, language, embedder }),
    recollection.pinned(place, pins, messages),
  ]);
  const { compacted, exchanges, notCompacted } = await historyOf(
    lastPlaces(recent, wanted),
    options,
  );
  // A sage that was asked alone left no verdict, but perhaps a text that people want changed.
  const ofChair = lastPlaces(recent, chairTurns).map((one) =>
    exchangeOf(one, one.verdict ? 'summaries' : 'full', true, options.situation),
  );
  // Two pins may refer to the same memory.
  const pinnedByKey = new Map(Array.from(byPin.values(), (memory) => [memory.key, memory]));
  // Not those of which only a summary is told.
  const last = new Set([...exchanges, ...ofChair].map(({ id }) => id));
  const pinned = withNearestVerdicts(
    [...pinnedByKey.values()].filter(({ createdAt }) => createdAt < before),
    threadId,
    last,
  );
  const nearest = search(
    // Enough for both kinds, and for those that the history contains.
    4 * options.memories + spareMemories,
    (memory) =>
      memory.turnId === turnId ||
      memory.createdAt >= before ||
      pinnedByKey.has(memory.key) ||
      // Asked in this thread since, it waits for this turn to be answered.
      (memory.threadId === threadId && memory.role === 'human' && memory.createdAt > at),
  );
  const found = withNearestVerdicts(nearest, threadId, last, Math.min(1, chairTurns));
  const said = options.situation.heard?.messages.filter(({ text }) => text !== '') ?? [];
  const heard = new Set(said.map(({ at }) => at));
  /** Told word for word with what people said. */
  const isHeard = ({ threadId: of, role, createdAt, verdict }: Memory) =>
    of === threadId && role === 'human' && heard.has(createdAt) && verdict === undefined;
  const choiceBeside = (shown: readonly Shown[]) => {
    const isInHistory = containsWhenShown(exchanges, shown);
    const isTold = (memory: Memory) => isHeard(memory) || isInHistory(memory);
    return chooseMemories(found, isTold, options.memories);
  };
  const pastPiece = (id: string): MemoryPiece => ({ kind: 'question', threadId, id });
  const fitted = fitBudget(
    {
      pinned: pinned.map(candidate),
      compacted: compacted && { piece: pastPiece(compacted.id), text: textOf(compacted.forSages) },
      history: exchanges.map(({ id, forSages, inShort }) => ({
        piece: pastPiece(id),
        text: textOf(forSages),
        short: textOf(inShort),
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
  // Without recalled verdicts, by which sages may have answered: what is judged is what they wrote.
  const byPeople = (some: readonly Memory[]) =>
    some.filter(({ role }) => role === 'human').map(withoutVerdict);
  const told = (pins: readonly Memory[], others: readonly Memory[]) =>
    memoryMessages(pins, others, timeZone);
  const { inHistory, saidTwice } = choiceBeside(fitted.shown);
  const lastOfChair = ofChair.slice(ofChair.length - fitted.forChair.questions);
  const situation = situationMessages(options.situation, question, recent);
  return {
    forSages: [...told(kept, forSages), ...[...ofOlder, ...shown].flat(), ...situation],
    forChair: [
      ...told(kept, forChair),
      ...lastOfChair.flatMap((one) => one.forChair),
      ...situation,
    ],
    forChairAlone: [
      ...told(kept, forChair),
      ...lastOfChair.flatMap((one) => one.forSages),
      ...situation,
    ],
    forReviewers: [
      ...told(byPeople(kept), byPeople(forChair)),
      ...lastOfChair.flatMap((one) => one.forReviewers),
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

function candidate(memory: Memory): MemoryCandidate {
  const { kind, threadId, id } = memory;
  return { memory, piece: { kind, threadId, id }, text: memoryText(memory, 'UTC') }; // only counted
}

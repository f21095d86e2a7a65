/** Picks the memories that a prompt shows beside the history, and the verdicts that go with them. */

import type { ChatMessage } from '../../models/chat-model.ts';
import { type Memory, memoryKey, messageKeysOf } from '../memories.ts';
import { editedMark } from '../shards/windows.ts';
import type { Shown } from './context-budget.ts';
import type { Exchange } from './history.ts';

/** A verdict is as long as several other memories. */
const mostVerdicts = 3;

/**
 * Of memories, the verdicts of the first few questions, and of no more than `most` from the thread itself, whose
 * `last` questions have theirs in the history. Without questions that their thread asked again or took deeper: the
 * last verdict counts.
 */
export function withNearestVerdicts(
  nearest: readonly Memory[],
  threadId: string,
  last: ReadonlySet<string>,
  most = mostVerdicts,
): readonly Memory[] {
  const judged = nearest.filter(({ verdict }) => verdict !== undefined);
  const isOverruled = (memory: Memory) =>
    judged.some(
      (other) =>
        other.threadId === memory.threadId &&
        other.shown === memory.shown &&
        other.createdAt > memory.createdAt,
    );
  const current = nearest.filter((memory) => !isOverruled(memory));
  const untold = current.filter((memory) => judged.includes(memory) && !last.has(memory.id));
  const spare = new Set(untold.filter((memory) => memory.threadId === threadId).slice(most));
  const shown = new Set(untold.filter((memory) => !spare.has(memory)).slice(0, mostVerdicts));
  return current.map((memory) => (shown.has(memory) ? memory : withoutVerdict(memory)));
}

export function withoutVerdict({ verdict: _, ...memory }: Memory): Memory {
  return memory;
}

/**
 * Returns a predicate for the memories that the history contains. A question shown whole contains all its
 * messages; a shortened one contains only the text that is left.
 */
export function containsWhenShown(
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
 * Picks the nearest memories, at most so many of each kind, in turn, without repeats, without those that the
 * history contains, and without summaries of nothing but messages that are picked, unless a person corrected them.
 */
export function chooseMemories(
  found: readonly Memory[],
  isInHistory: (memory: Memory) => boolean,
  most: number,
): { readonly chosen: readonly Memory[]; readonly inHistory: number; readonly saidTwice: number } {
  let [inHistory, saidTwice] = [0, 0];
  const said = new Set<string>();
  const nearest = (kind: Memory['kind'], isSaid: (memory: Memory) => boolean) => {
    const ofKind: Memory[] = [];
    for (const memory of found) {
      if (memory.kind !== kind || ofKind.length >= most) continue;
      const plain = `${memory.shown.trim()}\n${memory.verdict ?? ''}`.toLowerCase();
      if (isInHistory(memory)) inHistory += 1;
      else if (said.has(plain) || isSaid(memory)) saidTwice += 1;
      else {
        said.add(plain);
        ofKind.push(memory);
      }
    }
    return ofKind;
  };
  const messages = nearest('message', () => false);
  const keys = new Set(messages.map(({ key }) => key));
  const shards = nearest(
    'shard',
    (shard) => shard.mark !== editedMark && messageKeysOf(shard).every((key) => keys.has(key)),
  );
  const chosen = Array.from({ length: most }, (_, at) => [messages[at], shards[at]])
    .flat()
    .filter((memory) => memory !== undefined);
  return { chosen, inHistory, saidTwice };
}

export function textOf(messages: readonly ChatMessage[]): string {
  return messages.map(({ content }) => content).join('\n');
}

/** The place from which memories are looked at, and what of its own channel is hidden there. */

import { channelOf } from '../domain/thread-id.ts';
import type { MemoryScope } from '../store/store.ts';
import type { Memory } from './memories.ts';

export interface MemoryPlace {
  readonly scope: MemoryScope;
  /**
   * Whether not everybody of the workspace can read the thread. Absent: its platform does not tell,
   * and has no threads that are more private than their channel.
   */
  readonly isPrivate?: boolean | undefined;
  /** Whether the thread has fewer readers than its channel. Absent: as many, as far as anybody knows. */
  readonly isPrivateThread?: boolean | undefined;
}

/**
 * A store gives a channel with its private threads, and each of these is visible only in itself. Nothing
 * private is visible from a public place or from another private thread. If anything in a channel is
 * public the channel is, so what is private in it was said in a private thread.
 *
 * @param all - What is remembered in the scope; looked at only from a private place.
 */
export function hiddenFrom(
  { scope: { threadId }, isPrivate, isPrivateThread = false }: MemoryPlace,
  all: () => Iterable<Memory>,
): (memory: Memory) => boolean {
  if (isPrivate === undefined) return () => false;
  if (isPrivate && !isPrivateThread && !isPublic(channelOf(threadId), all())) return () => false;
  return (memory) => memory.isPrivate && memory.threadId !== threadId;
}

function isPublic(channel: string, all: Iterable<Memory>): boolean {
  for (const memory of all) {
    if (!memory.isPrivate && channelOf(memory.threadId) === channel) return true;
  }
  return false;
}

/**
 * How far away memories may come from. Where outsiders may read along, nothing of other channels is
 * shown.
 */
export function reachWhere(
  isOpenOutside: boolean,
  reach: MemoryScope['reach'],
): MemoryScope['reach'] {
  return isOpenOutside && reach === 'workspace' ? 'channel' : reach;
}

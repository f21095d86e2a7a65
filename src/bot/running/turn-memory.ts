/** Recalls earlier messages for a turn's prompts. */

import type { Heard } from '../../domain/heard.ts';
import type { Log } from '../../domain/log.ts';
import type { Picture } from '../../domain/source.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import type { Forgetting } from '../../memory/forgetting/forget.ts';
import { compactWith } from '../../memory/recall/compaction.ts';
import {
  type ContextLimits,
  type ContextOptions,
  type RememberedContext,
  recallContext,
} from '../../memory/recall/context.ts';
import type { Recollection } from '../../memory/recall/recollection.ts';
import { type Store, StoreError } from '../../store/store.ts';
import type { TurnModels } from '../money/money.ts';
import type { Channel } from '../places/channels.ts';
import type { ShardLock, ShardWork } from '../summaries/shard-work.ts';

/** The memory that turns recall from and people inspect and correct. */
export interface TurnMemory {
  readonly limits: ContextLimits;
  readonly recollection: Recollection;
  /** Makes shards. Notified when turns begin and end. */
  readonly shards: Pick<ShardWork, 'begun' | 'ended'>;
  readonly lock: ShardLock;
  readonly forgetting: Pick<Forgetting, 'preview' | 'forget' | 'forgetLater'>;
}

/** A question, the channel whose settings apply to it, and its log. */
interface Recalling {
  readonly log: Log;
  readonly request: TurnRequest;
  readonly channel: Pick<Channel, 'settings' | 'pins'>;
  /** When the question was stored or is judged, in milliseconds since 1970. */
  readonly at: number;
  readonly heard?: Heard | undefined;
  readonly pictures?: readonly Picture[] | undefined;
  /** When a repeated question was first asked. Later messages are left out. */
  readonly before?: number | undefined;
}

const nothingRecalled = { interactions: 0 } as const;

/**
 * Recalls earlier messages for a question; none if one of them is damaged in the store. Throws what else the
 * store throws.
 */
export async function recallFor(
  { request, channel: { settings, pins }, log, at, heard, pictures, before }: Recalling,
  { compactor, embedder }: TurnModels,
  {
    store,
    memory,
  }: {
    readonly store: Pick<Store, 'messages'>;
    readonly memory: Pick<TurnMemory, 'limits' | 'recollection'>;
  },
  signal: AbortSignal,
): Promise<RememberedContext> {
  const options: ContextOptions = {
    ...memory.limits,
    ...(settings.memory ? {} : nothingRecalled),
    threadId: request.threadId,
    turnId: request.turnId,
    before: before ?? request.follows?.again?.firstAskedAt,
    question: request.question,
    situation: {
      at,
      timeZone: settings.timeZone,
      heard,
      pictures,
      asker: request.author.name,
      instructions: request.instructions,
    },
    isPrivate: request.isPrivate,
    isPrivateThread: request.isPrivateThread,
    pins,
    history: settings.history,
    reach: settings.memoryReach,
    isOpenOutside: request.isOpenOutside === true,
    language: settings.language,
    embedder,
    compact: compactWith(compactor, signal),
    onTrouble: (error, what) => log.warn({ error }, what),
  };
  const recalled = { messages: store.messages, recollection: memory.recollection };
  return recallContext(recalled, options).catch(async (error: unknown) => {
    if (!(error instanceof StoreError && error.reason === 'corrupt')) throw error;
    log.error({ error }, 'a question is answered without what was said before');
    const context = await recallContext(recalled, { ...options, ...nothingRecalled });
    return { ...context, receipt: { ...context.receipt, isDamaged: true } };
  });
}

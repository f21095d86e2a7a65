/** What a turn's prompts hold of earlier talk, and what is kept of the turn for later ones. */

import type { PastTurn } from '../../council/past-turn.ts';
import type { Heard } from '../../domain/heard.ts';
import type { Log } from '../../domain/log.ts';
import type { Picture } from '../../domain/source.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import type { Forgetting } from '../../memory/forgetting/forget.ts';
import { visibleReach } from '../../memory/memories.ts';
import { type CompactedThreads, compactWith } from '../../memory/recall/compaction.ts';
import {
  type ContextLimits,
  type RememberedContext,
  recallContext,
} from '../../memory/recall/context.ts';
import type { Recollection } from '../../memory/recall/recollection.ts';
import type { Store, TurnRecord } from '../../store/store.ts';
import type { TurnModels } from '../money/money.ts';
import type { Channel } from '../places/channels.ts';
import type { GatewayShardWatch, ShardLock } from '../summaries/shard-work.ts';

/** What turns recall with, and what people look into and correct. */
export interface TurnMemory {
  readonly limits: ContextLimits;
  readonly recollection: Recollection;
  /** Summaries of the older parts of long histories, as they were made. */
  readonly compacted: CompactedThreads;
  /** Told when turns begin and end, to make shards of them. */
  readonly shards: GatewayShardWatch;
  readonly lock: ShardLock;
  readonly forgetting: Pick<Forgetting, 'preview' | 'forget' | 'forgetLater'>;
}

/** A turn, the channel whose settings hold for it, and its log. */
interface Remembering {
  readonly log: Log;
  readonly record: TurnRecord;
  readonly past: PastTurn;
  readonly channel: Channel;
}

/** A question, the channel whose settings hold for it, and its log. */
interface Recalling {
  readonly log: Log;
  readonly request: TurnRequest;
  readonly channel: Pick<Channel, 'settings' | 'pins'>;
  /** When it was stored, or is judged, in milliseconds since 1970. */
  readonly at: number;
  readonly heard?: Heard | undefined;
  readonly pictures?: readonly Picture[] | undefined;
  /** When it was first asked, of one that is put again: what has been said since is no part of it. */
  readonly before?: number | undefined;
}

/** What the prompts of a turn hold of earlier talk. Throws what the store throws. */
export async function recallFor(
  { request, channel: { settings, pins }, log, at, heard, pictures, before }: Recalling,
  { compactor, embedder }: TurnModels,
  {
    store,
    memory,
  }: {
    readonly store: Pick<Store, 'messages'>;
    readonly memory: Pick<TurnMemory, 'limits' | 'recollection' | 'compacted'>;
  },
  signal: AbortSignal,
): Promise<RememberedContext> {
  return await recallContext(
    { messages: store.messages, recollection: memory.recollection },
    {
      ...memory.limits,
      ...(settings.memory ? {} : { interactions: 0 }),
      threadId: request.threadId,
      turnId: request.turnId,
      before: before ?? request.follows?.again?.firstAskedAt,
      question: request.question,
      situation: {
        ...{ at, timeZone: settings.timeZone, heard, pictures },
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
      compact: compactWith(compactor, signal, memory.compacted),
      onTrouble: (error, what) => log.warn({ error }, what),
    },
  );
}

/** Embeds an answer that was just stored, if there is an embedding model. */
export function embedAnswer(
  { record, past, channel }: Remembering,
  { recollection }: Pick<TurnMemory, 'recollection'>,
): void {
  const reach = visibleReach(past.request.isOpenOutside === true, channel.settings.memoryReach);
  recollection.embedSoon({ threadId: record.threadId, reach });
}

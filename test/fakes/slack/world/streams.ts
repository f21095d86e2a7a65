import type { Clock } from '../../discord/world/clock.ts';
import type { Chunk } from '../schema/chunks.ts';
import type { Message } from './records.ts';
import type { TaskDisplay } from './stream-content.ts';

/** A message that is being written. */
export interface Stream {
  readonly channel: string;
  readonly ts: string;
  readonly display: TaskDisplay;
  readonly startedAtMs: number;
  readonly chunks: readonly Chunk[];
}

/** The streams that are open. */
export interface Streams {
  open(stream: Stream): void;
  /** `undefined` for one that was stopped, that Slack closed, and for what never was one. */
  find(message: Message): Stream | undefined;
  append(stream: Stream, chunks: readonly Chunk[]): Stream;
  stop(stream: Stream): void;
  /** The open ones in some messages end, because a person pressed Slack's own Stop below their thread. */
  stopByPerson(messages: readonly Message[]): readonly Stream[];
  wasStoppedByPerson(message: Message): boolean;
  /** Slack closes every open stream. */
  closeAll(): void;
  /** How many are open. */
  count(): number;
}

/** Slack closes a stream some five minutes after its start; that is nowhere documented. */
export function createStreams(clock: Clock, closedAfterMs: number): Streams {
  const streams = new Map<string, Stream>();
  const stopped = new Set<string>();
  const key = ({ channel, ts }: { channel: string; ts: string }) => `${channel} ${ts}`;
  return {
    open: (stream) => streams.set(key(stream), stream),
    find: (message) => {
      const stream = streams.get(key(message));
      if (stream === undefined) return undefined;
      return clock.now() - stream.startedAtMs < closedAfterMs ? stream : undefined;
    },
    append: (stream, chunks) => {
      const longer = { ...stream, chunks: [...stream.chunks, ...chunks] };
      streams.set(key(stream), longer);
      return longer;
    },
    stop: (stream) => streams.delete(key(stream)),
    stopByPerson: (messages) =>
      messages.flatMap((message) => {
        const stream = streams.get(key(message));
        if (!stream) return [];
        stopped.add(key(message));
        streams.delete(key(message));
        return stream;
      }),
    wasStoppedByPerson: (message) => stopped.has(key(message)),
    closeAll: () => streams.clear(),
    count: () => streams.size,
  };
}

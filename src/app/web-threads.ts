/** Lists and searches the conversations of a channel, for one reader. */

import { LRUCache } from 'lru-cache';
import { partsOf } from '../domain/thread-id.ts';
import { folded } from '../domain/words.ts';
import { inBatches, ScopeCopy } from '../memory/pages.ts';
import type { WebThread } from '../platforms/web/question-fields.ts';
import type { ThreadsPage } from '../platforms/web/web-council.ts';
import type { RememberedMessage, Store } from '../store/store.ts';

/** Turns listed per conversation. */
const mostTurns = 50;
/** Limit for all channels together; the least recently used channel is dropped. */
const mostChars = 32_000_000;

interface ThreadStore {
  readonly turns: Pick<Store['turns'], 'list'>;
  readonly memories: Pick<Store['memories'], 'read'>;
}

/** The parts of a message that the list needs. */
interface CachedMessage {
  readonly threadId: string;
  readonly turnId: string | undefined;
  readonly createdAt: number;
  readonly agesFrom: number;
  readonly isPrivate: boolean;
  /** Absent if the message is not a question. */
  readonly question?: string;
  /** The whole content in lower case, for searching. */
  readonly text: string;
}

interface Thread {
  readonly threadId: string;
  readonly messages: readonly CachedMessage[];
  readonly askedAt: number;
}

/** Caches the newest 2,000 messages of each channel. A list reads only the changes since the previous one. */
export class WebThreads {
  readonly #store: ThreadStore;
  /** Wrapped, so that setting an entry again measures its size again. */
  readonly #channels = new LRUCache<string, { readonly copy: ScopeCopy<CachedMessage> }>({
    maxSize: mostChars,
    sizeCalculation: ({ copy }) => copy.messages.reduce((sum, { text }) => sum + text.length, 1),
  });

  constructor(store: ThreadStore) {
    this.#store = store;
  }

  /** A thread with private messages is listed only for its asker. */
  async list(
    channel: string,
    { search = '', before = Number.POSITIVE_INFINITY, limit }: ThreadsPage,
    reader: string,
  ): Promise<readonly WebThread[]> {
    const words = folded(search).split(/\s+/).filter(Boolean);
    const found = (await this.#read(channel))
      .filter(({ messages }) =>
        words.every((word) => messages.some(({ text }) => text.includes(word))),
      )
      .filter(({ askedAt }) => askedAt < before)
      .toSorted((one, other) => other.askedAt - one.askedAt);
    const shown: WebThread[] = [];
    for (const batch of inBatches(found, limit)) {
      shown.push(
        ...(await Promise.all(batch.map((thread) => this.#listed(thread, reader)))).flat(),
      );
      if (shown.length >= limit) break;
    }
    return shown.slice(0, limit);
  }

  /** @returns The thread; empty if it is private to another person or being forgotten. */
  async #listed(
    { threadId, messages, askedAt }: Thread,
    reader: string,
  ): Promise<readonly WebThread[]> {
    // Messages that are being forgotten may still be cached; their turns are hidden already.
    const headers = await this.#store.turns.list(threadId, { limit: mostTurns });
    const isPrivate = messages.some((message) => message.isPrivate);
    if (isPrivate && headers[0]?.askedBy !== reader) return [];
    const turnIds = headers.map(({ turnId }) => turnId);
    const [title] = messages
      .filter(({ turnId }) => turnIds.includes(turnId ?? ''))
      .toSorted((one, other) => one.createdAt - other.createdAt)
      .flatMap(({ question }) => question ?? []);
    const { thread } = partsOf(threadId);
    return title === undefined ? [] : [{ thread, title, askedAt, turnIds }];
  }

  async #read(channel: string): Promise<readonly Thread[]> {
    const copy = this.#channels.get(channel)?.copy ?? this.#copyOf(channel);
    await copy.update();
    this.#channels.set(channel, { copy });
    const threads = Map.groupBy(copy.messages, ({ threadId }) => threadId);
    return Array.from(threads, ([threadId, messages]) => {
      const askedAt = Math.max(...messages.map(({ createdAt }) => createdAt));
      return { threadId, messages, askedAt };
    });
  }

  #copyOf(channel: string): ScopeCopy<CachedMessage> {
    const scope = { threadId: `${channel}:`, reach: 'channel' } as const;
    return new ScopeCopy<CachedMessage>(this.#store.memories, scope, {
      ofMessage: (remembered) => cachedMessage(remembered, channel),
      ofShard: () => undefined,
    });
  }
}

/** What the list needs of a message; `undefined` for one of another channel. */
function cachedMessage(
  { message, agesFrom }: RememberedMessage,
  channel: string,
): CachedMessage | undefined {
  const { threadId, role, turnId, createdAt, isPrivate, content } = message;
  if (!threadId.startsWith(`${channel}:`)) return undefined;
  const question = role === 'human' && content.type === 'user_query' && content.text;
  return {
    threadId,
    turnId,
    createdAt,
    agesFrom,
    text: folded(JSON.stringify(content)),
    isPrivate: isPrivate === true,
    ...(typeof question === 'string' && { question }),
  };
}

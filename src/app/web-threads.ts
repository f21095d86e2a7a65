/** Lists and searches the conversations of a channel, for one reader. */

import { LRUCache } from 'lru-cache';
import { partsOf } from '../domain/thread-id.ts';
import { inBatches, ScopeReader } from '../memory/pages.ts';
import type { ThreadsPage, WebThread } from '../platforms/web/web-council.ts';
import {
  type Message,
  mostRemembered,
  type RememberedMessage,
  type Store,
} from '../store/store.ts';

/** Messages read at once. */
const pageSize = 500;
/** Turns listed per conversation. */
const mostTurns = 50;
/** Limit for all channels together, in UTF-16 code units; the least recently used channel is dropped. */
const mostChars = 32_000_000;

interface ThreadStore {
  readonly turns: Pick<Store['turns'], 'list'>;
  readonly memories: Pick<Store['memories'], 'read'>;
}

interface Thread {
  readonly threadId: string;
  readonly messages: readonly Message[];
  readonly askedAt: number;
}

/** Keeps the newest 2,000 messages of each channel. A list reads only the changes since the previous one. */
export class WebThreads {
  readonly #store: ThreadStore;
  readonly #channels = new LRUCache<string, ReturnType<typeof newestMessages>>({
    maxSize: mostChars,
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
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    const found = (await this.#read(channel))
      .filter(({ askedAt, messages }) => askedAt < before && areAllIn(messages, words))
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
    // Messages that are being forgotten may still be kept here; their turns are hidden already.
    const headers = await this.#store.turns.list(threadId, { limit: mostTurns });
    const isPrivate = messages.some((message) => message.isPrivate);
    if (isPrivate && headers[0]?.askedBy !== reader) return [];
    const turnIds = headers.map(({ turnId }) => turnId);
    const [title] = messages
      .filter(({ role, turnId }) => role === 'human' && turnIds.includes(turnId ?? ''))
      .toSorted((one, other) => one.createdAt - other.createdAt)
      .flatMap(({ content }) => (typeof content.text === 'string' ? content.text : []));
    const { thread } = partsOf(threadId);
    return title === undefined ? [] : [{ thread, title, askedAt, turnIds }];
  }

  async #read(channel: string): Promise<readonly Thread[]> {
    const kept = this.#channels.get(channel) ?? newestMessages(this.#store, channel);
    const { messages, chars } = await kept.read();
    // The cache doesn't measure a value again that it has already.
    this.#channels.delete(channel);
    this.#channels.set(channel, kept, { size: Math.max(1, chars) });
    return Array.from(
      Map.groupBy(messages, ({ threadId }) => threadId),
      ([threadId, messages]) => {
        const askedAt = Math.max(...messages.map(({ createdAt }) => createdAt));
        return { threadId, messages, askedAt };
      },
    );
  }
}

function areAllIn(messages: readonly Message[], words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const texts = messages.map(({ content }) => JSON.stringify(content).toLowerCase());
  return words.every((word) => texts.some((text) => text.includes(word)));
}

/** `read` brings a channel's messages up to date, and returns and measures them. Throws the store's errors. */
function newestMessages({ memories }: ThreadStore, channel: string) {
  /** In order of completion. */
  const kept = new Map<string, RememberedMessage & { readonly chars: number }>();
  const reader = new ScopeReader({
    ...{ store: memories, scope: { threadId: `${channel}:`, reach: 'channel' }, pageSize },
    copy: {
      clear: () => kept.clear(),
      apply({ messages }) {
        for (const one of messages) {
          const key = `${one.message.threadId} ${one.message.id}`;
          kept.delete(key);
          if (!one.message.threadId.startsWith(`${channel}:`)) continue;
          kept.set(key, { ...one, chars: JSON.stringify(one.message.content).length });
          const [oldest = ''] = kept.size > mostRemembered ? kept.keys() : [];
          kept.delete(oldest);
        }
      },
      dropExpired(keptSince) {
        for (const [key, { agesFrom }] of kept) if (agesFrom < keptSince) kept.delete(key);
      },
    },
  });
  return {
    async read() {
      await reader.update();
      const newest = [...kept.values()];
      const messages = newest.map(({ message }) => message);
      return { messages, chars: newest.reduce((sum, { chars }) => sum + chars, 0) };
    },
  };
}

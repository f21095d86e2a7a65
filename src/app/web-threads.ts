/** Lists and searches the conversations of a channel, for one reader. */

import { LRUCache } from 'lru-cache';
import { partsOf } from '../domain/thread-id.ts';
import { inBatches, ScopeReader } from '../memory/pages.ts';
import type { ReadBy, ThreadsPage, WebThread } from '../platforms/web/web-council.ts';
import { type Message, mostRemembered, type Store } from '../store/store.ts';

/** Turns listed per conversation. */
const mostTurns = 50;
/** Limit for all channels together; the least recently used channel is dropped. */
const mostChars = 32_000_000;

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
  readonly #store: Pick<Store, 'turns' | 'memories'>;
  readonly #channels = new LRUCache<string, Channel>({
    maxSize: mostChars,
    sizeCalculation: ({ chars }) => Math.max(1, chars),
  });

  constructor(store: Pick<Store, 'turns' | 'memories'>) {
    this.#store = store;
  }

  /** A thread with private messages is listed only for its asker. */
  async list(
    channel: string,
    { search = '', before = Number.POSITIVE_INFINITY, limit, reader }: ThreadsPage & ReadBy,
  ): Promise<readonly WebThread[]> {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
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
    return title === undefined ? [] : [{ threadId, thread, title, askedAt, turnIds }];
  }

  async #read(channel: string): Promise<readonly Thread[]> {
    const cached = this.#channels.get(channel) ?? new Channel(this.#store, channel);
    await cached.update();
    // Setting it again updates its size.
    this.#channels.set(channel, cached);
    const threads = Map.groupBy(cached.messages(), ({ threadId }) => threadId);
    return Array.from(threads, ([threadId, messages]) => {
      const askedAt = Math.max(...messages.map(({ createdAt }) => createdAt));
      return { threadId, messages, askedAt };
    });
  }
}

class Channel {
  readonly #channel: string;
  readonly #reader: ScopeReader;
  /** In order of completion. */
  readonly #messages = new Map<string, CachedMessage>();
  chars = 0;

  constructor(store: Pick<Store, 'memories'>, channel: string) {
    this.#channel = channel;
    const scope = { threadId: `${channel}:`, reach: 'channel' } as const;
    this.#reader = new ScopeReader(store.memories, scope, {
      clear: () => this.#clear(),
      apply: ({ messages }) => {
        for (const { message, agesFrom } of messages) this.#add(message, agesFrom);
      },
      dropExpired: (keptSince) => {
        for (const [key, { agesFrom }] of this.#messages) if (agesFrom < keptSince) this.#drop(key);
      },
    });
  }

  messages(): Iterable<CachedMessage> {
    return this.#messages.values();
  }

  /** Throws the store's errors. */
  update(): Promise<void> {
    return this.#reader.update();
  }

  #add(message: Message, agesFrom: number): void {
    const { threadId, id, role, turnId, createdAt, isPrivate, content } = message;
    const key = `${threadId} ${id}`;
    this.#drop(key);
    if (!threadId.startsWith(`${this.#channel}:`)) return;
    const question = role === 'human' && content.type === 'user_query' && content.text;
    const text = JSON.stringify(content).toLowerCase();
    this.#messages.set(key, {
      ...{ threadId, turnId, createdAt, agesFrom, text },
      isPrivate: isPrivate === true,
      ...(typeof question === 'string' && { question }),
    });
    this.chars += text.length;
    const [oldest = ''] = this.#messages.size > mostRemembered ? this.#messages.keys() : [];
    this.#drop(oldest);
  }

  #drop(key: string): void {
    this.chars -= this.#messages.get(key)?.text.length ?? 0;
    this.#messages.delete(key);
  }

  #clear(): void {
    this.#messages.clear();
    this.chars = 0;
  }
}

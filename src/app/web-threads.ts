/** The conversations of a channel, for one reader. */

import { LRUCache } from 'lru-cache';
import { partsOf } from '../domain/thread-id.ts';
import { inBatches, ScopeReader } from '../memory/pages.ts';
import type { ReadBy, ThreadsPage, WebThread } from '../platforms/web/web-council.ts';
import { type Message, mostRemembered, type Store } from '../store/store.ts';

/** Messages that are read of a channel at once. */
const pageSize = 500;
/** Turns of a conversation that are told with it. */
const mostTurns = 50;
/** Of all channels together; the one that was read longest ago makes room. */
const mostChars = 32_000_000;

/** What the list needs of a message. */
interface Said {
  readonly threadId: string;
  readonly turnId: string | undefined;
  readonly createdAt: number;
  readonly agesFrom: number;
  readonly isPrivate: boolean;
  /** What a person asked; absent: it is something else. */
  readonly question?: string;
  /** All of it in lower case, to be searched. */
  readonly text: string;
}

interface Thread {
  readonly threadId: string;
  readonly messages: readonly Said[];
  readonly askedAt: number;
}

/** The newest 2,000 messages of each channel, held in process: a list reads what has changed since the one before. */
export class WebThreads {
  readonly #store: Pick<Store, 'turns' | 'memories'>;
  readonly #channels = new LRUCache<string, Channel>({
    maxSize: mostChars,
    sizeCalculation: ({ chars }) => Math.max(1, chars),
  });

  constructor(store: Pick<Store, 'turns' | 'memories'>) {
    this.#store = store;
  }

  /** What was said privately in a channel is of a thread that is private to who asked. */
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
    for (const some of inBatches(found, limit)) {
      shown.push(...(await Promise.all(some.map((thread) => this.#told(thread, reader)))).flat());
      if (shown.length >= limit) break;
    }
    return shown.slice(0, limit);
  }

  /** Nothing: it is private to another person, or being forgotten. */
  async #told(
    { threadId, messages, askedAt }: Thread,
    reader: string,
  ): Promise<readonly WebThread[]> {
    // What is being forgotten is still among the messages, and not among the turns.
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
    const held = this.#channels.get(channel) ?? new Channel(this.#store, channel);
    await held.update();
    // Its size has changed.
    this.#channels.set(channel, held);
    const threads = Map.groupBy(held.messages(), ({ threadId }) => threadId);
    return Array.from(threads, ([threadId, messages]) => {
      const askedAt = Math.max(...messages.map(({ createdAt }) => createdAt));
      return { threadId, messages, askedAt };
    });
  }
}

class Channel {
  readonly #channel: string;
  readonly #reading: ScopeReader;
  /** In the order in which they were completed. */
  readonly #said = new Map<string, Said>();
  chars = 0;

  constructor(store: Pick<Store, 'memories'>, channel: string) {
    this.#channel = channel;
    this.#reading = new ScopeReader({
      ...{ store: store.memories, scope: { threadId: `${channel}:`, reach: 'channel' }, pageSize },
      copy: {
        clear: () => this.#clear(),
        apply: ({ messages }) => {
          for (const { message, agesFrom } of messages) this.#take(message, agesFrom);
        },
        dropExpired: (keptSince) => {
          for (const [key, { agesFrom }] of this.#said) if (agesFrom < keptSince) this.#drop(key);
        },
      },
    });
  }

  messages(): Iterable<Said> {
    return this.#said.values();
  }

  /** Throws what the store throws. */
  update(): Promise<void> {
    return this.#reading.update();
  }

  #take(message: Message, agesFrom: number): void {
    const { threadId, id, role, turnId, createdAt, isPrivate, content } = message;
    const key = `${threadId} ${id}`;
    this.#drop(key);
    if (!threadId.startsWith(`${this.#channel}:`)) return;
    const asked = role === 'human' && content.type === 'user_query' && content.text;
    const text = JSON.stringify(content).toLowerCase();
    this.#said.set(key, {
      ...{ threadId, turnId, createdAt, agesFrom, text },
      isPrivate: isPrivate === true,
      ...(typeof asked === 'string' && { question: asked }),
    });
    this.chars += text.length;
    const [oldest = ''] = this.#said.size > mostRemembered ? this.#said.keys() : [];
    this.#drop(oldest);
  }

  #drop(key: string): void {
    this.chars -= this.#said.get(key)?.text.length ?? 0;
    this.#said.delete(key);
  }

  #clear(): void {
    this.#said.clear();
    this.chars = 0;
  }
}

/** What a process knows of threads in Slack by their events. */

import { LRUCache } from 'lru-cache';
import { messageEventSchema, type Said } from './said-message.ts';

const maxThreads = 500;
/** Older messages are dropped; the thread is then incomplete. */
const maxInThread = 200;

/** Keeps the messages of recent threads from their events, because reading a thread may be limited to one call a minute. */
export class RecentThreads {
  /** By workspace, channel and thread; messages by `ts`. */
  readonly #threads = new LRUCache<string, Map<string, Said>>({ max: maxThreads });

  /** @param event - Of type `message` or `app_mention`; others are ignored. */
  note(team: string, event: unknown): void {
    const read = messageEventSchema.safeParse(event).data;
    if (!read) return;
    if ('deleted_ts' in read) {
      const { deleted_ts: ts, previous_message: previous, channel } = read;
      this.#threads.get(keyOf(team, channel, previous?.thread_ts ?? ts))?.delete(ts);
      return;
    }
    const said = 'message' in read ? read.message : read;
    const key = keyOf(team, read.channel, said.thread_ts ?? said.ts);
    const thread = this.#threads.get(key) ?? new Map<string, Said>();
    const isKnown = thread.has(said.ts);
    if (said.subtype === 'tombstone') thread.delete(said.ts);
    // An edit of an unknown message would appear without its thread. A mention may follow its message.
    else if ('message' in read ? isKnown : !isKnown || said.type !== 'app_mention') {
      thread.set(said.ts, said);
    }
    const [oldest] = thread.keys();
    if (thread.size > maxInThread && oldest !== undefined) thread.delete(oldest);
    if (thread.size > 0) this.#threads.set(key, thread);
  }

  /** Drops everything: messages were missed, so no thread is known to be whole. */
  clear(): void {
    this.#threads.clear();
  }

  /** Drops the threads of a channel that the app joined: it missed what was said before. */
  forget(team: string, channel: string): void {
    const itsThreads = keyOf(team, channel, '');
    for (const key of [...this.#threads.keys()]) {
      if (key.startsWith(itsThreads)) this.#threads.delete(key);
    }
  }

  /** Returns the known messages of a thread, and whether they are all of it. */
  of(
    team: string,
    channel: string,
    thread: string,
  ): { readonly said: readonly Said[]; readonly isWhole: boolean } {
    const known = this.#threads.get(keyOf(team, channel, thread)) ?? new Map<string, Said>();
    const first = known.get(thread);
    // An app that gets no messages here, for lack of a scope, gets mentions alone.
    const isWhole = first !== undefined && first.type !== 'app_mention';
    return { said: [...known.values()], isWhole };
  }
}

function keyOf(...parts: readonly string[]): string {
  return parts.join(' ');
}

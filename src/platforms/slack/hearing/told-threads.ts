/** What was said in threads while this process listened: read from there first, because Slack is asked sparingly. */

import { LRUCache } from 'lru-cache';
import { messageEventSchema, type Said } from './said-message.ts';

const mostThreads = 500;
/** Of a longer thread the oldest are not known any more, and it is not whole. */
const mostInThread = 200;

export class ToldThreads {
  /** By workspace, channel and thread; messages by `ts`. */
  readonly #threads = new LRUCache<string, Map<string, Said>>({ max: mostThreads });

  /** @param event - Of type `message` or `app_mention`; whatever else it is, is passed over. */
  told(team: string, event: unknown): void {
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
    if (said.subtype === 'tombstone') thread.delete(said.ts);
    // An edit of what was not heard would stand alone.
    else if (!('message' in read) || thread.has(said.ts)) thread.set(said.ts, said);
    const [oldest] = thread.keys();
    if (thread.size > mostInThread && oldest !== undefined) thread.delete(oldest);
    if (thread.size > 0) this.#threads.set(key, thread);
  }

  /** What is known of a thread, and whether that is all of it. */
  of(team: string, channel: string, thread: string) {
    const known = this.#threads.get(keyOf(team, channel, thread)) ?? new Map<string, Said>();
    return { said: [...known.values()], isWhole: known.has(thread) };
  }
}

function keyOf(...parts: readonly string[]): string {
  return parts.join(' ');
}

/** How a follow-up is asked: where every message is one, and how people are told. */

import type { FollowUpMode } from '../../settings/file-table.ts';
import { followUpNote } from '../chat/asking/asking-words.ts';
import { type DiscordPlace, directMessages, readThreadId } from './thread-id.ts';

export interface FollowUpsOptions {
  /** Messages come with their text, also where the bot is not mentioned. */
  readonly readsContent: () => Promise<boolean>;
  /** The council has opened this thread, or is about to. */
  readonly isOwnThread: (thread: string) => Promise<boolean>;
}

export class FollowUps {
  readonly #options: FollowUpsOptions;

  constructor(options: FollowUpsOptions) {
    this.#options = options;
  }

  /** For a card: which of the two ways to ask a follow-up holds where it stands. */
  async noteFor(threadId: string, mode: FollowUpMode): Promise<string> {
    const place = readThreadId(threadId);
    const isDirect = place.guild === directMessages;
    const isHeard = !isDirect && (await this.#isFree(mode)) && (await this.#isOwnThread(place));
    const where = isDirect ? 'direct message' : isHeard ? 'thread' : 'elsewhere';
    return followUpNote({ where, mode, canReply: true });
  }

  /** For the help: all the ways to ask here beside commands. */
  async waysIn(threadId: string, mode: FollowUpMode): Promise<string> {
    const place = readThreadId(threadId);
    if (place.guild === directMessages) {
      return 'Here you can also simply write to me. Reply to what a sage has said to hear it alone.';
    }
    const next = (await this.#isFree(mode))
      ? `In a thread that I have opened ${mode === 'asked' ? 'I answer what ends as a question' : 'every message is the next question'}`
      : 'In a thread, mention me again for the next question';
    return `You can also mention me with a question, write to me directly, or choose **Apps → Ask the council** in the menu of a message. ${next}; reply to what a sage has said to hear it alone.`;
  }

  async #isFree(mode: FollowUpMode): Promise<boolean> {
    return mode !== 'mention' && (await this.#options.readsContent());
  }

  async #isOwnThread({ channel, thread }: DiscordPlace): Promise<boolean> {
    return thread !== channel && (await this.#options.isOwnThread(thread));
  }
}

/** How a follow-up is asked: where every message is one, and how people are told. */

import type { Client } from 'discord.js';
import type { Ingress } from '../platform.ts';
import { type DiscordPlace, directMessages, placeOf, readThreadId } from './thread-id.ts';

export interface FollowUpsOptions {
  readonly ingress: Pick<Ingress, 'settings'>;
  /** Messages come with their text, also where the bot is not mentioned. */
  readonly readsContent: () => boolean;
  readonly client: Client;
}

export class FollowUps {
  readonly #options: FollowUpsOptions;

  constructor(options: FollowUpsOptions) {
    this.#options = options;
  }

  /** For a card: which of the two ways to ask a follow-up holds where it stands. */
  async noteFor(threadId: string): Promise<string> {
    const place = readThreadId(threadId);
    if (place.guild === directMessages) return 'Write on to ask a follow-up.';
    return this.#isOwnThread(place) && (await this.#isFree(place))
      ? 'Every message in the thread is a follow-up. Begin with a sage’s name, or reply to it, to hear it alone.'
      : 'Mention me here to ask a follow-up.';
  }

  /** For the help: all the ways to ask here beside commands. */
  async waysIn(threadId: string): Promise<string> {
    const place = readThreadId(threadId);
    if (place.guild === directMessages) {
      return 'Here you can also simply write to me. Reply to what a sage has said to hear it alone.';
    }
    const next = (await this.#isFree(place))
      ? 'In a thread that I have opened every message is the next question'
      : 'In a thread, mention me again for the next question';
    return `You can also mention me with a question, write to me directly, or choose **Apps → Ask the council** in the menu of a message. ${next}; reply to what a sage has said to hear it alone.`;
  }

  async #isFree(place: DiscordPlace): Promise<boolean> {
    const { ingress, readsContent } = this.#options;
    if (!readsContent()) return false;
    const { followUpMode } = await ingress.settings(placeOf(place));
    return followUpMode === 'every_message';
  }

  /** Of the council's own threads; one that is not known yet is about to be opened for the turn. */
  #isOwnThread({ channel, thread }: DiscordPlace): boolean {
    const { client } = this.#options;
    if (thread === channel) return false;
    const known = client.channels.cache.get(thread);
    return !known?.isThread() || known.ownerId === client.user?.id;
  }
}

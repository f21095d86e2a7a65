/** The first answer to an interaction: Discord takes exactly one, and its word on that can get lost. */

import { DiscordAPIError } from 'discord.js';

/** Discord's code for an interaction that has its first answer. */
const alreadyAcknowledged = 40060;
/** Discord waits 3 s for the answer, so there is no time to wait between two tries. */
const mostTries = 3;

/** What became of an answer. */
export type FirstAnswer<Result> =
  | { readonly status: 'given'; readonly result: Result }
  /** It is there, but what Discord said to it is lost. */
  | { readonly status: 'unconfirmed' }
  /** Somebody gave one before: the same interaction was delivered twice. */
  | { readonly status: 'given before' };

/**
 * Gives the first answer, again when nothing comes back.
 *
 * @param answer - Called up to three times.
 * @throws What `answer` throws, when Discord refuses it or can't be reached.
 */
export async function answerOnce<Result>(
  answer: () => Promise<Result>,
): Promise<FirstAnswer<Result>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return { status: 'given', result: await answer() };
    } catch (error) {
      if (isAnsweredAlready(error)) {
        return { status: attempt === 1 ? 'given before' : 'unconfirmed' };
      }
      if (error instanceof DiscordAPIError || attempt === mostTries) throw error;
    }
  }
}

/** Whether Discord refuses an answer because there is one. */
export function isAnsweredAlready(error: unknown): boolean {
  return error instanceof DiscordAPIError && error.code === alreadyAcknowledged;
}

/** What the app is doing, below the thread, until it says something. Worth a call, and no more: it holds nothing up. */

import type { Log } from '../../../domain/log.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { setStatus } from '../api/streams.ts';
import { SlackRefusal } from '../slack-error.ts';
import type { SlackPlace } from '../thread-id.ts';

interface Status {
  readonly words: string;
  readonly loadingMessages: readonly string[];
}

export class StatusLine {
  readonly #api: SlackApi;
  readonly #place: SlackPlace;
  readonly #log: Log;
  #waiting: Status | undefined;
  #sending: Promise<void> | undefined;
  #isRefused = false;
  #isShown = false;

  constructor(api: SlackApi, place: SlackPlace, log: Log) {
    this.#api = api;
    this.#place = place;
    this.#log = log;
  }

  /**
   * Shows this soon; of several at once only the last.
   *
   * @param words - To follow the app's name, e.g. `is seating the sages`.
   */
  show(words: string, loadingMessages: readonly string[] = []): void {
    if (this.#isRefused) return;
    this.#waiting = { words, loadingMessages };
    this.#sending ??= this.#send();
  }

  /** Resolves when nothing is shown any more. */
  async clear(): Promise<void> {
    await this.#sending;
    if (!this.#isShown) return;
    this.show('');
    await this.#sending;
  }

  async #send(): Promise<void> {
    for (let next = this.#waiting; next; next = this.#waiting) {
      this.#waiting = undefined;
      try {
        await setStatus(this.#api, this.#place, next.words, next.loadingMessages);
        this.#isShown = next.words !== '';
      } catch (error) {
        // Where it is not allowed it is not asked for again; anything else passes.
        if (error instanceof SlackRefusal) {
          this.#isRefused = true;
          this.#waiting = undefined;
        }
        this.#log.info({ channel: this.#place.channel, error }, 'a status could not be shown');
      }
    }
    this.#sending = undefined;
  }
}

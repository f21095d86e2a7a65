/** What the app is doing, below the thread, until it says something. Worth a call, and no more: it holds nothing up. */

import type { Log } from '../../../domain/log.ts';
import type { TurnRequest } from '../../../domain/turn.ts';
import type { Personas } from '../../chat/show/personas.ts';
import type { TurnProgress } from '../../chat/show/turn-progress.ts';
import { excerpt } from '../../chat/text/split-markdown.ts';
import { unseenSpace, visibleName } from '../../chat/text/visible-text.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { setStatus, setTitle } from '../api/streams.ts';
import { readThreadId, type SlackPlace } from '../place.ts';
import { SlackRefusal } from '../slack-error.ts';
import { nameOf } from './persona.ts';

/** What follows the app's name, and what is shown by turns while nothing changes; no words: no status. */
type Status = readonly [words: string, loadingMessages: readonly string[]];

const maxNames = 3;

export class StatusLine {
  readonly #api: SlackApi;
  readonly #place: SlackPlace;
  readonly #log: Log;
  /** What is to be shown; absent: nothing is, and nothing need be sent for it. */
  #wanted: Status | undefined;
  #sent: Status | undefined;
  #sending: Promise<void> | undefined;
  #isRefused = false;

  constructor(api: SlackApi, place: SlackPlace, log: Log) {
    this.#api = api;
    this.#place = place;
    this.#log = log;
  }

  /** Shows soon what a turn is doing; of several at once only the last. */
  show(progress: TurnProgress, personas: Personas): void {
    this.#show(statusOf(progress, personas));
  }

  /**
   * The app is about to say something in the thread: Slack takes the status away with it.
   *
   * @returns To be called when it is said. A status that was sent meanwhile may have come after it.
   */
  saying(): () => void {
    const before = this.#sent;
    return () => {
      if (this.#sent !== before) return;
      if (this.#wanted === before) this.#wanted = undefined;
      this.#sent = undefined;
    };
  }

  /** Resolves when nothing is shown any more. */
  async clear(): Promise<void> {
    await this.#sending;
    if (this.#wanted) this.#show(['', []]);
    await this.#sending;
  }

  #show(status: Status): void {
    if (this.#isRefused || isSame(status, this.#wanted)) return;
    this.#wanted = status;
    this.#sending ??= this.#send();
  }

  async #send(): Promise<void> {
    for (let next = this.#wanted; next && next !== this.#sent; next = this.#wanted) {
      this.#sent = next;
      try {
        await setStatus(this.#api, this.#place, ...next);
      } catch (error) {
        // Where it is not allowed it is not asked for again; anything else passes.
        if (error instanceof SlackRefusal) {
          this.#isRefused = true;
          this.#wanted = undefined;
        }
        this.#log.info({ channel: this.#place.channel, error }, 'a status could not be shown');
      }
    }
    this.#sending = undefined;
  }
}

/** The words tell all that the messages beside them do. */
function isSame([words]: Status, other: Status | undefined): boolean {
  return words === other?.[0];
}

/** What a turn is doing. */
function statusOf({ stage, seats, seated }: TurnProgress, personas: Personas): Status {
  const names = seats.map(({ sage }) => inert(nameOf(sage.key, personas)));
  switch (stage) {
    case undefined:
    case 'moderator':
      return names.length === 0
        ? ['is seating the sages…', ['Reads the question…', 'Chooses who fits…']]
        : [`is seating ${listed(names)}…`, names.map((name) => `Seats ${name}…`)];
    case 'sages':
      return seated
        ? [`is hearing ${listed(names)}…`, names.map((name) => `${name} thinks…`)]
        : [`is seating ${listed(names)}…`, names.map((name) => `Seats ${name}…`)];
    case 'reviews':
      return ['is reviewing the answers…', ['The sages review each other, blind…']];
    case 'docket':
      return ['is looking for contradictions…', ['Compares the answers…']];
    case 'rebuttals':
      return ['is hearing the parties again…', ['Those who disagree answer each other…']];
    case 'second_ballots':
      return ['is voting again…', ['The sages vote again, in secret…']];
    case 'verdict':
      return ['is weighing it all…', ['The chair weighs it all…']];
  }
}

/** Whether Slack reads its own marks here is not known, and an escape would be seen if it does not. */
function inert(name: string): string {
  return name.replaceAll('<', `<${unseenSpace}`);
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).join(', ');
  const more = names.length - maxNames;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** More of a question does not fit into the list of the pane. */
const longestTitle = 100;

/** Names a thread of the agent pane after its question. Worth a call, and no more: never throws. */
export async function entitle(
  api: SlackApi,
  { turnId, threadId, question }: TurnRequest,
  log: Log,
): Promise<void> {
  try {
    const title = visibleName(excerpt(question, longestTitle));
    await setTitle(api, readThreadId(threadId), title);
  } catch (error) {
    log.info({ turnId, error }, 'a thread could not be given its title');
  }
}

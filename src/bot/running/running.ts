/** The turns that this process runs, of those that the queue hands over. */

import { setTimeout as wait } from 'node:timers/promises';
import type { TurnEvent } from '../../council/events.ts';
import { endOf, type PastTurn, readPastTurn, replayTurn } from '../../council/past-turn.ts';
import { describeHeard } from '../../domain/heard.ts';
import { partsOf } from '../../domain/thread-id.ts';
import type { Platform, PresentedTurn } from '../../platforms/platform.ts';
import { type QueuedTurn, TakenOverError } from '../../queue/queue.ts';
import type { TurnRecord } from '../../store/store.ts';
import { within } from '../../waiting.ts';
import type { BotParts } from '../parts.ts';
import { readChannel } from '../places/channels.ts';
import { Halts } from './held-turn.ts';
import { concludedTurn, forgettingOf, platformOf, presentedTurn } from './presented-turn.ts';
import { TurnRun } from './turn-run.ts';

/** How long a request of a process that was halted may take to arrive after it has woken, in milliseconds. */
const arrivingMs = 1000;
/** How long a platform that is away is waited for, to show an end again, in milliseconds. */
const longestShowingMs = 30_000;
/** How long a command waits for a slow store; after that it reads the turn as stored. In milliseconds. */
const longestWaitMs = 500;

export class Running {
  readonly #parts: BotParts;
  readonly #halts = new Halts();
  /** By thread: one turn of a thread runs at a time. */
  readonly #running = new Map<string, { readonly run: TurnRun; readonly done: Promise<unknown> }>();

  constructor(parts: BotParts) {
    this.#parts = parts;
  }

  /**
   * Runs a turn to its end, see {@link TurnRun.run}, and listens for requests to stop or forget it.
   *
   * @throws {NotConnectedError} when the turn belongs to a platform that this process has no token for.
   */
  async run(queued: QueuedTurn, shutdown: AbortSignal): Promise<'ended' | 'left'> {
    const { platforms, stops, money } = this.#parts;
    const { threadId, turnId } = queued;
    const platform = platformOf(threadId, platforms);
    if (!platform) throw new NotConnectedError(threadId);
    const run = new TurnRun(queued, platform, this.#halts, this.#parts);
    using watches = new DisposableStack();
    watches.defer(await stops.watch(turnId, () => run.stop()));
    watches.defer(await stops.watch(forgettingOf(turnId), () => run.forget()));
    const done = run.run(shutdown);
    this.#running.set(threadId, { run, done: done.catch(() => undefined) });
    const outcome = await done.finally(() => this.#running.delete(threadId));
    if (outcome === 'ended') await money.release(turnId);
    else if (!shutdown.aborted || shutdown.reason instanceof TakenOverError)
      await this.#showEnd(queued, platform);
    return outcome;
  }

  /** Waits until a turn that people have seen end in this thread has ended in the store, too. */
  async settled(threadId: string): Promise<void> {
    const running = this.#running.get(threadId);
    if (!running?.run.hasShownEnd) return;
    await within(running.done, { ms: longestWaitMs });
  }

  /** Tells people that a turn could not be run, and gives back the money and the place that it held. */
  async putAside(turn: QueuedTurn): Promise<void> {
    const { log, money } = this.#parts;
    await this.#tellPutAside(turn).catch((error: unknown) => {
      log.warn(
        { ...turn, error },
        'the person who asked could not be told that their turn failed for good',
      );
    });
    await money.release(turn.turnId).catch((error: unknown) => {
      log.warn({ ...turn, error }, 'a turn that failed for good keeps its post for a day');
    });
  }

  /** Call it when no more turns run. */
  stop(): void {
    this.#halts.stop();
  }

  async #tellPutAside(queued: QueuedTurn): Promise<void> {
    const { platforms, store } = this.#parts;
    const platform = platformOf(queued.threadId, platforms);
    const record = platform && (await store.turns.read(queued));
    if (!record) return;
    const turn = await this.#presented(record, readPastTurn(record));
    const { signal } = new AbortController();
    await platform.present(turn, told(putAside), signal);
  }

  /**
   * Draws a turn once more as it ended under another process: what this one had on its way, e.g. when it was
   * halted, may have overwritten that. While the turn goes on, the other draws it anyway. Never throws.
   */
  async #showEnd(queued: QueuedTurn, platform: Platform): Promise<void> {
    const { store, log } = this.#parts;
    try {
      await wait(arrivingMs);
      const record = await store.turns.read(queued);
      if (record?.status !== 'ended') return;
      const past = readPastTurn(record);
      const turn = await this.#presented(record, past);
      const heard: TurnEvent[] = past.heard
        ? [{ type: 'heard', heard: describeHeard(past.heard) }]
        : [];
      const events = [...heard, ...replayTurn(past, endOf(past, record.outcome))];
      const signal = AbortSignal.timeout(longestShowingMs);
      await platform.present({ ...turn, isAlreadyShown: true }, told(events), signal);
      const isUsed = past.followed.length > 0 || past.posted !== undefined;
      const verdict = isUsed ? concludedTurn(past) : undefined;
      if (verdict) await platform.redraw(verdict);
    } catch (error) {
      log.warn({ ...queued, error }, 'what shows a turn may be older than what came of it');
    }
  }

  /** A turn that no process runs any more. */
  async #presented(record: TurnRecord, past: PastTurn): Promise<PresentedTurn> {
    const { channel } = await readChannel(this.#parts, record.threadId);
    const turn = presentedTurn(this.#parts.store, record, past, channel.settings);
    return { ...turn, isResumed: true };
  }
}

async function* told(events: readonly TurnEvent[]): AsyncGenerator<TurnEvent> {
  yield* events;
}

/** The end that people see of a turn that could not be run. */
const putAside: readonly TurnEvent[] = [
  {
    type: 'ended',
    end: {
      outcome: 'failed',
      explanation:
        'The council could not start on this question, though it tried several times. Its operator has been told.',
    },
  },
];

/** A turn of a platform that this process has no token for. */
class NotConnectedError extends Error {
  override readonly name = 'NotConnectedError';
  constructor(threadId: string) {
    const { platform } = partsOf(threadId);
    super(
      `This process has no access to “${platform}”. Give every worker what the gateways have in their environment.`,
    );
  }
}

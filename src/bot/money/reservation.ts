/** What is held for work that calls models: one of the hour's places, what it may cost, and what its calls have cost so far. */

import type { Log } from '../../domain/log.ts';
import { channelOf } from '../../domain/thread-id.ts';
import type { CallUsage } from '../../models/chat-model.ts';
import type { Quotas } from '../../queue/quotas.ts';
import { Notes, type SettingsStore, type Store } from '../../store/store.ts';
import type { CallCosts } from './call-costs.ts';
import { type Bill, type Payer, RefusedError, thisQuestion } from './claims.ts';

const hourMs = 60 * 60 * 1000;

/** One of the hour's, which was free. */
export interface HourlyPlace {
  /** Keeps it in the store, which tells when the next is free, and outlives a process that works alone. */
  keep(): Promise<void>;
  /** Gives it back, when nothing came of it. */
  release(): Promise<void>;
}

const unlimited: HourlyPlace = { keep: async () => undefined, release: async () => undefined };

/** When a person had models called in a channel: by what they asked for, in milliseconds since 1970. */
function hourlyNotes({ threadId, userId }: Asker, settings: SettingsStore, now = 0) {
  const scope = `rate:${channelOf(threadId)}:${userId}`;
  return { scope, notes: new Notes(settings, scope, { now: () => now, keptMs: hourMs }) };
}

type Asker = Pick<Payer, 'threadId' | 'userId'>;

/** When a person had models called in this channel, in milliseconds since 1970; what is over an hour ago may be missing. */
export async function timesAsked(
  asker: Asker,
  settings: SettingsStore,
): Promise<readonly number[]> {
  if (asker.userId === undefined) return [];
  const asked = await hourlyNotes(asker, settings).notes.list();
  return [...asked.values()].filter((time) => typeof time === 'number');
}

interface HourlyOptions extends Pick<Bill, 'what' | 'now'> {
  readonly store: { readonly settings: SettingsStore };
  readonly quotas: Quotas;
  /** See {@link timesAsked}. */
  readonly asked: readonly number[];
  /** Whom the place is for, e.g. a turn's id. */
  readonly holder: string;
}

/**
 * Takes one of the places that a person has in an hour.
 *
 * @throws {RefusedError} when the person has asked as often as the limit says.
 */
export async function takeHourlyPlace(
  payer: Payer,
  { store, quotas, asked, holder, now, what }: HourlyOptions,
): Promise<HourlyPlace> {
  const limit = payer.settings.questionsPerUserPerHour;
  if (payer.userId === undefined || limit === 'unlimited') return unlimited;
  const recent = asked.filter((askedAt) => askedAt > now - hourMs);
  if (recent.length >= limit) throw new RefusedError(refusal(recent, limit, now, what));
  const { scope, notes } = hourlyNotes(payer, store.settings, now);
  // Of its own: what else is held is given back when the work has ended.
  const hourly = `asked:${holder}`;
  // Counted in one step, so that of many at once none slips past.
  const taken = await quotas.take(hourly, [{ name: scope, amount: 1, limit }], hourMs);
  if (taken.status === 'refused') {
    // Those that are not stored yet were asked in this moment.
    const others = Array<number>(limit - recent.length).fill(now);
    throw new RefusedError(refusal([...recent, ...others], limit, now, what));
  }
  return { keep: () => notes.put({ [holder]: now }), release: () => quotas.release(hourly) };
}

function refusal(times: readonly number[], limit: number, now: number, what: string): string {
  // Of more than the limit, as after it was lowered, several must expire first.
  const [freesAt = now] = times.toSorted((one, other) => one - other).slice(times.length - limit);
  const freeAt = freesAt + hourMs;
  const minutes = Math.max(1, Math.ceil((freeAt - now) / 60_000));
  const clock = new Date(freeAt).toISOString().slice(11, 16);
  return (
    `One person may ask ${limit === 1 ? 'one question' : `${limit} questions`} an hour in this channel, and you have. ` +
    `${what === thisQuestion ? '' : 'Drafts and minutes count as questions. '}` +
    `The next is free in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, at ${clock} UTC.`
  );
}

/** A turn that is stored is run to its end, which gives back what it holds; this is for what nobody foresees. */
const turnMs = 86_400_000;
/**
 * While work goes on, what was spent is stored so often at most, in milliseconds: each time is a command
 * or two of the store, and what the work may cost is set aside as long as it lasts.
 */
const settleEveryMs = 2000;

export interface ReservationOptions {
  readonly store: Pick<Store, 'spend'>;
  readonly quotas: Quotas;
  readonly costs: CallCosts;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Names of the purses that pay. */
  readonly purses: readonly string[];
  /** Under which it is held, e.g. a turn's id. */
  readonly holder: string;
  /** Absent: the work was handed over to whoever has this now. */
  readonly place?: HourlyPlace;
}

/**
 * Disposing of it stores what was spent and gives everything back, unless the work was handed over. It
 * never rejects: what was paid is paid, whatever the store says, and a process that dies or can't give
 * back holds nothing for longer than its lease.
 */
export class Reservation implements AsyncDisposable {
  readonly #options: ReservationOptions;
  #isHandedOver: boolean;
  /** A model was called: the hour's place is used, whatever came of the call. */
  #isUsed = false;
  /** Spent, and on its way to no store yet. */
  #owedUsd = 0;
  #settled: Promise<unknown> = Promise.resolve();
  #settledAt = Number.NEGATIVE_INFINITY;

  constructor(options: ReservationOptions) {
    this.#options = options;
    this.#isHandedOver = options.place === undefined;
  }

  /** Counts a call. */
  count(call: CallUsage): void {
    this.#isUsed = true;
    this.#owedUsd += this.#options.costs.ofCall(call);
  }

  /** As {@link settle}, unless that was done in the last two seconds: a death loses no more than these. */
  settleSometimes(): void {
    if (this.#options.now() - this.#settledAt >= settleEveryMs) void this.settle();
  }

  /** Takes what was counted so far out of the purses. What can't be stored is owed until the next time. */
  async settle(): Promise<void> {
    const { store, purses, log, now } = this.#options;
    const usd = this.#owedUsd;
    this.#owedUsd = 0;
    if (usd > 0) {
      this.#settledAt = now();
      const stored = store.spend(purses, usd).catch((error: unknown) => {
        this.#owedUsd += usd;
        log.warn({ error, purses }, 'what was spent is not counted yet: the store failed');
      });
      this.#settled = Promise.all([this.#settled, stored]);
    }
    await this.#settled;
  }

  /** Holds everything for a turn that is stored by now, until that has ended, in whichever process. */
  async handOver(): Promise<void> {
    const { quotas, holder, place, log } = this.#options;
    this.#isHandedOver = true;
    const kept = place?.keep().catch((error: unknown) => {
      log.warn({ error, holder }, 'a question was not counted: the store failed');
    });
    await Promise.all([quotas.keep(holder, turnMs), kept]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { quotas, holder, place, log } = this.#options;
    await this.settle();
    if (this.#isHandedOver) return;
    const given = [this.#isUsed ? place?.keep() : place?.release(), quotas.release(holder)];
    for (const result of await Promise.allSettled(given)) {
      if (result.status === 'fulfilled') continue;
      log.warn({ error: result.reason, holder }, 'what was held stays held until its lease ends');
    }
  }
}

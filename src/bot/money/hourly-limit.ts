/** How often one person may have models called in a channel within an hour. */

import { channelOf } from '../../domain/thread-id.ts';
import type { Quotas } from '../../queue/quotas.ts';
import type { SettingsStore, StoredSettings } from '../../store/store.ts';
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

/**
 * Name of the store's scope that holds when somebody asked in a channel: by what they asked for, in
 * milliseconds since 1970.
 */
export function hourlyScope({ threadId, userId }: Pick<Payer, 'threadId' | 'userId'>): string {
  return `rate:${channelOf(threadId)}:${userId}`;
}

interface HourlyOptions extends Pick<Bill, 'what' | 'now'> {
  readonly store: { readonly settings: SettingsStore };
  readonly quotas: Quotas;
  /** What the store holds for the {@link hourlyScope}. */
  readonly asked: StoredSettings;
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
  const scope = hourlyScope(payer);
  const recent = timesIn(asked).filter((askedAt) => askedAt > now - hourMs);
  if (recent.length >= limit) throw new RefusedError(refusal(recent, limit, now, what));
  // Of its own: what else is held is given back when the work has ended.
  const hourly = `asked:${holder}`;
  // Counted in one step, so that of many at once none slips past.
  const taken = await quotas.take(hourly, [{ name: scope, amount: 1, limit }], hourMs);
  if (taken.status === 'refused') {
    // Those that are not stored yet were asked in this moment.
    const others = Array<number>(limit - recent.length).fill(now);
    throw new RefusedError(refusal([...recent, ...others], limit, now, what));
  }
  const by = { setBy: 'rate', setAt: now, expiresAt: now + hourMs };
  return {
    keep: () => store.settings.write(scope, { [holder]: now }, by),
    release: () => quotas.release(hourly),
  };
}

function timesIn(kept: StoredSettings): readonly number[] {
  return Object.values(kept).flatMap(({ value }) => (typeof value === 'number' ? [value] : []));
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

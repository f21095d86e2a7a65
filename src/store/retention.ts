/**
 * How long a workspace keeps what is said in it. There is one truth for it, a setting of the
 * workspace: every backend looks it up at each read, so that a change holds at once in every process.
 */
import { workspaceOfScope } from '../domain/thread-id.ts';
import { spendingKeptDays } from './store.ts';

/**
 * The setting, in the scope {@link retentionScopeOf}, that shortens the retention of a workspace: a
 * number of days above 0. Longer than the store's own retention it changes nothing, and nor does any
 * other value. `redis/scripts/prelude.lua` knows it by the same name.
 */
export const retentionSetting = 'retentionDays';

const dayMs = 86_400_000;

/** The scope with the settings of a workspace; absent for a name that is no `platform:workspace`. */
export function retentionScopeOf(workspace: string): string | undefined {
  const scope = `workspace:${workspace}`;
  return workspaceOfScope(scope) === workspace ? scope : undefined;
}

/** How many milliseconds that is. Throws a RangeError for a retention of no time. */
export function retentionMsOf(retentionDays: number = Number.POSITIVE_INFINITY): number {
  if (retentionDays > 0) return retentionDays * dayMs;
  throw new RangeError(`retentionDays is ${retentionDays}. Write a number above 0.`);
}

/**
 * What was made before this moment (milliseconds since 1970) has expired in a workspace.
 *
 * @param ofStore - The same by the store's own retention.
 * @param value - Of the setting; absent: the workspace has none.
 */
export function keptSinceIn(value: unknown, ofStore: number, now: number): number {
  if (typeof value !== 'number' || !(value > 0)) return ofStore;
  return Math.max(ofStore, now - retentionMsOf(value));
}

/** The first UTC day whose spending has not expired. */
export function oldestSpendingDay(now: number): number {
  return utcDay(now) - spendingKeptDays;
}

/** Days since 1970 in UTC. */
export function utcDay(milliseconds: number): number {
  return Math.floor(milliseconds / dayMs);
}

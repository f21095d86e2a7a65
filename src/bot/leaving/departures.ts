/** What follows when the bot is taken out of a server or workspace. */

import type { Place } from '../../../commands/command.ts';
import type { Log } from '../../domain/log.ts';
import { workspaceOf } from '../../domain/thread-id.ts';
import type { Forgetting } from '../../memory/forgetting/forget.ts';
import type { Coordination } from '../../queue/coordination.ts';
import type { SettingsStore, TurnStore } from '../../store/store.ts';

/** Somebody who took the bot out by mistake has so long to put it back, in milliseconds. */
export const keptAfterDepartureMs = 24 * 60 * 60 * 1000;
/** How many unfinished turns are looked at. */
const mostUnfinished = 1000;

export interface DeparturesOptions extends Pick<Coordination, 'stops'> {
  readonly store: {
    readonly turns: Pick<TurnStore, 'unfinished'>;
    readonly settings: SettingsStore;
  };
  readonly forgetting: Pick<Forgetting, 'forgetLater'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Name of the store's scope that holds where the bot was seen on a platform, and as whom, by workspace. */
export function seenScope(platform: string): string {
  return `seen:${platform}`;
}

/**
 * Stops what goes on there, which nobody could be shown, and has all of it forgotten in a day, unless
 * the bot is back by then. Throws what the store throws.
 */
export async function noteDeparture(
  { platform, workspace }: Pick<Place, 'platform' | 'workspace'>,
  { store, stops, forgetting, log, now }: DeparturesOptions,
): Promise<void> {
  const left = `${platform}:${workspace}`;
  await forgetting.forgetLater(left, now() + keptAfterDepartureMs);
  // It is known by the note now: a later start is not to begin the day anew.
  const by = { setBy: 'left', setAt: now() };
  await store.settings.write(seenScope(platform), { [workspace]: null }, by);
  const unfinished = await store.turns.unfinished(mostUnfinished);
  const theirs = unfinished.filter(({ threadId }) => workspaceOf(threadId) === left);
  await Promise.all(theirs.map(({ turnId }) => stops.request(turnId)));
  log.info({ platform, workspace }, 'taken out of a workspace; it is forgotten in a day');
}

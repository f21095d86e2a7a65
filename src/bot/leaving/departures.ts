/** What happens when the bot is removed from a server or workspace. */

import type { Place } from '../../../commands/command.ts';
import { workspaceOf } from '../../domain/thread-id.ts';
import type { Whereabouts } from '../../platforms/platform.ts';
import { Notes } from '../../store/store.ts';
import type { BotParts } from '../parts.ts';

/** How long a bot that was removed by mistake can be put back, in milliseconds. */
export const keptAfterDepartureMs = 24 * 60 * 60 * 1000;
/** How many unfinished turns are looked at. */
const mostUnfinished = 1000;

/** Where the bot was on a platform, and under which account, by workspace. */
function seenOn(platform: string, { store, now }: BotParts): Notes {
  return new Notes(store.settings, `seen:${platform}`, { now });
}

/**
 * Stops the turns that run there, which can't be shown any more, and has everything forgotten in a day
 * unless the bot is back by then. Throws what the store throws.
 */
export async function noteDeparture(
  { platform, workspace }: Pick<Place, 'platform' | 'workspace'>,
  parts: BotParts,
): Promise<void> {
  const { store, stops, memory, log, now } = parts;
  const left = `${platform}:${workspace}`;
  await memory.forgetting.forgetLater(left, now() + keptAfterDepartureMs);
  // The note knows it now; a later start must not begin the day again.
  await seenOn(platform, parts).drop([workspace]);
  const unfinished = await store.turns.unfinished(mostUnfinished);
  const theirs = unfinished.filter(({ threadId }) => workspaceOf(threadId) === left);
  await Promise.all(theirs.map(({ turnId }) => stops.request(turnId)));
  log.info({ platform, workspace }, 'taken out of a workspace; it is forgotten in a day');
}

/**
 * Notes where the bot is, and begins the day for each place that it was removed from while it was not
 * running. Places of another or unknown bot are left alone: to a test's bot, all of them would seem to be
 * left. Throws what the store throws.
 */
export async function noteWhereabouts(
  { platform, as, workspaces, wouldName }: Whereabouts,
  parts: BotParts,
): Promise<void> {
  const notes = seenOn(platform, parts);
  const seen = await notes.list();
  const isSeenAsNow = (workspace: string) => seen.get(workspace) === as;
  const arrived = workspaces.filter((workspace) => !isSeenAsNow(workspace));
  if (arrived.length > 0) {
    await notes.put(Object.fromEntries(arrived.map((workspace) => [workspace, as])));
  }
  const named = new Set(workspaces);
  const missing = [...seen.keys()].filter((known) => !named.has(known) && wouldName(known));
  const departed = missing.filter(isSeenAsNow);
  for (const workspace of departed) await noteDeparture({ platform, workspace }, parts);
  const kept = missing.length - departed.length;
  if (kept > 0) {
    parts.log.warn(
      { platform, workspaces: kept },
      'the bot of another token was in workspaces that this one is not in; nothing of them is forgotten',
    );
  }
}

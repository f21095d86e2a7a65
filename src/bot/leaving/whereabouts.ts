/** Finds out that the bot was taken out of a server or workspace while nobody listened. */

import type { Whereabouts } from '../../platforms/platform.ts';
import { type DeparturesOptions, noteDeparture, seenScope } from './departures.ts';

/**
 * Notes where the bot is, and begins the day for what it was in before and is not in any more. What
 * another bot was in, or nobody knows who, is left alone: with the token of a test's bot everything
 * else would seem to be left. Throws what the store throws.
 */
export async function noteWhereabouts(
  { platform, as, workspaces, wouldName }: Whereabouts,
  options: DeparturesOptions,
): Promise<void> {
  const { store, log, now } = options;
  const scope = seenScope(platform);
  const [seen = {}] = await store.settings.read([scope]);
  const isSeenAsNow = (workspace: string) => seen[workspace]?.value === as;
  const arrived = workspaces.filter((workspace) => !isSeenAsNow(workspace));
  if (arrived.length > 0) {
    const changes = Object.fromEntries(arrived.map((workspace) => [workspace, as]));
    await store.settings.write(scope, changes, { setBy: 'seen', setAt: now() });
  }
  const named = new Set(workspaces);
  const missing = Object.keys(seen).filter((known) => !named.has(known) && wouldName(known));
  const departed = missing.filter(isSeenAsNow);
  for (const workspace of departed) await noteDeparture({ platform, workspace }, options);
  const kept = missing.length - departed.length;
  if (kept > 0) {
    log.warn(
      { platform, workspaces: kept },
      'the bot of another token was in workspaces that this one is not in; nothing of them is forgotten',
    );
  }
}

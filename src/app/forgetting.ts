/** What forgets, wired for a bot. */

import { forgottenTraces } from '../bot/leaving/forgotten-traces.ts';
import { forgettingOf, retractOn } from '../bot/running/presented-turn.ts';
import type { TurnMemory } from '../bot/running/turn-memory.ts';
import type { Log } from '../domain/log.ts';
import { partsOf } from '../domain/thread-id.ts';
import { Forgetting, type Membership } from '../memory/forgetting/forget.ts';
import type { Platform } from '../platforms/platform.ts';
import type { BackgroundWork } from '../queue/background.ts';
import type { Coordination } from '../queue/coordination.ts';
import { lockOnce } from '../queue/permits.ts';
import type { Store } from '../store/store.ts';

/** Its name among the background work. */
export const forgettingWork = 'forgetting';

/** How soon the store's file is cleared of what was forgotten, in milliseconds. */
const resumeEveryMs = 60_000;

export interface ForgettingParts {
  readonly store: Store;
  readonly coordination: Pick<Coordination, 'permits' | 'stops'>;
  readonly compacted: TurnMemory['compacted'];
  readonly platforms: readonly Platform[];
  readonly log: Log;
}

export function openForgetting({
  store,
  coordination,
  compacted,
  platforms,
  log,
}: ForgettingParts): Forgetting {
  const { permits, stops } = coordination;
  return new Forgetting({
    store,
    stop: (turnId) => stops.request(forgettingOf(turnId)),
    traces: forgottenTraces({
      ...{ store, compacted, now: Date.now },
      retract: retractOn(platforms, log),
    }),
    membership: membershipOn(platforms),
    lock: (name, signal) => permits.acquire({ ...lockOnce, name }, signal),
    now: Date.now,
  });
}

/** Goes on with what was begun and not finished, and clears the store's file. */
export function resumeForgetting(forgetting: Forgetting): BackgroundWork {
  return { run: (_subject, signal) => forgetting.resume(signal), everyMs: resumeEveryMs };
}

/** Asks the platform of a workspace, where this process is on it. */
function membershipOn(platforms: readonly Platform[]): Membership {
  return async (workspaceOf) => {
    const { platform: name, workspace } = partsOf(workspaceOf);
    const platform = platforms.find((one) => one.name === name);
    if (!platform) return 'unknown';
    return (await platform.isIn(workspace)) ? 'member' : 'gone';
  };
}

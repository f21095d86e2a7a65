import { z } from 'zod';
import { utcDay } from '../retention.ts';
import { spendingKeptDays } from '../store.ts';
import type { Clock } from './clock.ts';
import type { Commands } from './commands.ts';
import { claimsSlot } from './keys.ts';
import { scripts } from './scripts.ts';
import type { ListedWorkspace, Workspaces } from './workspaces.ts';

/** How much one script deletes: it keeps the server from all else meanwhile. */
const recordsAtOnce = 200;
const threadsAtOnce = 20;

const portionSwept = z.tuple([z.number(), z.number(), z.number()]);
const claimsSwept = z.number();

/** Deletes what has expired: workspace by workspace, many side by side, then claims. */
export function redisSweep(
  commands: Commands,
  workspaces: Workspaces,
  clock: Clock,
): (limit: number) => Promise<number> {
  async function sweepPart({ workspace }: ListedWorkspace, limit: number) {
    const firstDay = utcDay(clock.now()) - spendingKeptDays;
    const values = [clock.keeping(), ...[firstDay, limit, threadsAtOnce].map(String)];
    const reply = await commands.run(scripts.sweepWorkspace, workspace, values);
    const [swept, hasMore, isEmpty] = portionSwept.parse(reply);
    if (isEmpty === 1) await workspaces.leave(workspace);
    return { swept, hasMore: hasMore === 1 };
  }

  /** Every one is swept until nothing is left to sweep, or the limit is reached. */
  async function sweepAll(portion: readonly ListedWorkspace[], limit: number): Promise<number> {
    let swept = 0;
    let due = portion;
    while (due.length > 0 && swept < limit) {
      const some = due.slice(0, limit - swept);
      const each = Math.min(recordsAtOnce, Math.floor((limit - swept) / some.length));
      const results = await Promise.all(some.map((one) => sweepPart(one, each)));
      swept += results.reduce((sum, one) => sum + one.swept, 0);
      due = [...due.slice(some.length), ...some.filter((_, at) => results[at]?.hasMore)];
    }
    return swept;
  }

  return async (limit) => {
    let swept = 0;
    for await (const portion of workspaces.portions()) {
      swept += await sweepAll(portion, limit - swept);
      if (swept === limit) return swept;
    }
    const values = [String(clock.now()), String(limit - swept)];
    return swept + claimsSwept.parse(await commands.run(scripts.sweepClaims, claimsSlot, values));
  };
}

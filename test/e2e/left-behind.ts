/** What a program that has ended has left in the store of its folder. */

import { join } from 'node:path';
import { z } from 'zod';
import { keptAfterDepartureMs } from '../../src/bot/leaving/leaving.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';

const noteSchema = z.looseObject({ dueAt: z.number() });

async function look<Found>(folder: string, at: (store: Store) => Promise<Found>): Promise<Found> {
  const store = openSqliteStore({ path: join(folder, 'data/council.db') });
  try {
    return await at(store);
  } finally {
    await store.close();
  }
}

/** Threads of a workspace (`platform:workspace`) in which something was said. */
export function threadsLeft(folder: string, workspace: string): Promise<readonly string[]> {
  return look(
    folder,
    async ({ messages }) => (await messages.threads(workspace, { limit: 500 })).threadIds,
  );
}

/** A day goes by for every workspace that the bot was taken out of. Gives how many there are. */
export function letDayPass(folder: string): Promise<number> {
  return look(folder, async ({ settings }) => {
    const [kept = {}] = await settings.read(['forgetting:due']);
    const earlier = Object.entries(kept).map(([name, { value }]) => {
      const note = noteSchema.parse(value);
      return [name, { ...note, dueAt: note.dueAt - keptAfterDepartureMs }] as const;
    });
    const by = { setBy: 'the test', setAt: Date.now() };
    await settings.write(
      'forgetting:due',
      z.record(z.string(), z.json()).parse(Object.fromEntries(earlier)),
      by,
    );
    return earlier.length;
  });
}

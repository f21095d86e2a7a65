/** A store that ends its process with SIGKILL at one of its calls. */

import { z } from 'zod';
import type { Store } from '../../../src/store/store.ts';

/** At which call, e.g. the second `write`: of settings, which is where questions without a thread are kept. */
export const deathSchema = z.object({
  verb: z.enum(['claim', 'write', 'begin', 'take', 'forget']),
  /** From 1. */
  number: z.int(),
  /** `after`: it has been done, and no one hears of it. */
  when: z.enum(['before', 'after']),
  /** How long all calls take until then, in milliseconds. */
  slownessMs: z.number().exactOptional(),
});
export type Death = z.infer<typeof deathSchema>;

export function mortalStore(store: Store, { verb, number, when, slownessMs = 0 }: Death): Store {
  let count = 0;
  const mortal = <Given extends readonly unknown[], Result>(
    name: Death['verb'],
    call: (...given: Given) => Promise<Result>,
  ) => {
    return async (...given: Given): Promise<Result> => {
      if (name === verb) count += 1;
      const isLast = name === verb && count === number;
      if (isLast && when === 'before') await die();
      if (slownessMs > 0) await new Promise((resolve) => setTimeout(resolve, slownessMs));
      const result = await call(...given);
      if (isLast) await die();
      return result;
    };
  };
  const { settings, turns } = store;
  const write = mortal('write', settings.write);
  return {
    ...store,
    claim: mortal('claim', store.claim),
    forget: mortal('forget', store.forget),
    settings: {
      ...settings,
      // Where the bot is it notes at each start, whatever is asked.
      write: (scope, ...given) =>
        (scope.startsWith('seen:') ? settings.write : write)(scope, ...given),
    },
    turns: {
      ...turns,
      begin: mortal('begin', turns.begin),
      take: mortal('take', turns.take),
    },
  };
}

async function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise<never>(() => undefined);
}

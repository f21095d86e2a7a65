import { setTimeout as wait } from 'node:timers/promises';
import type { RedisServer } from '../fakes/redis-server.ts';
import type { TakeOvers } from './take-overs.ts';

const everyMs = 250;
/** Slower, and the server was halted: by its disk, or because the machine had no time for it. */
const haltedAfterMs = 1000;

/** Tells, until it is ended, when the server ran and did not answer: nobody can take anything from it then. */
export function watchPulse(redis: RedisServer, takeOvers: TakeOvers): { end(): Promise<number> } {
  const end = new AbortController();
  const { signal } = end;
  let haltedMs = 0;
  const watching = (async () => {
    while (!signal.aborted) {
      await wait(everyMs, undefined, { signal }).catch(() => undefined);
      const from = Date.now();
      // While it is started again it is away, which is told by who does that.
      const isThere = await redis.command('PING').catch(() => undefined);
      const to = Date.now();
      if (isThere === undefined || to - from < haltedAfterMs) continue;
      haltedMs += to - from;
      takeOvers.redisWasAway(from, to);
    }
  })();
  return {
    end: async () => {
      end.abort();
      await watching;
      return haltedMs;
    },
  };
}

import { setTimeout as wait } from 'node:timers/promises';
import type { RedisServer } from '../fakes/redis-server.ts';
import type { Span } from './record.ts';

const everyMs = 250;
/** Slower, and the server was silent: halted by its disk, or because the machine had no time for it. */
const silentAfterMs = 1000;

/** Notes, until the signal ends it, when the server ran and did not answer: nobody can take anything from it then. */
export function watchHeartbeat(redis: RedisServer, signal: AbortSignal): readonly Span[] {
  const silent: Span[] = [];
  void (async () => {
    while (!signal.aborted) {
      await wait(everyMs, undefined, { signal }).catch(() => undefined);
      const from = Date.now();
      // While it is started again it is down, which is noted by who does that.
      const isThere = await redis.command('PING').catch(() => undefined);
      const to = Date.now();
      if (isThere !== undefined && to - from >= silentAfterMs) silent.push({ from, to });
    }
  })();
  return silent;
}

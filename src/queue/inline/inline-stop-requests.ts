import { type StopRequests, stopKnownMs } from '../stop-requests.ts';

/** Requests within a single process. @param now - Milliseconds since 1970. */
export function createInlineStopRequests(now: () => number = Date.now): StopRequests {
  /** When each was asked for, the latest at the end. */
  const asked = new Map<string, number>();
  const watches = new Map<string, Set<() => void>>();
  return {
    async request(turnId) {
      for (const [known, askedAt] of asked) {
        if (askedAt + stopKnownMs > now()) break;
        asked.delete(known);
      }
      asked.delete(turnId);
      asked.set(turnId, now());
      for (const onStop of watches.get(turnId) ?? []) onStop();
      watches.delete(turnId);
    },
    async watch(turnId, onStop) {
      if (asked.has(turnId)) {
        onStop();
        return () => undefined;
      }
      const watching = watches.get(turnId) ?? new Set();
      watches.set(turnId, watching.add(onStop));
      return () => {
        watching.delete(onStop);
        if (watching.size === 0) watches.delete(turnId);
      };
    },
    close: async () => undefined,
  };
}

import { setTimeout as wait } from 'node:timers/promises';

/** Waits until something holds, looking every so often. @returns Whether it came to hold in time. */
export async function comesToHold(
  holds: () => Promise<boolean>,
  patienceMs: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const until = Date.now() + patienceMs;
  while (Date.now() < until) {
    if (await holds()) return true;
    await wait(100, undefined, { ...(signal && { signal }) });
  }
  return false;
}

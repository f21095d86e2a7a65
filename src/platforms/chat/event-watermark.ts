/** Keeps the time until which a platform's events arrived, so that what is missed later can be found. */

import type { Log } from '../../domain/log.ts';

/** Stores when events last arrived, by app. */
export interface WatermarkRecords {
  /** Milliseconds since 1970; `undefined` if none is stored. */
  read(app: string): Promise<number | undefined>;
  write(app: string, until: number): Promise<void>;
}

/** After a crash, the messages of this long before it are checked again. */
const storedEveryMs = 60_000;
/** A halt of the process, e.g. while a laptop sleeps, is noticed if it is at least twice as long. */
const checkedEveryMs = 10_000;
/** How long after a halt a lost connection may look open: two of Discord's heartbeats of 41 s. */
const noticedWithinMs = 120_000;

/**
 * Keeps the time until which all events were received, so the next start knows what it missed. Never throws.
 *
 * @param app - Identifies the app on its platform.
 */
export function eventWatermark(
  records: WatermarkRecords,
  app: string,
  log: Log,
  now: () => number,
) {
  let timers: readonly NodeJS.Timeout[] = [];
  let isListening = () => false;
  let onHalt: (haltedMs: number) => void = () => undefined;
  let held = 0;
  let lastWork = Promise.resolve();
  let until: number | undefined;
  let checkedAt = 0;
  let trustedFrom = 0;

  const failed = (error: unknown) => {
    log.warn({ error }, 'missed messages may not be looked for: the store failed');
    return undefined;
  };
  /** After a halt, the connection is not trusted to be as it looks. */
  const noticeHalt = () => {
    const at = now();
    const haltedMs = at - checkedAt;
    checkedAt = at;
    if (haltedMs <= 2 * checkedEveryMs) return;
    trustedFrom = at + noticedWithinMs;
    onHalt(haltedMs);
  };
  const write = async () => {
    noticeHalt();
    if (now() < trustedFrom || !isListening() || held > 0) return;
    until = now();
    await records.write(app, until).catch(failed);
  };

  return {
    /**
     * Handles the messages of an outage, after those of earlier ones: together their calls would exceed the
     * platform's limits. Until then no time is stored, so that a stop loses none of them.
     *
     * @param work - Receives that time; `undefined` at the first start, and if the store fails at a start. Never throws.
     */
    hold(work: (since: number | undefined) => Promise<void>): Promise<void> {
      held += 1;
      // Right after an outage, the store may be out of reach as well.
      const since = until ?? records.read(app).catch(failed);
      lastWork = lastWork
        .then(async () => work(await since))
        .finally(() => {
          held -= 1;
        });
      return lastWork;
    },

    /**
     * Starts storing the time. Call it after missed messages were handled, or they would be lost.
     *
     * @param whenHalted - Called after the process was halted for so many milliseconds.
     */
    async start(whetherListening: () => boolean, whenHalted = onHalt): Promise<void> {
      isListening = whetherListening;
      onHalt = whenHalted;
      checkedAt = now();
      timers = [setInterval(write, storedEveryMs), setInterval(noticeHalt, checkedEveryMs)];
      for (const timer of timers) timer.unref();
      await write();
    },

    /** Stores it a last time, if it was started. */
    async stop(): Promise<void> {
      timers.forEach(clearInterval);
      await write();
    },
  };
}

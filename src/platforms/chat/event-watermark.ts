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
  let timer: NodeJS.Timeout | undefined;
  let isListening = () => false;
  let held = 0;
  let lastWork = Promise.resolve();

  const failed = (error: unknown) => {
    log.warn({ error }, 'missed messages may not be looked for: the store failed');
    return undefined;
  };
  const write = async () => {
    if (isListening() && held === 0) await records.write(app, now()).catch(failed);
  };

  return {
    /** Reads the stored time; `undefined` at the first start and when the store fails. */
    read: () => records.read(app).catch(failed),

    /**
     * Handles the messages of an outage, after those of earlier ones: together their calls would exceed the
     * platform's limits. Until then no time is stored, so that a stop loses none of them.
     *
     * @param work - Never throws.
     */
    hold(work: () => Promise<void>): Promise<void> {
      held += 1;
      lastWork = lastWork.then(work).finally(() => {
        held -= 1;
      });
      return lastWork;
    },

    /** Starts storing the time. Call it after missed messages were handled, or they would be lost. */
    async start(whetherListening: () => boolean): Promise<void> {
      isListening = whetherListening;
      timer = setInterval(() => void write(), storedEveryMs).unref();
      await write();
    },

    /** Stores it a last time, if it was started. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await write();
      isListening = () => false;
    },
  };
}

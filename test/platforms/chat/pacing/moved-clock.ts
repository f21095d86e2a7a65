import type { Clock } from '../../../../src/platforms/chat/pacing/call-scheduler.ts';

export interface MovedClock extends Clock {
  /** Lets time pass at once; what was to happen in it happens. */
  advance(milliseconds: number): void;
}

/** The real time plus whatever it was moved forward by. */
export function movedClock(): MovedClock {
  const timers = new Set<{ readonly dueAt: number; readonly run: () => void }>();
  let offsetMs = 0;
  let real: NodeJS.Timeout | undefined;
  const now = () => performance.now() + offsetMs;
  const arm = () => {
    clearTimeout(real);
    const next = Math.min(...[...timers].map(({ dueAt }) => dueAt));
    if (next !== Infinity) real = setTimeout(runDue, Math.max(0, Math.ceil(next - now())));
  };
  const runDue = () => {
    for (const timer of [...timers].filter(({ dueAt }) => dueAt <= now())) {
      if (timers.delete(timer)) timer.run();
    }
    arm();
  };
  return {
    now,
    startTimer(run, delayMs) {
      const timer = { dueAt: now() + delayMs, run };
      timers.add(timer);
      arm();
      return () => {
        timers.delete(timer);
        arm();
      };
    },
    advance(milliseconds) {
      offsetMs += milliseconds;
      runDue();
    },
  };
}

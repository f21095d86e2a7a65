/** The queue in lines for an operator. */

/** What is in the queue, as far as it is shown. */
export interface ShownQueue {
  readonly running: number;
  readonly pausing: number;
  readonly waiting: number;
  readonly dead: number;
  readonly threads: readonly {
    readonly threadId: string;
    readonly turnIds: readonly string[];
    readonly openSince: number;
  }[];
  readonly threadCount: number;
}

/** A turn that was put aside. */
export interface ShownDead {
  readonly turnId: string;
  readonly threadId: string;
  readonly reason: string;
  readonly starts: number;
  readonly diedAt: number;
}

/** @param now - Milliseconds since 1970. */
export function viewText(queue: ShownQueue, now: number): string {
  const { running, pausing, waiting, dead, threads, threadCount } = queue;
  const lines = [
    `${running} running, ${waiting} waiting, ${pausing} to be tried again, ${dead} put aside.`,
    ...threads.map(
      ({ threadId, turnIds, openSince }) =>
        `  ${threadId}  ${turnIds.length} ${turnIds.length === 1 ? 'turn' : 'turns'}, for ${ago(now - openSince)}, next ${turnIds[0] ?? '–'}`,
    ),
  ];
  const more = threadCount - threads.length;
  if (more > 0) lines.push(`  and ${more} more threads`);
  if (dead > 0) lines.push('`council queue dead` tells why they were put aside.');
  return `${lines.join('\n')}\n`;
}

/** @param now - Milliseconds since 1970. */
export function deadText(dead: readonly ShownDead[], now: number): string {
  if (dead.length === 0) return 'No turn was put aside.\n';
  const lines = dead.map(
    ({ turnId, threadId, reason, starts, diedAt }) =>
      `${turnId}  ${threadId}\n  ${ago(now - diedAt)} ago, after ${starts} ${starts === 1 ? 'run' : 'runs'}: ${reason}`,
  );
  return `${lines.join('\n')}\n\`council queue retry ID\` runs one again, \`council queue drop ID\` ends it; \`all\` takes them all.\n`;
}

function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

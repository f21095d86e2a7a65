/** A bar that shows how far a longer piece of work is. */

import { Presets, SingleBar } from 'cli-progress';

export interface ProgressBar {
  /** More is to be done than was known. */
  expect(count: number): void;
  advance(count: number): void;
  /** Takes the bar away; to be called before anything else is written. */
  stop(): void;
}

/** @param stream - Where nobody watches, nothing is written. */
export function openProgressBar(
  stream: NodeJS.WritableStream & { readonly isTTY?: boolean },
): ProgressBar {
  const format = '{bar} {percentage}% | {value} of {total}';
  const bar = new SingleBar(
    // The terminal is left as it is: whoever presses Ctrl-C keeps cursor and line breaks.
    { stream, format, clearOnComplete: true, hideCursor: false, linewrap: true },
    Presets.shades_classic,
  );
  let total = 0;
  return {
    expect(count) {
      const isFirst = total === 0;
      total += count;
      if (!isFirst) bar.setTotal(total);
      else if (stream.isTTY) bar.start(total, 0);
    },
    advance: (count) => bar.increment(count),
    stop: () => bar.stop(),
  };
}

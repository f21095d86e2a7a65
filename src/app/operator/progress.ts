/** Shows the progress of long work. */

import { SingleBar } from 'cli-progress';

export interface Progress {
  /**
   * @param stage - What is being done, e.g. `copying`.
   * @param share - From 0 to 1.
   * @param note - e.g. `4500 records`.
   */
  show(stage: string, share: number, note: string): void;
  /** Nothing more is shown. */
  end(): void;
}

/** A terminal, or e.g. a file. */
type Screen = NodeJS.WritableStream & { readonly isTTY?: boolean };

const fractions = 1000;
/** Outside a terminal, a line is written for each further tenth. */
const lineEvery = 0.1;

/** A bar in a terminal; elsewhere a line now and then. */
export function showProgress(stream: Screen): Progress {
  return stream.isTTY ? bar(stream) : lines(stream);
}

function bar(stream: Screen): Progress {
  const shown = new SingleBar({
    stream,
    format: '{stage} [{bar}] {percentage} % {note}',
    barsize: 30,
    // The terminal stays as it is: Ctrl-C in the middle leaves cursor and line breaks.
    ...{ hideCursor: false, linewrap: true },
    clearOnComplete: true,
    stopOnComplete: false,
  });
  let isShown = false;
  return {
    show: (stage, share, note) => {
      const value = Math.floor(share * fractions);
      if (isShown) shown.update(value, { stage, note });
      else shown.start(fractions, value, { stage, note });
      isShown = true;
    },
    end: () => {
      if (isShown) shown.stop();
      isShown = false;
    },
  };
}

function lines(stream: Screen): Progress {
  let last: { readonly stage: string; readonly share: number } | undefined;
  return {
    show: (stage, share, note) => {
      const isNew = last?.stage !== stage || share >= last.share + lineEvery;
      if (!isNew && (share < 1 || last?.share === 1)) return;
      last = { stage, share };
      stream.write(`${stage}: ${Math.floor(share * 100)} %, ${note}\n`);
    },
    end: () => undefined,
  };
}

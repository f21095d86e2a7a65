/** Progress of a long task: a bar in a terminal, else a line now and then. */

import { SingleBar } from 'cli-progress';
import type { TerminalOutput } from '../../platforms/terminal/live-page.ts';
import { canRedraw } from '../../platforms/terminal/page.ts';

export interface Progress {
  /**
   * @param stage - e.g. `copying`.
   * @param share - From 0 to 1.
   * @param note - e.g. `4500 records`.
   */
  show(stage: string, share: number, note: string): void;
  end(): void;
}

/** @param environment - Says whether the terminal can redraw a line. */
export function showProgress(
  stream: TerminalOutput,
  environment: Parameters<typeof canRedraw>[0],
): Progress {
  return canRedraw(environment, stream) ? bar(stream) : lines(stream);
}

function bar(stream: TerminalOutput): Progress {
  const shown = new SingleBar({
    stream,
    format: '{stage} [{bar}] {percentage} % {note}',
    barsize: 30,
    // Leaves the terminal's modes alone, so that Ctrl-C does not break it.
    ...{ hideCursor: false, linewrap: true },
    clearOnComplete: true,
    stopOnComplete: false,
  });
  return {
    show: (stage, share, note) => {
      if (shown.isActive) shown.update(share, { stage, note });
      else shown.start(1, share, { stage, note });
    },
    end: () => shown.stop(),
  };
}

/** Outside a terminal, each tenth gets a line. */
function lines(stream: TerminalOutput): Progress {
  let last = '';
  return {
    show: (stage, share, note) => {
      const tenth = `${stage} ${Math.floor(share * 10)}`;
      if (tenth === last) return;
      last = tenth;
      stream.write(`${stage}: ${Math.floor(share * 100)} %, ${note}\n`);
    },
    end: () => undefined,
  };
}

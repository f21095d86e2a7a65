/** Progress of a long task: a line for each tenth, in a terminal as in a log. */

import type { TaskContext } from '../tasks/task.ts';

/**
 * @param stage - e.g. `copying`.
 * @param share - From 0 to 1.
 * @param note - e.g. `4500 records`.
 */
export type ShowProgress = (stage: string, share: number, note: string) => void;

export function progressOn(stream: Pick<TaskContext['errors'], 'write'>): ShowProgress {
  let last = '';
  return (stage, share, note) => {
    const tenth = `${stage} ${Math.floor(share * 10)}`;
    if (tenth === last) return;
    last = tenth;
    stream.write(`${stage}: ${Math.floor(share * 100)} %, ${note}\n`);
  };
}

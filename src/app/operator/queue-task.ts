/** What an operator wants of the queue. */
export type QueueTask = {
  readonly task: 'queue';
  /** Print JSON and nothing else. */
  readonly isJson: boolean;
} & (
  | { readonly action: 'look' | 'dead' }
  /** `turn`: the id of one that was put aside, or `all`. */
  | { readonly action: 'retry' | 'drop'; readonly turn: string }
);

export const queueActions = ['dead', 'retry', 'drop'] as const;

/** @returns What is wrong, in words for whoever typed it. */
export function readQueueTask(
  action: (typeof queueActions)[number] | undefined,
  turn: string | undefined,
  isJson: boolean,
): QueueTask | { readonly wrong: string } {
  switch (action) {
    case undefined:
      return { task: 'queue', action: 'look', isJson };
    case 'dead':
      if (turn !== undefined) return { wrong: '`queue dead` lists all; it takes no turn' };
      return { task: 'queue', action, isJson };
    case 'retry':
    case 'drop':
      if (turn === undefined) {
        return { wrong: `say which turn: \`queue ${action} ID\`, or \`queue ${action} all\`` };
      }
      return { task: 'queue', action, turn, isJson };
  }
}

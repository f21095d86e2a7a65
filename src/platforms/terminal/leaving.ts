/** Words that leave the conversation, as commands. */
export const leaveWords = ['quit', 'exit'] as const;

/** Whether a line is one of them, e.g. `/quit`, `/council exit`. */
export function isLeaving(line: string): boolean {
  const word = /^\/(?:council +)?(\S+)$/.exec(line)?.[1];
  return leaveWords.some((one) => one === word);
}

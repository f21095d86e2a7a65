/** Words that leave the conversation, as commands or alone on a line. */
export const leaveWords = ['quit', 'exit'] as const;

/** Whether a line is one of them, e.g. `quit`, `/quit`, `/council exit`. */
export function isLeaving(line: string): boolean {
  const word = /^(?:\/(?:council +)?)?(\S+)\s*$/.exec(line)?.[1];
  return leaveWords.some((one) => one === word);
}

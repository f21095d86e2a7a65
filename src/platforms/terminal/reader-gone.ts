/** Whoever read the output has gone, e.g. `head`: there is nobody left to write for, and nothing is wrong. */
export function isReaderGone(error: Error): boolean {
  return 'code' in error && error.code === 'EPIPE';
}

/** A conversation that is read from a pipe or a file: every line is a question or a command, in order. */

import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type Conversation, isLeaving } from './conversation.ts';

/**
 * Takes one line after another, each when the one before is done; empty lines are passed over.
 *
 * @param signal - Aborted: reads no more. The line that is being answered is still answered.
 * @returns When the input has ended and everything has been answered.
 */
export async function answerLines(
  input: Readable,
  conversation: Conversation,
  signal: AbortSignal,
): Promise<void> {
  const lines = createInterface({ input, crlfDelay: Infinity, terminal: false });
  const stop = () => lines.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const line of lines) {
      const text = line.trim();
      if (signal.aborted || isLeaving(text)) break;
      if (text !== '') await conversation.take(text);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    lines.close();
  }
}

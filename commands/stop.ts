import { z } from 'zod';
import { type Command, textReply, turnId } from './command.ts';
import type { CommandContext } from './context.ts';

const options = z.object({
  turn: turnId.optional().describe('Which question; without it, all that you asked here'),
});

/** `/council stop`: stops the turns that the person asked in this thread, or a particular one. */
export const stop: Command<CommandContext> = {
  name: 'stop',
  description: 'Stop your questions in this thread; what was said so far is kept',
  options,
  allowed: 'everyone',
  async run(context, given) {
    const { turn } = options.parse(given);
    const stopped = await context.stop(turn);
    return textReply(turn === undefined ? textForThread(stopped) : textForTurn(stopped));
  },
};

function textForThread(stopped: number): string {
  if (stopped === 0) {
    return 'You have nothing running in this thread. To stop a question you asked elsewhere, go to its thread.';
  }
  const what = stopped === 1 ? 'one question' : `${stopped} questions`;
  return `Stopped ${what}. What the sages said so far is kept.`;
}

function textForTurn(stopped: number): string {
  return stopped === 0 ? 'It has already ended.' : 'Stopped. What the sages said so far is kept.';
}

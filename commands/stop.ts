import { z } from 'zod';
import { type Command, textReply, turnId } from './command.ts';
import type { CommandContext } from './context.ts';

const options = z.object({
  turn: turnId.optional().describe('Id of a turn; without it, all that you asked here'),
});

/** `/council stop`: stops the turns that the person asked in this thread, or a particular one. */
export const stop: Command<CommandContext> = {
  name: 'stop',
  description: 'Stop what you have asked in this thread; what has been said is kept',
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
    return 'There is nothing of yours to stop in this thread. What you asked elsewhere is stopped there.';
  }
  const what = stopped === 1 ? 'one question' : `${stopped} questions`;
  return `Stopped ${what}. What the sages had said so far is kept.`;
}

function textForTurn(stopped: number): string {
  return stopped === 0
    ? 'It has ended already.'
    : 'Stopped. What the sages had said so far is kept.';
}

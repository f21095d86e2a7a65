import { z } from 'zod';
import { type Command, turnId } from './command.ts';
import { type CommandContext, takenReply } from './context.ts';

const options = z.object({
  turn: turnId.optional().describe('Id of the turn; without it, the last one of this thread'),
});

/** `/council deeper`: goes on from a standard verdict with the one rebuttal of depth `deep`. */
export const deeper: Command<CommandContext> = {
  name: 'deeper',
  description: 'Go deeper into a verdict: those who contradict each other answer once more',
  options,
  allowed: 'everyone',
  async run(context, given) {
    const { turn } = options.parse(given);
    return takenReply(await context.deepen(turn));
  },
};

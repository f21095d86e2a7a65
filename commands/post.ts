import { z } from 'zod';
import { type Command, textReply, turnId } from './command.ts';
import type { CommandContext } from './context.ts';

const options = z.object({
  turn: turnId.optional().describe('Id of the turn; without it, the last one of this thread'),
});

/** `/council post`: puts a verdict into the channel of its thread; for the person who asked and for managers. */
export const post: Command<CommandContext> = {
  name: 'post',
  description: 'Post the verdict of this thread to its channel',
  options,
  allowed: 'everyone',
  async run(context, given) {
    const { turn } = options.parse(given);
    await context.post(turn);
    return textReply('The verdict is in the channel now.');
  },
};

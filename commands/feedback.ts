import { z } from 'zod';
import { ratings } from '../src/domain/stored-turn.ts';
import { type Command, textReply, turnId } from './command.ts';
import { type CommandContext, noSuchTurn } from './context.ts';

const options = z.object({
  rating: z.enum(ratings).describe('Was it useful? good or bad'),
  turn: turnId.optional().describe('Id of the turn; without it, the last one of this thread'),
});

/** `/council feedback`: says whether a verdict was of use; it is kept with the turn and shown in its receipt. */
export const feedback: Command<CommandContext> = {
  name: 'feedback',
  description: 'Rate the last verdict; the receipt shows the rating',
  options,
  allowed: 'everyone',
  async run(context, given) {
    const { rating, turn } = options.parse(given);
    if (!(await context.rate(turn, rating))) throw noSuchTurn(turn);
    return textReply(
      'Thank you. Your rating is saved with the answer, and you can change it at any time.',
    );
  },
};

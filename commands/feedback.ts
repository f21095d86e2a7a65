import { z } from 'zod';
import { ratings } from '../src/domain/stored-turn.ts';
import { type Command, textReply, turnId } from './command.ts';
import { type CommandContext, noSuchTurn } from './context.ts';

const options = z.object({
  rating: z.enum(ratings).describe('Whether it was of use: good or bad'),
  turn: turnId.optional().describe('Id of the turn; without it, the last one of this thread'),
});

/** `/council feedback`: says whether a verdict was of use; it is kept with the turn and shown in its receipt. */
export const feedback: Command<CommandContext> = {
  name: 'feedback',
  description: 'Say whether the last verdict was of use; it is shown in the receipt',
  options,
  allowed: 'everyone',
  async run(context, given) {
    const { rating, turn } = options.parse(given);
    if (!(await context.rate(turn, rating))) throw noSuchTurn(turn);
    return textReply(
      'Thank you. It is kept with the answer; you can change your mind at any time.',
    );
  },
};

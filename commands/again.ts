import { z } from 'zod';
import { type Command, turnId } from './command.ts';
import { type CommandContext, takenReply } from './context.ts';

const options = z.object({
  sage: z.string().describe('Key or name of a sage that answered'),
  model: z
    .string()
    .optional()
    .describe('provider:model that speaks for it this time, one that took part in the turn'),
  turn: turnId.optional().describe('Id of the turn; without it, the last one of this thread'),
});

/** `/council again`: has one sage answer the same question once more, by itself. */
export const again: Command<CommandContext> = {
  name: 'again',
  description: 'Ask one sage the same question again; what it said before is kept from it',
  options,
  allowed: 'everyone',
  async run(context, given) {
    const { sage, model, turn } = options.parse(given);
    return takenReply(await context.askAgain(sage, { turnId: turn, model }));
  },
};

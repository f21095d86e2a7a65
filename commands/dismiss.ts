import { z } from 'zod';
import { type Command, textReply } from './command.ts';
import type { CommandContext } from './context.ts';

const options = z.object({
  sage: z.string().describe('Key or name of a sage that was made in this channel'),
});

/** `/council dismiss`: takes a custom sage off the bench; for its maker and for managers. */
export const dismiss: Command<CommandContext> = {
  name: 'dismiss',
  description: 'Take a sage that was made in this channel off its bench',
  options,
  allowed: 'everyone',
  async run(context, given) {
    const { sage } = options.parse(given);
    const { name } = await context.customSages.dismiss(sage);
    return textReply(`${name} no longer sits here. What it said stays.`);
  },
};

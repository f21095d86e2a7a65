import { askOptions, askSchema } from '../src/domain/asking.ts';
import type { Command } from './command.ts';
import { type CommandContext, takenReply } from './context.ts';

/** `/council ask`: puts a question to the council. */
export const ask: Command<CommandContext> = {
  name: 'ask',
  description: 'Put a question to the council',
  options: askOptions,
  allowed: 'everyone',
  async run(context, given) {
    const { question, choice } = askSchema.parse(given);
    return takenReply(await context.ask(question, choice));
  },
};

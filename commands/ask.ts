import { askOptions, askSchema, takenWords } from '../src/domain/asking.ts';
import { type Command, CommandError } from './command.ts';
import type { CommandContext } from './context.ts';

/** `/council ask`: puts a question to the council. */
export const ask: Command<CommandContext> = {
  name: 'ask',
  description: 'Put a question to the council',
  options: askOptions,
  allowed: 'everyone',
  async run(context, given) {
    const { question, choice } = askSchema.parse(given);
    const asked = await context.ask(question, choice);
    if (asked.status === 'refused') throw new CommandError(asked.reason);
    const turnsBefore = asked.status === 'accepted' ? asked.turnsBefore : 0;
    return { isPrivate: true, blocks: [{ type: 'text', text: takenWords(turnsBefore) }] };
  },
};

import { z } from 'zod';
import { mostNextQuestions } from '../src/domain/turn.ts';
import { type Command, turnId } from './command.ts';
import { type CommandContext, takenReply } from './context.ts';

const numbers = Array.from({ length: mostNextQuestions }, (_, index) => `${index + 1}`);

const options = z.object({
  question: z.enum(numbers).describe('Number of the question that the verdict suggests'),
  turn: turnId.optional().describe('Id of the turn; without it, the last one of this thread'),
});

/** `/council next`: asks what the verdict suggests to ask next. */
export const next: Command<CommandContext> = {
  name: 'next',
  description: 'Ask one of the questions that the last verdict suggests',
  options,
  allowed: 'everyone',
  async run(context, given) {
    const { question, turn } = options.parse(given);
    return takenReply(await context.askNext(Number(question), turn));
  },
};

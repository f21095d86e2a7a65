import { z } from 'zod';
import { type Command, CommandError } from './command.ts';
import type { CommandContext } from './context.ts';

const options = z.object({
  question: z.string().describe('What the council should think about'),
  depth: z
    .enum(['quick', 'standard'])
    .optional()
    .describe('quick: no reviews; standard: the sages review each other'),
  sages: z
    .string()
    .optional()
    .describe('Keys of the sages to seat, with commas; one alone speaks for itself'),
});

/** `/council ask`: puts a question to the council. */
export const ask: Command<CommandContext> = {
  name: 'ask',
  description: 'Put a question to the council',
  options,
  allowed: 'everyone',
  async run(context, given) {
    const { question, depth, sages } = options.parse(given);
    const asked = await context.ask(question, {
      ...(depth ? { depth } : {}),
      ...(sages === undefined ? {} : { sages: keysIn(sages) }),
    });
    if (asked.status === 'refused') throw new CommandError(asked.reason);
    const text =
      asked.turnsBefore === 0
        ? 'The council is being seated.'
        : `Taken. It comes after ${asked.turnsBefore} that ${asked.turnsBefore === 1 ? 'was' : 'were'} asked before.`;
    return { isPrivate: true, blocks: [{ type: 'text', text }] };
  },
};

/** `a, b` as `['a', 'b']`. */
export function keysIn(list: string): readonly string[] {
  return list
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
}

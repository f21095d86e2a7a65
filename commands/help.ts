import { z } from 'zod';
import { type Command, optionsForPeople } from './command.ts';
import type { CommandContext } from './context.ts';

/** `/council help`: what people can ask for. */
export const help: Command<CommandContext> = {
  name: 'help',
  description: 'What you can ask of the council',
  options: z.object({}),
  allowed: 'everyone',
  async run(context) {
    const fields = context.commands.map((command) => ({
      name: `/council ${[command.name, ...usage(command)].join(' ')}`,
      value: command.description,
    }));
    return {
      isPrivate: true,
      blocks: [
        {
          type: 'text',
          text: 'Ask a question: a moderator seats the sages that fit, each answers, they review one another without knowing who wrote what, and a chair gives the verdict.',
        },
        { type: 'fields', fields },
        {
          type: 'text',
          text: 'Begin a question with a sage’s name to hear it alone, e.g. “Taleb, what would break this?” Follow-up questions in a thread build on what was said before.',
        },
      ],
    };
  },
};

/** The options as they are written, e.g. `<question> [depth] [sages]`. */
function usage(command: Command<CommandContext>): readonly string[] {
  return optionsForPeople(command).map(([name, option]) =>
    z.safeParse(option, undefined).success ? `[${name}]` : `<${name}>`,
  );
}

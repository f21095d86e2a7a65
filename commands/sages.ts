import { z } from 'zod';
import type { Command } from './command.ts';
import type { CommandContext } from './context.ts';

/** `/council sages`: who may sit here and what they are for. */
export const sages: Command<CommandContext> = {
  name: 'sages',
  description: 'Who may sit in this council, and what each is for',
  options: z.object({}),
  allowed: 'everyone',
  async run(context) {
    return {
      isPrivate: true,
      blocks: [
        {
          type: 'fields',
          fields: context.bench.map((sage) => ({
            name: `${sage.emoji ? `${sage.emoji} ` : ''}${sage.name} (${sage.key})`,
            value: sage.description,
          })),
        },
        {
          type: 'text',
          text: 'Begin a question with a name and a colon to hear one of them alone, e.g. “Taleb: what would break this?”',
        },
      ],
    };
  },
};

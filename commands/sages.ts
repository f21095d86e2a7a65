import { z } from 'zod';
import type { Sage } from '../src/domain/turn.ts';
import type { Command } from './command.ts';
import type { CommandContext } from './context.ts';

/** `/council sages`: who may sit here and what they are for. */
export const sages: Command<CommandContext> = {
  name: 'sages',
  description: 'Who may sit in this council, and what each is for',
  options: z.object({}),
  allowed: 'everyone',
  async run({ bench, customSages }) {
    const makers = new Map(customSages.all.map(({ key, madeBy }) => [key, madeBy.name]));
    const absent = customSages.all.filter(({ key }) => bench.every((sage) => sage.key !== key));
    return {
      isPrivate: true,
      blocks: [
        {
          type: 'fields',
          fields: [
            ...bench.map((sage) => field(sage, makers.get(sage.key))),
            ...absent.map((sage) => field(sage, `${sage.madeBy.name}; not on the bench`)),
          ],
        },
        {
          type: 'text',
          text: 'Begin a question with a name and a colon to hear one of them alone, e.g. “Taleb: what would break this?”',
        },
      ],
    };
  },
};

function field(sage: Pick<Sage, 'key' | 'name' | 'description' | 'emoji'>, madeBy?: string) {
  return {
    name: `${sage.emoji ? `${sage.emoji} ` : ''}${sage.name} (${sage.key})`,
    value: madeBy === undefined ? sage.description : `${sage.description} (made here by ${madeBy})`,
  };
}

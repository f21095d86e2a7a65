import { z } from 'zod';
import { type Command, textReply, turnId } from './command.ts';
import type { CommandContext } from './context.ts';

const options = z.object({
  turn: turnId.optional().describe('Id of the turn; without it, the last one of this thread'),
  do: z.enum(['make', 'withdraw']).optional().describe('make a link, or withdraw it'),
});

/** `/council share`: a link to a page of a turn, for the person who asked and for managers to give to others. */
export const share: Command<CommandContext> = {
  name: 'share',
  description: 'Get a link to a page of the last verdict, for anyone you give it to',
  options,
  allowed: 'everyone',
  async run(context, given) {
    const { turn, do: what = 'make' } = options.parse(given);
    if (what === 'withdraw') {
      await context.unshare(turn);
      return textReply('The link leads to nothing now.');
    }
    const link = await context.share(turn);
    return textReply(
      `${link}\nAnyone with this link can read the question, the answers, the reviews and the verdict, without who asked. \`share\` with \`do: withdraw\` ends that.`,
    );
  },
};

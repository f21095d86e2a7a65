import { z } from 'zod';
import type { Command } from './command.ts';
import type { CommandContext } from './context.ts';

/** `/council stop`: ends the turns one has asked in this thread. */
export const stop: Command<CommandContext> = {
  name: 'stop',
  description: 'Stop what you have asked in this thread; what has been said is kept',
  options: z.object({}),
  allowed: 'everyone',
  async run(context) {
    const stopped = await context.stop();
    const text =
      stopped === 0
        ? 'There is nothing of yours to stop in this thread. What you asked elsewhere is stopped there.'
        : `Stopped ${stopped === 1 ? 'one question' : `${stopped} questions`}. What the sages had said so far is kept.`;
    return { isPrivate: true, blocks: [{ type: 'text', text }] };
  },
};

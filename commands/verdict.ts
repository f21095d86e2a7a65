/** The commands that do something with a verdict: rate it, or give it to others. */

import { z } from 'zod';
import { ratings } from '../src/domain/stored-turn.ts';
import { textReply, turnOption } from './command.ts';
import { councilCommand, noSuchTurn } from './context.ts';

/** `/council post`: puts a verdict into the channel of its thread; for the person who asked and for managers. */
export const post = councilCommand({
  name: 'post',
  description: 'Post the verdict of this thread to its channel',
  options: { turn: turnOption() },
  async run(context, { turn }) {
    await context.post(turn);
    return textReply('The verdict is in the channel now.');
  },
});

/** `/council share`: a link to a page of a turn, for the person who asked and for managers to give to others. */
export const share = councilCommand({
  name: 'share',
  description: 'Get a link to a page of the last verdict, for anyone you give it to',
  options: {
    turn: turnOption(),
    do: z.enum(['make', 'withdraw']).optional().describe('make a link, or withdraw it'),
  },
  async run(context, { turn, do: what = 'make' }) {
    if (what === 'withdraw') {
      await context.unshare(turn);
      return textReply('The link leads to nothing now.');
    }
    const link = await context.share(turn);
    return textReply(
      `${link}\nAnyone with this link can read the question, the answers, the reviews and the verdict, without who asked. \`share\` with \`do: withdraw\` ends that.`,
    );
  },
});

/** `/council feedback`: says whether a verdict was of use; it is kept with the turn and shown in its receipt. */
export const feedback = councilCommand({
  name: 'feedback',
  description: 'Rate the last verdict; the receipt shows the rating',
  options: {
    rating: z.enum(ratings).describe('Was it useful? good or bad'),
    turn: turnOption(),
  },
  async run(context, { rating, turn }) {
    if (!(await context.rate(turn, rating))) throw noSuchTurn(turn);
    return textReply(
      'Thank you. Your rating is saved with the answer, and you can change it at any time.',
    );
  },
});

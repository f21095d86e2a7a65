/** The commands that ask the council or stop it. */

import { z } from 'zod';
import { askOptions, askSchema, mostNextQuestions } from '../src/domain/asking.ts';
import { acceptedWords } from '../src/domain/turn-words.ts';
import { CommandError, type Reply, textReply, turnOption } from './command.ts';
import { councilCommand, type Taken } from './context.ts';

/** `/council ask`: puts a question to the council. */
export const ask = councilCommand({
  name: 'ask',
  description: 'Put a question to the council',
  options: askOptions.shape,
  async run(context, given) {
    const { question, choice } = askSchema.parse(given);
    return acceptedReply(await context.ask(question, choice));
  },
});

/** `/council deeper`: continues a standard verdict with the rebuttal of depth `deep`. */
export const deeper = councilCommand({
  name: 'deeper',
  description: 'Go deeper into a verdict: those who contradict each other answer once more',
  options: { turn: turnOption() },
  async run(context, { turn }) {
    return acceptedReply(await context.deepen(turn));
  },
});

/** `/council again`: asks one sage the same question again. */
export const again = councilCommand({
  name: 'again',
  description: 'Ask one sage the same question again; what it said before is kept from it',
  options: {
    sage: z.string().describe('Key or name of a sage that answered'),
    model: z
      .string()
      .optional()
      .describe('provider:model that speaks for it this time, one that took part in the turn'),
    turn: turnOption(),
  },
  async run(context, { sage, model, turn }) {
    return acceptedReply(await context.askAgain(sage, { turnId: turn, model }));
  },
});

const numbers = Array.from({ length: mostNextQuestions }, (_, index) => `${index + 1}`);

/** `/council next`: asks a question that the verdict suggests. */
export const next = councilCommand({
  name: 'next',
  description: 'Ask one of the questions that the last verdict suggests',
  options: {
    question: z.enum(numbers).describe('Number of the question that the verdict suggests'),
    turn: turnOption(),
  },
  async run(context, { question, turn }) {
    return acceptedReply(await context.askNext(Number(question), turn));
  },
});

/** `/council stop`: stops a turn, or all that the person asked in this thread. */
export const stop = councilCommand({
  name: 'stop',
  description: 'Stop your questions in this thread; what was said so far is kept',
  options: { turn: turnOption('Which question; without it, all that you asked here') },
  async run(context, { turn }) {
    const stopped = await context.stop(turn);
    return textReply(turn === undefined ? textForThread(stopped) : textForTurn(stopped));
  },
});

/** Confirms that a question was accepted. Throws a {@link CommandError} if it was refused or already asked. */
function acceptedReply(taken: Taken): Reply {
  if (taken.status === 'refused') throw new CommandError(taken.reason);
  if (taken.status === 'dropped' || !taken.isNew) {
    throw new CommandError('It has been asked already.');
  }
  const { status: _, ...asked } = taken;
  return { ...textReply(acceptedWords(asked)), asked };
}

function textForThread(stopped: number): string {
  if (stopped === 0) {
    return 'You have nothing running in this thread. What others asked here, only they and those who manage this channel can stop. To stop a question you asked elsewhere, go to its thread.';
  }
  const what = stopped === 1 ? 'one question' : `${stopped} questions`;
  return `Stopped ${what}. Anything said so far is kept.`;
}

function textForTurn(stopped: number): string {
  return stopped === 0 ? 'It has already ended.' : 'Stopped. Anything said so far is kept.';
}

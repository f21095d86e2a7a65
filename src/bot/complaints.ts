/** What is wrong with a question, for the person who asked it: what was expected, how to mend it. */

import type { Council, TurnRequest } from '../council/council.ts';

export interface QuestionLimits {
  readonly maxQuestionChars: number;
  readonly maxQueuedTurnsPerUser: number;
  readonly maxQueuedTurnsPerThread: number;
}

/** What can be told from the question alone, and from those that are open. */
export function complaintAbout(
  { question, author, threadId }: TurnRequest,
  open: readonly { readonly userId: string; readonly threadId: string }[],
  limits: QuestionLimits,
): string | undefined {
  if (question === '') {
    return 'There is no question in it. Write what the council should think about.';
  }
  if (question.length > limits.maxQuestionChars) {
    return `The question has ${question.length} characters, and at most ${limits.maxQuestionChars} are taken. Shorten it, or ask in parts.`;
  }
  const theirs = open.filter((turn) => turn.userId === author.id);
  if (theirs.length >= limits.maxQueuedTurnsPerUser) {
    return `You have ${limits.maxQueuedTurnsPerUser} questions open already. Wait for an answer, or stop one.`;
  }
  const here = open.filter((turn) => turn.threadId === threadId);
  if (here.length >= limits.maxQueuedTurnsPerThread) {
    return `${limits.maxQueuedTurnsPerThread} questions wait in this thread already. Wait for an answer, or stop one.`;
  }
  return undefined;
}

/** @param bench - Who may sit in the channel. */
export function complaintAboutSages(
  sages: TurnRequest['sages'],
  bench: Council['bench'],
): string | undefined {
  if (sages === undefined) return undefined;
  const unknown = sages.filter((key) => !bench.some((sage) => sage.key === key));
  if (unknown.length === 0 && sages.length > 0) return undefined;
  const known = bench.map((sage) => sage.key).join(', ');
  return `${unknown.join(', ') || 'Nobody'} does not sit on this bench. Name some of: ${known}.`;
}

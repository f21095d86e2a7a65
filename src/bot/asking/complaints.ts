/** What is wrong with a question, for the person who asked it: what was expected, how to mend it. */

import type { Council, TurnRequest } from '../../council/council.ts';

export interface QuestionLimits {
  readonly maxQuestionChars: number;
  readonly maxQueuedTurnsPerUser: number;
  readonly maxQueuedTurnsPerThread: number;
}

/** Nothing that anybody could read. */
const unseen = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}]*$/u;
/** Of the names that are not known, as many as help to find the mistake. */
const mostUnknownShown = 5;
const longestUnknownShown = 50;

/** What can be told from the question alone. */
export function complaintAbout(
  { question }: TurnRequest,
  limits: QuestionLimits,
): string | undefined {
  if (unseen.test(question)) {
    return 'There is no question in it. Write what the council should think about.';
  }
  if (question.length > limits.maxQuestionChars) {
    return `The question has ${question.length} characters, and at most ${limits.maxQuestionChars} are taken. Shorten it, or ask in parts.`;
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
  const shown = unknown.slice(0, mostUnknownShown).map((key) => key.slice(0, longestUnknownShown));
  const names = [...shown, ...(unknown.length > shown.length ? ['…'] : [])].join(', ');
  return `${names || 'Nobody'} does not sit on this bench. Name some of: ${known}.`;
}

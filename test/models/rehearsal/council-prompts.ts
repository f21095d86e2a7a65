/** The council's own prompts over the bench to rehearse with, so that a change of theirs is noticed here. */

import type { Council, CouncilContext } from '../../../src/council/council.ts';
import { moderatorMessages } from '../../../src/council/prompts/moderator-prompt.ts';
import { reviewMessages } from '../../../src/council/prompts/review-prompt.ts';
import { sageMessages } from '../../../src/council/prompts/sage-prompt.ts';
import type { Sage } from '../../../src/domain/turn.ts';
import type { ChatMessage } from '../../../src/models/chat-model.ts';
import { benchOfSages } from './bench-of-sages.ts';

export function councilOf(maxSages: number): Council {
  return {
    bench: benchOfSages,
    seats: 'moderated',
    depth: 'standard',
    maxSages,
    maxDynamicSages: 1,
    answerWords: 160,
    fallbackSage: 'strategy_expert',
    limits: {
      moderatorTimeoutMs: 1000,
      sageTimeoutMs: 1000,
      reviewTimeoutMs: 1000,
      chairTimeoutMs: 1000,
      quorumShare: 0.5,
      graceMs: 1000,
      maxAnswerChars: 10_000,
    },
  };
}

const noContext: CouncilContext = { forSages: [], forChair: [], forReviewers: [] };

export function sageOf(key: string): Sage {
  const sage = benchOfSages.find((candidate) => candidate.key === key);
  if (sage === undefined) throw new Error(`There is no ${key} on the bench of these tests.`);
  return sage;
}

export function seatingPrompt(question: string, maxSages = 4): readonly ChatMessage[] {
  return moderatorMessages(question, councilOf(maxSages), noContext);
}

export function sagePrompt(
  sage: Sage,
  question: string,
  more: { readonly focus?: string; readonly history?: readonly ChatMessage[] } = {},
): readonly ChatMessage[] {
  const context = { forSages: more.history ?? [], forChair: [], forReviewers: [] };
  return sageMessages(sage, question, more.focus, councilOf(4), context);
}

/** @param answers - Texts by label, in the order in which they are shown. */
export function reviewPrompt(
  reviewer: Sage,
  question: string,
  answers: Readonly<Record<string, string>>,
): readonly ChatMessage[] {
  const shown = Object.entries(answers).map(([label, answer]) => ({ label, answer }));
  return reviewMessages(reviewer, question, shown, councilOf(4), noContext, 'seed');
}

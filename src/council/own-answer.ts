/** What the chair would say on its own, asked while the sages think: the council's finds are worked into it. */

import { keptReasoning, type OwnAnswer } from '../domain/turn.ts';
import type { StepInput } from './council.ts';
import { failureOf, startDeadline } from './cutoff.ts';
import { ownAnswerMessages } from './prompts/chair-prompt.ts';

/** Throws only when the turn was stopped, or is left for later. */
export async function askOwnAnswer(input: StepInput): Promise<OwnAnswer> {
  const { request, council, context } = input;
  const { chair } = input.models;
  const startedAt = Date.now();
  const ended = () => ({ model: chair.id, latencyMs: Date.now() - startedAt });
  const deadline = startDeadline(input.signal, council.limits.sageTimeoutMs, 'The chair');
  try {
    const { text, reasoning, by } = await chair.complete({
      messages: ownAnswerMessages(request.question, council, context),
      ...{ stage: 'own_answer', signal: deadline.signal, onWait: deadline.pause },
    });
    const whole = text.trim().slice(0, council.limits.maxAnswerChars);
    return { ...ended(), text: whole, ...keptReasoning(reasoning), ...(by && { model: by }) };
  } catch (error) {
    const { reason, explanation } = failureOf(error);
    if (reason === 'stopped') throw error;
    return { ...ended(), text: '', failure: { reason, explanation } };
  } finally {
    deadline.clear();
  }
}

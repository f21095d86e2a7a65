/**
 * A summary of a conversation that leaves nothing out: the attempt and what it lacks are appended to the
 * same conversation, and the model is asked again, up to twice.
 */

import { fence } from '../../domain/fence.ts';
import type { ChatMessage, ChatModel, ChatRequest } from '../../models/chat-model.ts';
import type { Language } from '../recall/retrieval/language.ts';
import { missingFrom, type Point, pointInWords } from './coverage.ts';

export interface CoveredSummary {
  /** The attempt that lacks the least; the earliest of equals. */
  readonly text: string;
  /** What it lacks: empty for a complete one. Show it as incomplete otherwise. */
  readonly missing: readonly Point[];
  /** How often the model was asked, 1 to 3. */
  readonly tries: number;
}

export interface CoverageOptions {
  /** What has to be in it. */
  readonly points: readonly Point[];
  /** Of the conversation; `noLanguage` where it is not known. */
  readonly language: Language;
}

const maxTries = 3;
/** More would not be read; the attempt is judged by all of them. */
const mostToldBack = 40;

/**
 * @param request - The conversation as proper messages, and what is asked of it last.
 * @throws What the model throws, whichever attempt it was.
 */
export async function summariseCovered(
  model: ChatModel,
  request: Omit<ChatRequest, 'replySchema'>,
  { points, language }: CoverageOptions,
): Promise<CoveredSummary> {
  let messages: readonly ChatMessage[] = request.messages;
  let best: Pick<CoveredSummary, 'text' | 'missing'> | undefined;
  for (let tries = 1; ; tries += 1) {
    const { text } = await model.complete({ ...request, messages });
    const missing = missingFrom(text, points, language);
    if (!best || missing.length < best.missing.length) best = { text: text.trim(), missing };
    if (missing.length === 0 || tries === maxTries) return { ...best, tries };
    messages = [
      ...messages,
      { role: 'assistant', content: text },
      { role: 'user', content: tellBack(missing) },
    ];
  }
}

function tellBack(missing: readonly Point[]): string {
  const told = missing.slice(0, mostToldBack).map(pointInWords);
  const more = missing.length > told.length ? [`- and ${missing.length - told.length} more`] : [];
  return [
    'This was said in the conversation and is missing from your text:',
    fence('missing', [...told, ...more].join('\n')),
    'Write the whole text again, with that, each as what somebody said. Add nothing that was not said.',
  ].join('\n');
}

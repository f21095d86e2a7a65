/**
 * Summarises a conversation without losing its points: a faulty attempt is appended to the conversation
 * together with its faults, and the model tries again, up to twice.
 */

import { fence } from '../../domain/fence.ts';
import { oneLine } from '../../domain/words.ts';
import type { ChatMessage, ChatModel, ChatRequest } from '../../models/chat-model.ts';
import type { Language } from '../recall/retrieval/language.ts';
import { missingFrom, type Point, pointInWords, type Said } from './coverage.ts';
import { openLabel, strangeLines, wordCount } from './passages.ts';

export interface CoveredSummary {
  /** The attempt with the fewest faults, the earliest of equals. Empty only if all were. */
  readonly text: string;
  /** The points that it lacks. */
  readonly missing: readonly Point[];
  /** Starts of lines that name no speaker. If there are any, show the text as incomplete. */
  readonly strange: readonly string[];
  /** Model calls, 1 to 3. */
  readonly tries: number;
}

export interface CoverageOptions {
  /** The points that it must contain. */
  readonly points: readonly Point[];
  /** The conversation's; `noLanguage` if unknown. */
  readonly language: Language;
  /** Up to a quarter more is accepted: models count badly. */
  readonly maxWords: number;
  /** Every line must start with one of these or with `Open`; absent: lines are not checked. */
  readonly names?: readonly string[];
}

const maxTries = 3;
/** The model reads at most this many faults; the attempt is judged by all of them. */
const maxListedPoints = 40;
const tolerance = 1.25;

/**
 * The word limit of a summary: 40 words per message, fewer for a short one, and at least 40.
 *
 * @param most - The upper limit.
 */
export function wordLimitFor(said: readonly Pick<Said, 'text'>[], most: number): number {
  const each = said.map(({ text }) => Math.min(40, Math.max(15, wordCount(text) * 0.6)));
  const sum = each.reduce((all, one) => all + one, 0);
  return Math.min(most, Math.max(40, Math.ceil(sum / 10) * 10));
}

/** Instructs a model on the layout and length of a summary whose lines are checked. */
export function layoutRule(points: readonly Point[], maxWords: number): string {
  const numbers = points.flatMap(({ kind, text }) => (kind === 'number' ? [text] : []));
  return [
    'Begin a new line for each question, for what each sage held on it and for each verdict, with the name of who said it, written as it is above, and a colon.',
    `End with a line that begins with “${openLabel}:” if a question was left without an answer.`,
    ...(numbers.length > 0
      ? [`These numbers carry what was said, so keep them: ${numbers.join('; ')}.`]
      : []),
    'Where a day is named as seen from then, e.g. “next Tuesday”, write its date: “on” says when each question was asked.',
    `No headings, no lists, at most ${maxWords} words.`,
  ].join(' ');
}

/**
 * @param request - The conversation as messages, ending with the task.
 * @throws What the model throws, in any attempt.
 */
export async function summariseCovered(
  model: ChatModel,
  request: Omit<ChatRequest, 'replySchema'>,
  options: CoverageOptions,
): Promise<CoveredSummary> {
  let messages: readonly ChatMessage[] = request.messages;
  let best: Attempt | undefined;
  for (let tries = 1; ; tries += 1) {
    const reply = await model.complete({ ...request, messages });
    const attempt = judge(reply.text, options);
    if (!best || attempt.faults < best.faults) best = attempt;
    const { text, missing, strange } = best;
    if (best.faults === 0 || tries === maxTries) return { text, missing, strange, tries };
    messages = [
      ...messages,
      // Some servers refuse an empty message.
      { role: 'assistant', content: reply.text || '(nothing)' },
      { role: 'user', content: correctionOf(attempt, options.maxWords) },
    ];
  }
}

interface Attempt extends Omit<CoveredSummary, 'tries'> {
  /** The word count, if it is too long. */
  readonly tooManyWords?: number;
  /** The number of faults; infinite for an empty text. */
  readonly faults: number;
}

function judge(reply: string, { points, language, maxWords, names }: CoverageOptions): Attempt {
  const text = reply.trim();
  if (text === '') return { text, missing: points, strange: [], faults: Infinity };
  const missing = missingFrom(text, points, language);
  const strange = names ? strangeLines(names, text) : [];
  const words = wordCount(text);
  const isLong = words > maxWords * tolerance;
  const faults = missing.length + strange.length + (isLong ? 1 : 0);
  return { text, missing, strange, faults, ...(isLong && { tooManyWords: words }) };
}

function correctionOf({ missing, strange, tooManyWords }: Attempt, maxWords: number): string {
  const points = missing.slice(0, maxListedPoints).map((point) => `- ${pointInWords(point)}`);
  const unlisted = missing.length - points.length;
  if (unlisted > 0) points.push(`- and ${unlisted} more`);
  const lines = strange.slice(0, maxListedPoints).map((line) => `- “${oneLine(line)}”`);
  const ofPoints = [
    'This was said in the conversation and is missing from your text:',
    fence('missing', points.join('\n')),
  ];
  const ofLines = [
    'These lines of your text don’t begin with the name of a speaker:',
    fence('missing', lines.join('\n')),
    'Leave out what was not said, and begin each of the others with its speaker’s name.',
  ];
  return [
    ...(points.length > 0 ? ofPoints : []),
    ...(lines.length > 0 ? ofLines : []),
    ...(tooManyWords === undefined ? [] : [`Your text has ${tooManyWords} words.`]),
    `Write the whole text again, with what is missing and in at most ${maxWords} words: tell the rest more briefly. ` +
      'Attribute each thing to its speaker, and add nothing that was not said.',
  ].join('\n');
}

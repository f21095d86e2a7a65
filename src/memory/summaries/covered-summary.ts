/**
 * A summary of a conversation that leaves nothing out that matters: the attempt and what is wrong with it
 * are appended to the same conversation, and the model is asked again, up to twice.
 */

import { fence } from '../../domain/fence.ts';
import { oneLine } from '../../domain/words.ts';
import type { ChatMessage, ChatModel, ChatRequest } from '../../models/chat-model.ts';
import type { Language } from '../recall/retrieval/language.ts';
import { missingFrom, type Point, pointInWords, type Said } from './coverage.ts';
import { openLabel, strangeLines, wordCount } from './passages.ts';

export interface CoveredSummary {
  /** The attempt that lacks the least; the earliest of equals. Empty only where all of them were. */
  readonly text: string;
  /** What it lacks. */
  readonly missing: readonly Point[];
  /** Beginnings of lines without a speaker. With these, too, show it as incomplete. */
  readonly strange: readonly string[];
  /** How often the model was asked, 1 to 3. */
  readonly tries: number;
}

export interface CoverageOptions {
  /** What has to be in it. */
  readonly points: readonly Point[];
  /** Of the conversation; `noLanguage` where it is not known. */
  readonly language: Language;
  /** A text of up to a quarter more is taken: models count badly. */
  readonly maxWords: number;
  /** Each line has to begin with one of these, or with `Open`; absent: lines are not looked at. */
  readonly names?: readonly string[];
}

const maxTries = 3;
/** More would not be read; the attempt is judged by all of them. */
const maxListedPoints = 40;
const tolerance = 1.25;

/**
 * What a summary may take: 40 words for each thing that was said, and fewer for one that is short.
 *
 * @param most - However much was said.
 */
export function wordLimitFor(said: readonly Pick<Said, 'text'>[], most: number): number {
  const each = said.map(({ text }) => Math.min(40, Math.max(15, wordCount(text) * 0.6)));
  const sum = each.reduce((all, one) => all + one, 0);
  return Math.min(most, Math.max(40, Math.ceil(sum / 10) * 10));
}

/** How a summary is laid out whose lines are looked at, and how long it may be; for a model. */
export function layoutRule(points: readonly Point[], maxWords: number): string {
  const numbers = points.flatMap(({ kind, text }) => (kind === 'number' ? [text] : []));
  return [
    'Begin a new line for each question and for what each sage held on it, with the name of who said it, written as it is above, and a colon.',
    `End with a line that begins with “${openLabel}:” if a question was left without an answer.`,
    ...(numbers.length > 0
      ? [`These numbers carry what was said, so keep them: ${numbers.join('; ')}.`]
      : []),
    `No headings, no lists, at most ${maxWords} words.`,
  ].join(' ');
}

/**
 * @param request - The conversation as proper messages, and what is asked of it last.
 * @throws What the model throws, whichever attempt it was.
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
    const attempt = judged(reply.text, options);
    if (!best || attempt.faults < best.faults) best = attempt;
    const { text, missing, strange } = best;
    if (best.faults === 0 || tries === maxTries) return { text, missing, strange, tries };
    messages = [
      ...messages,
      // Some servers refuse an empty message.
      { role: 'assistant', content: reply.text || '(nothing)' },
      { role: 'user', content: tellBack(attempt, options.maxWords) },
    ];
  }
}

interface Attempt {
  readonly text: string;
  readonly missing: readonly Point[];
  readonly strange: readonly string[];
  /** Absent where it is not too long. */
  readonly tooManyWords?: number;
  /** In number; an empty text has more than any other. */
  readonly faults: number;
}

function judged(reply: string, { points, language, maxWords, names }: CoverageOptions): Attempt {
  const text = reply.trim();
  if (text === '') return { text, missing: points, strange: [], faults: Infinity };
  const missing = missingFrom(text, points, language);
  const strange = names ? strangeLines(names, text) : [];
  const words = wordCount(text);
  const isLong = words > maxWords * tolerance;
  const faults = missing.length + strange.length + (isLong ? 1 : 0);
  return { text, missing, strange, faults, ...(isLong && { tooManyWords: words }) };
}

function tellBack({ missing, strange, tooManyWords }: Attempt, maxWords: number): string {
  const told = missing.slice(0, maxListedPoints).map((point) => `- ${pointInWords(point)}`);
  const more = missing.length > told.length ? [`- and ${missing.length - told.length} more`] : [];
  const lines = strange.slice(0, maxListedPoints).map((line) => `- “${oneLine(line)}”`);
  return [
    ...(told.length > 0
      ? [
          'This was said in the conversation and is missing from your text:',
          fence('missing', [...told, ...more].join('\n')),
        ]
      : []),
    ...(lines.length > 0
      ? [
          'These lines of your text don’t begin with the name of a speaker:',
          fence('missing', lines.join('\n')),
          'Leave out what was not said, and begin each of the others with its speaker’s name.',
        ]
      : []),
    ...(tooManyWords === undefined ? [] : [`Your text has ${tooManyWords} words.`]),
    `Write the whole text again, with what is missing and in at most ${maxWords} words: tell the rest more briefly. ` +
      'Attribute each thing to its speaker, and add nothing that was not said.',
  ].join('\n');
}

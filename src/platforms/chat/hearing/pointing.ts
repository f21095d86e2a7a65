/** Questions that point at what others have said instead of saying what they are about. */

import type { Question } from '../../platform.ts';

/** Asked where there are no words, and something to ask about. */
export const wordlessQuestion = 'What do you make of this?';

const mostWords = 7;
/** What points at something that was said before, in the languages that are heard most. */
const pointing =
  /(?:^|[^\p{L}])(?:this|that|these|those|it|above|settle|decide|who(?:'|’)?s right|who is right|which of (?:the two|them)|thoughts|opinions?|what do you (?:all )?think|agree|das|dies(?:e[rs]?)?|wer hat recht|was meint ihr|ça|cela|ceci|qui a raison|un avis|esto|eso|quién tiene razón|qué opin\p{L}+|isso|isto|quem tem razão|questo|quello|chi ha ragione|это|этом|кто прав|dit|deze|wie heeft gelijk)(?:[^\p{L}]|$)/iu;
const pointingWithoutSpaces =
  /これ|それ|この件|どう思|这|這|那个|哪个|谁对|이거|이것|그것|어떻게 생각/u;

/** Whether a question says so little by itself that it must be about what was said before it. */
export function pointsElsewhere(question: string): boolean {
  const text = question.trim();
  if (text.split(/\s+/).length > mostWords || text.length > 80) return false;
  return text === wordlessQuestion || pointing.test(text) || pointingWithoutSpaces.test(text);
}

/** What is read around a question, by where it was asked. In a direct message that is nothing. */
export function hearsOf(
  question: string,
  at: { readonly isInThread: boolean; readonly isReply: boolean; readonly isDirect: boolean },
): Pick<Question, 'hears'> {
  if (at.isDirect) return {};
  if (at.isInThread) return { hears: 'thread' };
  if (at.isReply) return { hears: 'replies' };
  return pointsElsewhere(question) ? { hears: 'channel' } : {};
}

/**
 * A question about another person's message.
 *
 * @param typed - What the person who asks wants to know; empty: whatever there is to say.
 * @param link - Where the message is; absent: where the question stands.
 */
export function questionAbout(author: string, typed: string, link?: string): string {
  const where = link === undefined ? '' : ` (${link})`;
  const wanted = typed.trim();
  if (wanted === '') return `What do you make of what ${author} wrote?${where}`;
  return `${wanted}\n\nAbout what ${author} wrote${where}.`;
}

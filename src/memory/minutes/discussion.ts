/** The input of minutes: who said what in a thread, numbered, within bounds. */

import { counted, firstCharacters } from '../../domain/words.ts';
import { alternating, type ChatMessage } from '../../models/chat-model.ts';
import type { Interaction } from '../../store/store.ts';
import { saidIn } from '../recall/history.ts';
import { type Said, saidMessage } from '../summaries/coverage.ts';

/** Minutes cover at most this many of a thread's last questions: the store's limit for one read. */
export const maxMinutedQuestions = 50;
/** The limit for the whole discussion, about 15,000 tokens, and for one message. */
const maxChars = 60_000;
const maxCharsEach = 6000;

/** A message with the number by which the record cites it, from 1. */
export interface Spoken extends Said {
  readonly number: number;
}

export interface Discussion {
  /** In order of time. */
  readonly said: readonly Spoken[];
  /** Sentences for people about the parts of the thread that are left out. */
  readonly leftOut: readonly string[];
}

/**
 * @param interactions - Oldest first, at most {@link maxMinutedQuestions}.
 * @param nameOf - Returns a sage's name for its key.
 * @param isAnswering - The council is still answering a question that is not among the interactions.
 */
export function discussionOf(
  interactions: readonly Interaction[],
  nameOf: (sage: string) => string,
  isAnswering: boolean,
): Discussion {
  let cutShort = 0;
  let chars = 0;
  const kept: (readonly Said[])[] = [];
  for (const interaction of interactions.toReversed()) {
    const said = saidIn(interaction, nameOf);
    const shown = said.map((one) => ({ ...one, text: shortened(one.text) }));
    chars += shown.reduce((sum, { text }) => sum + text.length, 0);
    if (kept.length > 0 && chars > maxChars) break;
    cutShort += said.filter(({ text }) => text.length > maxCharsEach).length;
    kept.unshift(shown);
  }
  const spare = interactions.length - kept.length;
  return {
    said: kept.flat().map((one, at) => ({ ...one, number: at + 1 })),
    leftOut: [
      isAnswering && 'What the council is still answering is left out.',
      spare > 0 && `Left out: the first ${spare} of ${interactions.length} questions.`,
      interactions.length >= maxMinutedQuestions &&
        `Only the last ${maxMinutedQuestions} questions of the thread were read.`,
      cutShort > 0 && `Only the beginning of ${counted(cutShort, 'long message')} was read.`,
    ].filter((sentence) => sentence !== false),
  };
}

/** The discussion as prompt messages, numbered. */
export function discussionMessages({ said }: Discussion, timeZone: string): readonly ChatMessage[] {
  return alternating(said.map((one) => saidMessage(one, timeZone, { said: `${one.number}` })));
}

function shortened(text: string): string {
  return text.length > maxCharsEach ? `${firstCharacters(text, maxCharsEach)} […]` : text;
}

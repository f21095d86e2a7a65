/** Recorded councils in a terminal: how they are offered, chosen, and played as fast as one reads. */

import { setTimeout as wait } from 'node:timers/promises';
import type { TurnEvent } from '../../council/events.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import type { Page } from './page.ts';
import { prose } from './prose.ts';

/** A recorded council, ready to be looked at. */
export interface RecordedCouncil {
  readonly title: string;
  readonly request: TurnRequest;
  readonly events: readonly TurnEvent[];
}

/** Which recorded councils there are. */
export interface Recordings {
  /** On one line each, in the order of their numbers from 1. */
  readonly titles: readonly string[];
  /** A number alone on a line plays one. Otherwise, e.g. where it may answer a question, `recorded 2` does. */
  readonly isNumberEnough: boolean;
  /** Keeps one where commands find it. @param place - In `titles`, from 0. */
  open(place: number): Promise<RecordedCouncil>;
}

const recordedWord = /^(\/?(?:council +)?recorded\b)? *(\d*)$/;

/**
 * What a line says about the recordings, e.g. `recorded 2`, `/recorded`, or `2` where a number is enough.
 *
 * @returns The place in `titles` of the one it names, or that it wants all listed; `undefined`: it is about something else.
 */
export function recordedWish(
  line: string,
  { titles, isNumberEnough }: Recordings,
): number | 'list' | undefined {
  const [, word, digits = ''] = recordedWord.exec(line.trim()) ?? [];
  if (word === undefined && (digits === '' || !isNumberEnough)) return undefined;
  const place = Number(digits) - 1;
  return titles[place] === undefined ? 'list' : place;
}

/** The recordings by their numbers. */
export function offerLines({ titles, isNumberEnough }: Recordings, page: Page): readonly string[] {
  const { palette, width } = page;
  const begin = isNumberEnough ? '' : '/recorded ';
  return titles.flatMap((title, place) => {
    const number = `${begin}${place + 1}`;
    const layout = { palette, width: width - number.length - 4 };
    const [first = '', ...rest] = prose(title, layout);
    const indent = ' '.repeat(number.length + 4);
    return [`  ${palette.code(number)}  ${first}`, ...rest.map((line) => indent + line)];
  });
}

/** In milliseconds, after each word and after each step. */
export interface Pauses {
  readonly word: number;
  readonly step: number;
}

/** People skim a text at about ten words a second, and look up between two steps. */
const readingPauses: Pauses = { word: 100, step: 500 };

/**
 * Tells what happens in a recorded council at the pace of a live one that is read along.
 *
 * @param skip - Aborted: the rest comes at once.
 * @param pauses - Absent: those of a reader.
 */
export async function* atReadingSpeed(
  events: readonly TurnEvent[],
  skip: AbortSignal,
  pauses = readingPauses,
): AsyncGenerator<TurnEvent> {
  const pause = async (milliseconds: number) => {
    // An abort is the wish to wait no longer.
    await wait(milliseconds, undefined, { signal: skip }).catch(() => undefined);
  };
  for (const event of events) {
    if (event.type === 'answered') {
      const { sage, answer: whole } = event.answer;
      for (const answer of growing(whole)) {
        if (skip.aborted) break;
        yield { type: 'answer_grew', sage, answer };
        await pause(pauses.word);
      }
    } else if (event.type === 'concluded') {
      for (const verdict of growing(event.verdict.verdict)) {
        if (skip.aborted) break;
        yield { type: 'verdict_grew', verdict };
        await pause(pauses.word);
      }
    }
    yield event;
    if (!skip.aborted) await pause(pauses.step);
  }
}

/** The beginnings of a text, a word longer each. */
function* growing(text: string): Generator<string> {
  for (const { index, 0: space } of text.matchAll(/\s+/g))
    yield text.slice(0, index + space.length);
}

/** Recorded councils in a terminal: lists them, reads which one to play, and plays it at reading speed. */

import { setTimeout as wait } from 'node:timers/promises';
import type { TurnEvent } from '../../council/events.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import type { Page } from './page.ts';
import { prose } from './prose.ts';

/** A recorded council, ready to play. */
export interface RecordedCouncil {
  readonly title: string;
  readonly request: TurnRequest;
  readonly events: readonly TurnEvent[];
}

/** The recorded councils that can be played. */
export interface Recordings {
  /** One line each; the first has number 1. */
  readonly titles: readonly string[];
  /** A number alone on a line plays a recording. If `false`, e.g. because a model can answer it, `recorded 2` does. */
  readonly isNumberEnough: boolean;
  /** Opens a recording, and stores it for commands. @param index - Index in `titles`. */
  open(index: number): Promise<RecordedCouncil>;
}

const recordedWord = /^(\/?(?:council +)?recorded\b)? *(\d*)$/;
/** With a slash, the line is never a question, so all that follows is meant as a number. */
const recordedCommand = /^(\/(?:council +)?recorded) +(.*)$/;

/**
 * Reads a line such as `recorded 2`, `/recorded`, or `2` if a number is enough.
 *
 * @returns What follows the word, mostly the number of a recording; empty: the list is wanted. `undefined` if the line
 *   is not about recordings.
 */
export function recordingWanted(
  line: string,
  { isNumberEnough }: Pick<Recordings, 'isNumberEnough'>,
): string | undefined {
  const text = line.trim();
  const [, word, number = ''] = recordedWord.exec(text) ?? recordedCommand.exec(text) ?? [];
  return word === undefined && (number === '' || !isNumberEnough) ? undefined : number;
}

/** Lists the recordings by number. */
export function recordingLines(
  { titles, isNumberEnough }: Recordings,
  page: Page,
): readonly string[] {
  const { palette, width } = page;
  const command = isNumberEnough ? '' : '/recorded ';
  return titles.flatMap((title, index) => {
    const number = `${command}${index + 1}`;
    const layout = { palette, width: width - number.length - 4 };
    const [first = '', ...rest] = prose(title, layout);
    const indent = ' '.repeat(number.length + 4);
    return [`  ${palette.code(number)}  ${first}`, ...rest.map((line) => indent + line)];
  });
}

/** Pauses after each word and each step, in milliseconds. */
export interface Pauses {
  readonly word: number;
  readonly step: number;
}

/** People skim text at about ten words a second, and look up between steps. */
const readingPauses: Pauses = { word: 100, step: 500 };

/**
 * Replays the events of a recorded council at the pace of a live one.
 *
 * @param skip - Once aborted, the remaining events come without pauses.
 */
export async function* atReadingSpeed(
  events: readonly TurnEvent[],
  skip: AbortSignal,
  pauses = readingPauses,
): AsyncGenerator<TurnEvent> {
  const pause = async (milliseconds: number) => {
    // Skipping ends the pause and is not an error.
    await wait(milliseconds, undefined, { signal: skip }).catch(() => undefined);
  };
  for (const event of events) {
    for (const grown of growing(event)) {
      if (skip.aborted) break;
      yield grown;
      await pause(pauses.word);
    }
    yield event;
    if (!skip.aborted) await pause(pauses.step);
  }
}

/** The events before an answer or a verdict is whole: longer and longer beginnings of it, word by word. */
function* growing(event: TurnEvent): Generator<TurnEvent> {
  if (event.type !== 'answered' && event.type !== 'concluded') return;
  const whole = event.type === 'answered' ? event.answer.answer : event.verdict.verdict;
  for (const { index, 0: space } of whole.matchAll(/\s+/g)) {
    const said = whole.slice(0, index + space.length);
    if (event.type === 'concluded') yield { type: 'verdict_grew', verdict: said };
    else yield { type: 'answer_grew', sage: event.answer.sage, answer: said };
  }
}

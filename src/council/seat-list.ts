/** Collects seats in the order of naming, within the limits of the council and the rules for names. */

import type { Sage, Seat } from '../domain/turn.ts';
import { nameWords, oneLine, sentencesWithin } from '../domain/words.ts';
import type { Council } from './council.ts';
import { chairAlone, maxFocusWords } from './prompts/moderator-prompt.ts';
import { nameProblem, repairName } from './sage-name.ts';

/** The words of a name that make up a key. */
const keyParts = /[\p{L}\p{N}]+/gu;
const maxNameChars = 80;
/** Enough for the four sentences about an invented sage. */
const maxDescriptionChars = 800;

export class SeatList {
  readonly #council: Council;
  readonly #modelOf: (sage: Sage) => string;
  readonly #mayBeChair: boolean;
  readonly #seats = new Map<string, Seat>();
  readonly #dropped = new Map<string, string>();
  readonly #focus = new Map<string, string>();
  #onRequest: string | undefined;
  /** Whether the only seated sage, or without one the chair, answers without a council. */
  isAlone = false;

  /**
   * @param modelOf - Returns the id of the model that speaks for a sage.
   * @param mayBeChair - The chair has something to repeat, so it may answer alone.
   */
  constructor(council: Council, modelOf: (sage: Sage) => string, mayBeChair: boolean) {
    this.#council = council;
    this.#modelOf = modelOf;
    this.#mayBeChair = mayBeChair;
  }

  /**
   * Sets the focus of a sage by key or name, before or after it is seated. Drops the sentences beyond the limit:
   * a longer focus has begun to answer the question.
   */
  setFocus(sageName: string, query: string): void {
    const focus = sentencesWithin(query, maxFocusWords);
    if (focus) this.#focus.set(focusKey(sageName), focus);
  }

  /** Notes the sage, by key or name, that must argue for an option. */
  setOnRequest(sageName: string): void {
    this.#onRequest = focusKey(sageName);
  }

  /** Has the chair or a sage of the bench answer without a council. Without effect if others are seated. */
  setAlone(named: string): void {
    const sage = this.#onBench(named);
    if (sage && this.#seats.size === 0) this.#seat(sage);
    const [only, ...others] = this.#seats.keys();
    const isKnown = sage !== undefined || (named === chairAlone && this.#mayBeChair);
    this.isAlone = isKnown && only === sage?.key && others.length === 0;
  }

  /** Seats a sage of the bench, once; drops an unknown name. */
  nameFromBench(named: string): void {
    const sage = this.#onBench(named);
    if (sage) this.#seat(sage);
    else this.#drop(named, 'not on the bench');
  }

  /**
   * Seats an invented sage, or the sage on the bench that has its name. The rules for custom sages' names apply:
   * forbidden characters are removed, and a misleading name is dropped.
   */
  nameNew(given: string, description: string): void {
    const name = repairName(given);
    if (!name) {
      this.#drop(given.trim() || '(no name)', 'a new sage needs a name');
      return;
    }
    const known = this.#onBench(name);
    if (known) {
      this.#seat(known);
      return;
    }
    const key = `new_${(name.toLowerCase().match(keyParts) ?? ['sage']).join('_')}`;
    if (this.#seats.has(key)) return;
    const invented = this.seats
      .map(({ sage }) => sage)
      .filter(({ source }) => source === 'dynamic');
    const problem = nameProblem(name, [...this.#council.bench, ...invented]);
    if (problem !== undefined) {
      this.#drop(given, problem.replace(/\.$/, ''));
      return;
    }
    if (invented.length >= this.#council.maxDynamicSages) {
      this.#drop(name, `at most ${this.#council.maxDynamicSages} new sages are allowed here`);
      return;
    }
    const about = tidy(description, maxDescriptionChars) || name;
    this.#seat({ key, name, description: about, source: 'dynamic' });
  }

  get seats(): readonly Seat[] {
    return [...this.#seats.values()].map((seat) => this.#withFocus(seat));
  }

  /** Key of the seated sage that must argue for an option. */
  get onRequest(): string | undefined {
    return this.seats.find(({ sage: { key, name } }) =>
      [key, name].some((one) => focusKey(one) === this.#onRequest),
    )?.sage.key;
  }

  get dropped(): readonly { name: string; why: string }[] {
    return [...this.#dropped].map(([name, why]) => ({ name, why }));
  }

  #seat(sage: Sage): void {
    if (this.#seats.has(sage.key)) return;
    if (this.#seats.size >= this.#council.maxSages) {
      this.#drop(sage.name, `at most ${this.#council.maxSages} sages are seated here`);
      return;
    }
    this.#seats.set(sage.key, { sage, model: this.#modelOf(sage) });
  }

  #withFocus(seat: Seat): Seat {
    const { key, name } = seat.sage;
    const focus = this.#focus.get(focusKey(key)) ?? this.#focus.get(focusKey(name));
    return focus ? { ...seat, focus } : seat;
  }

  #onBench(named: string): Sage | undefined {
    const wanted = nameWords(named);
    return this.#council.bench.find(
      (sage) => nameWords(sage.key) === wanted || nameWords(sage.name) === wanted,
    );
  }

  #drop(name: string, why: string): void {
    this.#dropped.set(tidy(name, maxNameChars), why);
  }
}

/** An invented sage may get its focus under the name it was given, before that is repaired. */
function focusKey(name: string): string {
  return nameWords(repairName(name));
}

function tidy(text: string, maxChars: number): string {
  return oneLine(text).slice(0, maxChars);
}

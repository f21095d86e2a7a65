/** Collects who is named, in the order of naming, and keeps to the rules of the bench. */

import type { Sage, Seat } from '../domain/turn.ts';
import { likeness, oneLine, sentencesWithin } from '../domain/words.ts';
import type { Council } from './council.ts';
import { maxFocusWords } from './prompts/moderator-prompt.ts';
import { mendName, wrongWithName } from './sage-name.ts';

/** Words of a name that a key is made of. */
const keyParts = /[\p{L}\p{N}]+/gu;
const maxNameChars = 80;
/** Room for the four sentences that an invented sage has. */
const maxDescriptionChars = 800;

export class SeatList {
  readonly #council: Council;
  readonly #modelOf: (sage: Sage) => string;
  readonly #seats = new Map<string, Seat>();
  readonly #dropped = new Map<string, string>();
  readonly #focus = new Map<string, string>();
  /** What the moderator called an invented sage, by its key. */
  readonly #givenNames = new Map<string, string>();

  /** @param modelOf - Gives the id of the model that speaks for a sage. */
  constructor(council: Council, modelOf: (sage: Sage) => string) {
    this.#council = council;
    this.#modelOf = modelOf;
  }

  /**
   * Remembers a focus for whom it names, by key or name; used for seats that come after it. What goes on for
   * longer than it may has begun to answer: the sentences that are too many are left out, or all of it.
   */
  setFocus(sageName: string, query: string): void {
    const focus = sentencesWithin(query, maxFocusWords);
    if (focus) this.#focus.set(identity(sageName), focus);
  }

  /** Seats a sage of the bench; what is not on it is dropped. Naming one twice seats it once. */
  nameFromBench(named: string): void {
    const sage = this.#onBench(named);
    if (sage) this.#seat(sage);
    else this.#drop(named, 'not on the bench');
  }

  /**
   * Seats an invented sage, unless it is one of the bench by another description. Its name keeps to the
   * rules for sages that members make: one of a wrong form is fixed, one that misleads is dropped.
   */
  nameNew(given: string, description: string): void {
    const name = mendName(given);
    if (!name) {
      this.#drop(given.trim() || '(no name)', 'a new sage needs a name');
      return;
    }
    const known = this.#onBench(name) ?? this.#alikeOnBench(name);
    if (known) {
      this.#seat(known);
      return;
    }
    const key = `new_${(name.toLowerCase().match(keyParts) ?? ['sage']).join('_')}`;
    if (this.#seats.has(key)) return;
    const invented = this.#invented();
    const wrong = wrongWithName(name, [...this.#council.bench, ...invented]);
    if (wrong !== undefined) {
      this.#drop(given, wrong);
      return;
    }
    if (invented.length >= this.#council.maxDynamicSages) {
      this.#drop(name, `at most ${this.#council.maxDynamicSages} new sages may be made here`);
      return;
    }
    this.#givenNames.set(key, tidy(given, maxNameChars));
    const about = tidy(description, maxDescriptionChars) || name;
    this.#seat({ key, name, description: about, source: 'dynamic' });
  }

  /** Invented sages that sit under another name than the one they were given. */
  get renamed(): readonly { readonly given: string; readonly name: string }[] {
    return this.#invented().flatMap(({ key, name }) => {
      const given = this.#givenNames.get(key);
      return given === undefined || given === name ? [] : [{ given, name }];
    });
  }

  get seats(): readonly Seat[] {
    return [...this.#seats.values()].map((seat) => this.#withFocus(seat));
  }

  get dropped(): readonly { name: string; why: string }[] {
    return [...this.#dropped].map(([name, why]) => ({ name, why }));
  }

  #seat(sage: Sage): void {
    if (this.#seats.has(sage.key)) return;
    if (this.#seats.size >= this.#council.maxSages) {
      this.#drop(sage.name, `at most ${this.#council.maxSages} sages sit here`);
      return;
    }
    this.#seats.set(sage.key, { sage, model: this.#modelOf(sage) });
  }

  #withFocus(seat: Seat): Seat {
    const { key, name } = seat.sage;
    const names = [key, name, this.#givenNames.get(key) ?? name];
    const focus = names.map((one) => this.#focus.get(identity(one))).find(Boolean);
    return focus ? { ...seat, focus } : seat;
  }

  #onBench(named: string): Sage | undefined {
    const wanted = identity(named);
    return this.#council.bench.find(
      (sage) => identity(sage.key) === wanted || identity(sage.name) === wanted,
    );
  }

  /** Whom readers would take a name for, e.g. one in which a letter is of another script. */
  #alikeOnBench(name: string): Sage | undefined {
    const alike = likeness(name);
    if (alike === '') return undefined;
    return this.#council.bench.find((sage) => likeness(sage.name) === alike);
  }

  #invented(): readonly Sage[] {
    return [...this.#seats.values()].flatMap(({ sage }) =>
      sage.source === 'dynamic' ? [sage] : [],
    );
  }

  #drop(name: string, why: string): void {
    this.#dropped.set(tidy(name, maxNameChars), why);
  }
}

/** `Marcus Aurelius`, `marcus_aurelius` and `MARCUS-AURELIUS` are one. */
function identity(name: string): string {
  return (name.toLowerCase().match(keyParts) ?? []).join('_').replaceAll('_', ' ');
}

function tidy(text: string, maxChars: number): string {
  return oneLine(text).slice(0, maxChars);
}

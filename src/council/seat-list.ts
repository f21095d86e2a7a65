/** Collects who is named, in the order of naming, and keeps to the rules of the bench. */

import { likeness } from '../domain/likeness.ts';
import type { Council, Sage } from './council.ts';
import type { Seat } from './events.ts';

/** Words of a name that a key is made of. */
const keyParts = /[\p{L}\p{N}]+/gu;
const maxNameChars = 80;
const maxDescriptionChars = 500;

export class SeatList {
  readonly #council: Council;
  readonly #modelOf: (sage: Sage) => string;
  readonly #seats = new Map<string, Seat>();
  readonly #dropped = new Map<string, string>();
  readonly #focus = new Map<string, string>();

  /** @param modelOf - Gives the id of the model that speaks for a sage. */
  constructor(council: Council, modelOf: (sage: Sage) => string) {
    this.#council = council;
    this.#modelOf = modelOf;
  }

  /** Remembers a focus for whom it names, by key or name; used for seats that come after it. */
  setFocus(sageName: string, query: string): void {
    if (query.trim()) this.#focus.set(identity(sageName), query.trim());
  }

  /** Seats a sage of the bench; what is not on it is dropped. Naming one twice seats it once. */
  nameFromBench(named: string): void {
    const sage = this.#onBench(named);
    if (sage) this.#seat(sage);
    else this.#drop(named, 'not on the bench');
  }

  /** Seats an invented sage, unless it is one of the bench by another description. */
  nameNew(name: string, description: string): void {
    const shownName = tidy(name, maxNameChars);
    if (!shownName) {
      this.#drop('(no name)', 'a new sage needs a name');
      return;
    }
    const known = this.#onBench(shownName) ?? this.#alikeOnBench(shownName);
    if (known) {
      this.#seat(known);
      return;
    }
    const key = `new_${(shownName.toLowerCase().match(keyParts) ?? ['sage']).join('_')}`;
    if (this.#seats.has(key)) return;
    if (this.#newSeats() >= this.#council.maxDynamicSages) {
      this.#drop(shownName, `at most ${this.#council.maxDynamicSages} new sages may be made here`);
      return;
    }
    const about = tidy(description, maxDescriptionChars) || shownName;
    this.#seat({ key, name: shownName, description: about, source: 'dynamic' });
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
    const focus =
      this.#focus.get(identity(seat.sage.key)) ?? this.#focus.get(identity(seat.sage.name));
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

  #newSeats(): number {
    return [...this.#seats.values()].filter((seat) => seat.sage.source === 'dynamic').length;
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
  return text.replace(/\s+/g, ' ').trim().slice(0, maxChars);
}

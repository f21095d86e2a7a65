import { LRUCache } from 'lru-cache';

/** Of more places, those unheard of for longest are told once more. */
const mostPlaces = 5000;

/**
 * Where the sages can't speak under their own names, and whether somebody who can mend it was told.
 * What a place is, a channel or a workspace, is the platform's: as wide as the permission reaches.
 */
export class PersonaNotices {
  readonly #notice: string;
  readonly #places = new LRUCache<string, 'to tell' | 'told'>({ max: mostPlaces });

  /** @param notice - What is lacking, and where it is granted. */
  constructor(notice: string) {
    this.#notice = notice;
  }

  /** Sages had to speak through the bot in this place. */
  missing(place: string): void {
    if (!this.#places.has(place)) this.#places.set(place, 'to tell');
  }

  /** What somebody who manages the place is to be told; once. */
  take(place: string): string | undefined {
    if (this.#places.get(place) !== 'to tell') return undefined;
    this.#places.set(place, 'told');
    return this.#notice;
  }
}

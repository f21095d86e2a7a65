/** Collects the score of a turn while it runs, for the leaderboard. */

import type { Ranked, Score } from '../domain/stored-turn.ts';
import type { Ranking, Review, SageAnswer, TurnRequest } from '../domain/turn.ts';
import { namesOf } from '../domain/words.ts';
import type { TurnEvent } from './events.ts';
import { ballotsOf } from './ranked.ts';
import { rankAnswers, selfPreferencesIn } from './ranking.ts';

type Places = Ranking['places'];

/** The cost of a call, and its sage. */
interface PaidCall {
  readonly sageName?: string;
  readonly costUsd?: number;
}

export class ScoreKeeper {
  readonly #request: Pick<TurnRequest, 'isPrivate' | 'isPrivateThread'>;
  readonly #answers: SageAnswer[] = [];
  readonly #reviews: Review[] = [];
  readonly #recasts: Review[] = [];
  #nameOf: (sage: string) => string = (sage) => sage;
  #ranked: Ranked | undefined;
  #isScored = true;
  #onRequest: string | undefined;

  constructor(request: Pick<TurnRequest, 'isPrivate' | 'isPrivateThread'>) {
    this.#request = request;
  }

  /** Records an event. A resumed turn repeats the events of its earlier attempts. */
  record(event: TurnEvent): void {
    if (event.type === 'seated') {
      this.#nameOf = namesOf(event.seated.seats.map(({ sage }) => sage));
      this.#onRequest = event.seated.onRequest;
    } else if (event.type === 'recalled') {
      // The answers were reviewed, and are scored, in the earlier turn.
      this.#isScored = false;
    } else if (event.type === 'answered') this.#answers.push(event.answer);
    else if (event.type === 'reviewed') this.#reviews.push(event.review);
    else if (event.type === 'recast') this.#recasts.push(event.ballot);
    else if (event.type === 'ranked') this.#ranked = event;
  }

  /** @param calls - Of all attempts. @returns `undefined` if nothing was ranked. */
  score(calls: readonly PaidCall[]): Score | undefined {
    if (!this.#ranked || !this.#isScored) return undefined;
    const { agreement, places: all } = this.#ranked.ranking;
    const places = this.#fairPlaces(all);
    const { isPrivate, isPrivateThread } = this.#request;
    const firsts = places.filter(({ position }) => position === 1).length;
    const ids = places.map(({ sage }) => sage);
    const own = new Map(
      selfPreferencesIn(ballotsOf(this.#reviews), ids).map((one) => [one.sage, one.places]),
    );
    return {
      ...(isPrivate === undefined ? {} : { isPrivate }),
      ...(isPrivateThread === undefined ? {} : { isPrivateThread }),
      ...(agreement === undefined ? {} : { agreement }),
      sages: places.map(({ sage, score, position }) => {
        const review = this.#reviews.find(({ reviewer }) => reviewer === sage);
        const ownPlaces = own.get(sage);
        const paid = calls.flatMap((one) => (one.sageName === sage ? (one.costUsd ?? []) : []));
        return {
          sage,
          name: this.#nameOf(sage),
          model: this.#answers.find((answer) => answer.sage === sage)?.model ?? '',
          won: score,
          first: position === 1 ? 1 / firsts : 0,
          ...(review ? { ballot: review.ballot.status } : {}),
          ...(ownPlaces === undefined ? {} : { ownPlaces }),
          ...(sage === this.#onRequest ? { isOnRequest: true } : {}),
          costUsd: paid.reduce((sum, usd) => sum + usd, 0),
        };
      }),
    };
  }

  /** Compares the others without the sage that argued on request, which comes last for its task more often than not. */
  #fairPlaces(places: Places): Places {
    const [onRequest] = places.filter(({ sage }) => sage === this.#onRequest);
    if (!onRequest) return places;
    const others = places.flatMap(({ sage }) => (sage === this.#onRequest ? [] : [sage]));
    const ballots = [...ballotsOf(this.#reviews), ...ballotsOf(this.#recasts)];
    return [...rankAnswers(ballots, others).places, { ...onRequest, position: places.length }];
  }
}

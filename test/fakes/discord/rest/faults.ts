/** What goes wrong with a request. */
export type Fault =
  /** Nothing is done, and this status is answered. */
  | { readonly kind: 'status'; readonly status: number }
  /** Nothing is done and nothing is answered; the client's timeout ends it. */
  | { readonly kind: 'silence' }
  /** It is done, and nothing is answered. */
  | { readonly kind: 'silence after processing' }
  /** It is done, and answered so long after. */
  | { readonly kind: 'late'; readonly afterMs: number }
  /** It is done, and the connection is cut before the answer. */
  | { readonly kind: 'drop after processing' }
  /** Nothing is done, and the connection is cut. */
  | { readonly kind: 'drop' }
  /** A 429 of this scope. A `hidden` one comes with requests remaining in the headers. */
  | {
      readonly kind: 'rate limit';
      readonly scope: 'user' | 'shared' | 'global' | 'hidden';
      readonly retryAfterMs: number;
    };

/** Faults that are planned, used up one request at a time. */
export interface Faults {
  /**
   * Makes the next requests of a route fail.
   *
   * @param route - As the journal names it, e.g. `POST /channels/{channel_id}/messages`; `*` for any.
   * @param times - How many requests; 1 when left out.
   */
  failNext(route: string, fault: Fault, times?: number): void;
  /** Asked about each request that nothing is planned for; the last one given is. */
  decide(fault: (route: string) => Fault | undefined): void;
  take(route: string): Fault | undefined;
}

export function createFaults(): Faults {
  const planned: { readonly route: string; readonly fault: Fault; left: number }[] = [];
  let decide: (route: string) => Fault | undefined = () => undefined;
  return {
    decide: (fault) => {
      decide = fault;
    },
    failNext: (route, fault, times = 1) => planned.push({ route, fault, left: times }),
    take: (route) => {
      const plan = planned.find(
        (candidate) => candidate.left > 0 && ['*', route].includes(candidate.route),
      );
      if (plan === undefined) return decide(route);
      plan.left -= 1;
      return plan.fault;
    },
  };
}

import type { RecordedCall } from './journal.ts';

/** What goes wrong with a call. */
export type Fault =
  /** Nothing is done; 429, and when to come back. */
  | { readonly kind: 'rate limit'; readonly retryAfterSeconds: number }
  /** Nothing is done; this status, and a body that is no JSON. */
  | { readonly kind: 'status'; readonly status: number }
  /** It is done, and this status is answered. */
  | { readonly kind: 'status after processing'; readonly status: number }
  /** Nothing is done; `ok: false` with this word, e.g. `message_not_in_streaming_state`. */
  | { readonly kind: 'refusal'; readonly error: string }
  /** Nothing is done and nothing is answered; the client's own timeout ends it. */
  | { readonly kind: 'silence' }
  /** It is done, and nothing is answered. */
  | { readonly kind: 'silence after processing' }
  /** It is done, and answered so long after. */
  | { readonly kind: 'late'; readonly afterMs: number }
  /** Nothing is done, and the connection is cut. */
  | { readonly kind: 'drop' }
  /** It is done, and the connection is cut before the answer. */
  | { readonly kind: 'drop after processing' };

export interface FaultPlan {
  /** How many calls go by first; none when left out. */
  readonly after?: number;
  /** How many calls then fail; 1 when left out. */
  readonly times?: number;
  /** Which calls count; all of the method when left out. */
  readonly when?: (call: RecordedCall) => boolean;
}

/** Faults that are planned, used up one call at a time. */
export interface Faults {
  /** Makes calls of a method fail; `*` for any method. */
  plan(method: string, fault: Fault, plan?: FaultPlan): void;
  /** Asked about each call that nothing is planned for; the last one given is. */
  decide(fault: (call: RecordedCall) => Fault | undefined): void;
  /** Forgets what is still planned. */
  clear(): void;
  take(call: RecordedCall): Fault | undefined;
}

export function createFaults(): Faults {
  const planned: (Required<FaultPlan> & {
    readonly method: string;
    readonly fault: Fault;
    seen: number;
  })[] = [];
  let decide: (call: RecordedCall) => Fault | undefined = () => undefined;
  return {
    decide: (fault) => {
      decide = fault;
    },
    plan: (method, fault, { after = 0, times = 1, when = () => true } = {}) =>
      planned.push({ method, fault, after, times, when, seen: 0 }),
    clear: () => planned.splice(0),
    take: (call) => {
      for (const plan of planned) {
        if (!['*', call.method].includes(plan.method) || !plan.when(call)) continue;
        plan.seen += 1;
        if (plan.seen > plan.after && plan.seen <= plan.after + plan.times) return plan.fault;
      }
      return decide(call);
    },
  };
}

/**
 * What a run of the chaos has seen, as plain data: all that it is judged by. Moments are in
 * milliseconds since 1970, on the one clock of the machine.
 */

/** From and to. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Models by their names; each is asked once for a question, unless a call is lost with its process. */
export const callers = ['ada', 'ben', 'chair'] as const;
export type Caller = (typeof callers)[number];
/** What a model is asked for; `own_answer`: what the chair would say alone. */
export type Part = Caller | 'own_answer';

/** A question, which is asked once; anyone who gets no answer asks the next one. */
export interface Question {
  readonly number: number;
  readonly thread: string;
  readonly askedAt: number;
  /** When the platform tried to tell a gateway of it; of Slack, which tries again, each time. */
  readonly tellings: readonly Telling[];
  /** When the store was first seen to have it; absent: not before the person gave up. */
  readonly seenAt?: number;
  /** As the store has it at the end; absent: the question was lost. */
  readonly turn?: StoredTurn;
}

export interface Telling {
  readonly at: number;
  /** Whether a gateway was connected, as the platform saw it. */
  readonly isConnected: boolean;
}

export interface StoredTurn {
  readonly turnId: string;
  /** Absent: it has not ended. */
  readonly endedAt?: number;
}

/** A message of the council, as it stands at the end; those of a thread are in its order. */
export type Post = { readonly thread: string } & (
  | { readonly kind: 'answer'; readonly caller: Caller; readonly question: number }
  | { readonly kind: 'card'; readonly question: number; readonly isClosed: boolean }
);

export interface ModelCall {
  readonly caller: Part;
  readonly question: number;
  readonly at: number;
  /** Whether the store had the result before the call; absent: it could not be asked. */
  readonly wasStored?: boolean;
}

/** A line of a process's log. */
export interface Line {
  readonly at: number;
  readonly pid: number;
  readonly level: string;
  readonly msg: string;
  readonly turnId?: string;
  /** Of a turn that is taken: how often the queue has handed it out, this time included. */
  readonly starts?: number;
}

/** `hung`: it was killed because it had not come up in a minute. */
export interface End {
  readonly at: number;
  readonly how: 'killed' | 'asked' | 'by itself' | 'hung';
  /** What it had printed that is no line of the log. */
  readonly said?: string;
}

/** One process, from its start to its end. */
export interface Life {
  /** Of those that follow each other, e.g. `worker 2`. */
  readonly name: string;
  readonly role: 'all' | 'gateway' | 'worker';
  readonly pid: number;
  readonly startedAt: number;
  /** When it said that it works; absent: it never did. */
  readonly readyAt?: number;
  /** Absent: it still runs at the end of the record. */
  readonly end?: End;
  /** An open one has no `to`. */
  readonly halts: readonly { readonly from: number; readonly to?: number }[];
}

export interface RunRecord {
  readonly seed: number;
  /** From the first question until everything was looked at. */
  readonly span: Span;
  readonly wanted: { readonly kills: number; readonly halts: number; readonly restarts: number };
  /** In the order in which they were asked. */
  readonly questions: readonly Question[];
  readonly posts: readonly Post[];
  readonly calls: readonly ModelCall[];
  readonly lines: readonly Line[];
  readonly lives: readonly Life[];
  /** When Redis was down, from its kill until it took connections again. */
  readonly redisDown: readonly Span[];
  /** When Redis ran and did not answer, e.g. because its disk was busy. */
  readonly redisSilent: readonly Span[];
  /** What went wrong with a post, one word for each. */
  readonly spoiled: readonly string[];
  /** How many turns were put aside. */
  readonly putAside: number;
  /** What broke the rules of a platform. */
  readonly violations: readonly string[];
  /** What kept the run from going as planned, e.g. a process that could not be started again. */
  readonly troubles: readonly string[];
  /** Absent: the run came to its end by itself. */
  readonly deadlineMs?: number;
}

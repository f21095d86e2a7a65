/** What happened, as data, e.g. `{ turnId, sage: 'nassim_taleb', latencyMs: 812 }`. */
export type LogFacts = Readonly<Record<string, unknown>>;

/**
 * One line per event: its facts first, then a sentence. Prompts, answers and anything else that people
 * or models said are never logged, at any level. An error goes into the fact `error`, with its causes:
 * its name, message, stack and codes are logged, and none of its other fields. One whose message quotes
 * other people's words gives them as `said`, and they are left out.
 */
export interface Log {
  info(facts: LogFacts, sentence: string): void;
  warn(facts: LogFacts, sentence: string): void;
  error(facts: LogFacts, sentence: string): void;
  /** A log that adds these facts to each of its lines. */
  child(facts: LogFacts): Log;
}

/** For work that logs nothing, e.g. a check whose findings are its result. */
export const silentLog: Log = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLog,
};

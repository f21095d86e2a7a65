/** What happened, as data; an error goes into the fact `error`. */
type Facts = Readonly<Record<string, unknown>>;

/** What the bot needs of a log; the composition root hands in the real one. */
export interface Log {
  info(facts: Facts, sentence: string): void;
  warn(facts: Facts, sentence: string): void;
  error(facts: Facts, sentence: string): void;
  /** A log that adds these facts to each line. */
  child(facts: Facts): Log;
}

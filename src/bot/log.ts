/** What the bot needs of a log; the composition root hands in the real one. */
export interface Log {
  info(facts: object, sentence: string): void;
  warn(facts: object, sentence: string): void;
  error(facts: object, sentence: string): void;
  /** A log that adds these facts to each line. */
  child(facts: object): Log;
}

/** What happened, as data; an error goes into the fact `error`. */
type Facts = Readonly<Record<string, unknown>>;

/** What the queue needs of a log; the composition root hands in the real one. */
export interface QueueLog {
  info(facts: Facts, sentence: string): void;
  warn(facts: Facts, sentence: string): void;
  error(facts: Facts, sentence: string): void;
}

type Facts = Readonly<Record<string, unknown>>;

/** What this platform needs of a log. What was asked or said is never in the facts. */
export interface SlackLog {
  info(facts: Facts, sentence: string): void;
  warn(facts: Facts, sentence: string): void;
  error(facts: Facts, sentence: string): void;
}

/** Something that crossed the wire and is not as Discord's own description says. */
export interface Violation {
  /**
   * `request`: the bot's body breaks the schema or one of Discord's limits. `answer`: the fake's own
   * answer breaks the schema. `unknown field`: the body has a field that Discord would ignore.
   */
  readonly kind: 'request' | 'answer' | 'unknown field';
  /** E.g. `POST /channels/{channel_id}/messages`. */
  readonly route: string;
  /** Where in the body, and what is wrong there. */
  readonly problems: readonly string[];
}

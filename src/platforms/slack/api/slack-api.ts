/** The one door to Slack's Web API. Everything that this platform says or looks up goes through it. */

/** What Slack answered, `ok: true` among it; each caller reads its own part of it with a schema. */
export type SlackAnswer = Readonly<Record<string, unknown>>;

/** Calls methods in the name of a workspace's installation. Needs no connection for events. */
export interface SlackApi {
  /**
   * Makes one call, once: whoever wants a second try knows whether it may have been carried out.
   *
   * @param team - The workspace whose token is used.
   * @param method - e.g. `chat.postMessage`.
   * @param args - As Slack documents them; `undefined` values are left out.
   * @returns Rejects with `SlackRefusal`, `SlackRateLimited`, `SlackUnanswered`
   *   (see `slack-error.ts`), with `SlackSetupError` when the token is no longer good, and with the
   *   signal's reason.
   */
  call(
    team: string,
    method: string,
    args: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<SlackAnswer>;
}

/** Something that the app is told, and has to acknowledge within three seconds. */
export interface Outgoing {
  readonly kind: 'events_api' | 'slash_commands' | 'interactive';
  /** An object, unless a test sends what Slack never would. */
  readonly payload: unknown;
  /** Which try this is, and why there is another; `undefined` for the first. */
  readonly retry: { readonly number: number; readonly reason: RetryReason } | undefined;
}

/** In Slack's words. */
export type RetryReason = 'timeout' | 'http_timeout' | 'http_error' | 'connection_failed';

/** What became of one try. */
export type Answer =
  /** `payload` is what came with the acknowledgement: an `ack()` with an argument, or an HTTP body. */
  | { readonly kind: 'acknowledged'; readonly payload: unknown }
  | { readonly kind: 'not acknowledged'; readonly reason: RetryReason; readonly status?: number };

/** A way to the app. */
export interface Transport {
  /** Whether someone is there to be told. */
  isUp(): boolean;
  /** Tells the app once. Never rejects. */
  send(outgoing: Outgoing): Promise<Answer>;
}

/** How long the app has, as Slack counts. */
export const acknowledgeWithinMs = 3_000;

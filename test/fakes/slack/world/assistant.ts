/** What the app set in a thread beside its messages. */

export interface ThreadStatus {
  readonly channel: string;
  readonly thread: string;
  /** Empty when the app took it away. */
  readonly status: string;
  readonly loadingMessages: readonly string[];
  readonly username: string | undefined;
  readonly atMs: number;
}

export interface SuggestedPrompts {
  readonly channel: string;
  /** `undefined` where they are offered for a new conversation. */
  readonly thread: string | undefined;
  readonly title: string | undefined;
  readonly prompts: readonly { readonly title: string; readonly message: string }[];
}

export interface ThreadTitle {
  readonly channel: string;
  readonly thread: string;
  readonly title: string;
}

export interface Assistant {
  /** Every status that was set, oldest first. */
  readonly statuses: ThreadStatus[];
  readonly prompts: SuggestedPrompts[];
  readonly titles: ThreadTitle[];
}

/** What the app set in a thread beside its messages. */

export interface ThreadStatus {
  readonly channel: string;
  readonly thread: string;
  /** Empty when the app took it away, or a message of the app. */
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
  /** Every status that was shown, oldest first. */
  readonly statuses: ThreadStatus[];
  readonly prompts: SuggestedPrompts[];
  readonly titles: ThreadTitle[];
}

/** A message of the app in a thread takes away the status that is shown there. */
export function takeStatusAway(
  { statuses }: Assistant,
  at: Pick<ThreadStatus, 'channel' | 'thread' | 'atMs'>,
) {
  const last = statuses.findLast(
    ({ channel, thread }) => channel === at.channel && thread === at.thread,
  );
  if (last && last.status !== '')
    statuses.push({ ...last, ...at, status: '', loadingMessages: [] });
}

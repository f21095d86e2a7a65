/** Messages that grow while they are read, and what stands beside a thread. Slack keeps a stream open for some five minutes at most. */

import type { SlackPlace } from '../place.ts';
import { isRefusal } from '../slack-error.ts';
import {
  type MessageBody,
  type MessageMark,
  metadataOf,
  postedSchema,
  type SpeakingAs,
} from './messages.ts';
import type { SlackApi } from './slack-api.ts';

/** Who is being answered; Slack wants to know it outside of direct messages. */
export interface Recipient {
  readonly recipient_user_id: string;
  /** The workspace that they are of, `T…`; Slack takes no organisation. */
  readonly recipient_team_id: string;
}

/**
 * Begins a message in the thread. Whether it was begun is not known when no answer comes.
 *
 * @param markdown - How it begins; at most 12,000 characters.
 * @returns The message's `ts`.
 */
export async function startStream(
  api: SlackApi,
  { team, channel, thread }: SlackPlace,
  markdown: string,
  more: Partial<Recipient & SpeakingAs>,
): Promise<string> {
  const args = { channel, thread_ts: thread, markdown_text: markdown, ...more };
  return postedSchema.parse(await api.call(team, 'chat.startStream', args)).ts;
}

export async function appendStream(
  api: SlackApi,
  { team, channel }: SlackPlace,
  ts: string,
  markdown: string,
): Promise<void> {
  await api.call(team, 'chat.appendStream', { channel, ts, markdown_text: markdown });
}

/** Ends it; from then on it is a message like any other, and is found by its mark. */
export async function stopStream(
  api: SlackApi,
  { team, channel }: SlackPlace,
  ts: string,
  {
    markdown,
    blocks = [],
    mark,
  }: {
    readonly markdown: string;
    readonly blocks?: MessageBody['blocks'];
    readonly mark?: MessageMark;
  },
): Promise<void> {
  await api.call(team, 'chat.stopStream', {
    ...{ channel, ts },
    ...(markdown === '' ? {} : { markdown_text: markdown }),
    ...(blocks.length === 0 ? {} : { blocks }),
    ...(mark ? { metadata: metadataOf(mark) } : {}),
  });
}

/** Whether a refusal says that the stream is closed already, by us or by Slack. */
export function isClosed(error: unknown): boolean {
  return isRefusal(error, 'message_not_in_streaming_state');
}

/** At most so many are shown by turns. */
const maxLoadingMessages = 10;

/**
 * Shows below a thread what the app is doing, until it says something, two minutes have passed, or
 * the status is empty.
 *
 * @param status - To follow the app's name, e.g. `is seating the sages`.
 * @param loadingMessages - Shown by turns in its place; each on one line.
 */
export async function setStatus(
  api: SlackApi,
  { team, channel, thread }: SlackPlace,
  status: string,
  loadingMessages: readonly string[] = [],
): Promise<void> {
  await api.call(team, 'assistant.threads.setStatus', {
    channel_id: channel,
    thread_ts: thread,
    status,
    ...(loadingMessages.length === 0
      ? {}
      : { loading_messages: loadingMessages.slice(0, maxLoadingMessages) }),
  });
}

/** Names a conversation with the app in the list of its pane. Needs the scope `assistant:write`. */
export async function setTitle(
  api: SlackApi,
  { team, channel, thread }: SlackPlace,
  title: string,
): Promise<void> {
  await api.call(team, 'assistant.threads.setTitle', {
    ...{ channel_id: channel, thread_ts: thread, title },
  });
}

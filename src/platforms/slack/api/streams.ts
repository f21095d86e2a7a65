/** Streamed messages, and a thread's status and title. Slack closes a stream about five minutes after its start. */

import type { SlackPlace } from '../place.ts';
import { isRefusal } from '../slack-error.ts';
import { metadataOf, type Post } from './messages.ts';
import type { SlackApi } from './slack-api.ts';

/** The person who asked; Slack requires it outside direct messages. */
export interface Recipient {
  readonly recipient_user_id: string;
  /** The person's workspace, `T…`; Slack rejects organisations. */
  readonly recipient_team_id: string;
}

type StreamEnd = { readonly markdown: string } & Partial<Pick<Post, 'blocks' | 'mark'>>;

/** Ends a stream. From then on it is an ordinary message and can be found by its mark. */
export async function stopStream(
  api: SlackApi,
  { team, channel }: SlackPlace,
  ts: string,
  { markdown, blocks = [], mark }: StreamEnd,
): Promise<void> {
  await api.call(team, 'chat.stopStream', {
    channel,
    ts,
    ...(markdown === '' ? {} : { markdown_text: markdown }),
    ...(blocks.length === 0 ? {} : { blocks }),
    ...(mark ? { metadata: metadataOf(mark) } : {}),
  });
}

/** Ends a stream, if it is still open, without adding to it. */
export async function endStream(api: SlackApi, place: SlackPlace, ts: string): Promise<void> {
  await stopStream(api, place, ts, { markdown: '' }).catch((error: unknown) => {
    if (!isClosed(error)) throw error;
  });
}

/** Whether Slack refused because the stream is already closed, by us, by Slack or by a person. */
export function isClosed(error: unknown): boolean {
  return isRefusal(error, 'message_not_in_streaming_state', 'stopped_by_user');
}

/**
 * Sets the app's status below a thread. It lasts until the app posts there, for two minutes at most;
 * an empty status clears it.
 *
 * @param status - Follows the app's name, e.g. `is seating the sages`.
 */
export async function setStatus(
  api: SlackApi,
  { team, channel, thread }: SlackPlace,
  status: string,
): Promise<void> {
  const args = { channel_id: channel, thread_ts: thread, status };
  await api.call(team, 'assistant.threads.setStatus', args);
}

/** Sets a thread's title in the app's agent pane. Needs the scope `assistant:write`. */
export async function setTitle(
  api: SlackApi,
  { team, channel, thread }: SlackPlace,
  title: string,
): Promise<void> {
  const args = { channel_id: channel, thread_ts: thread, title };
  await api.call(team, 'assistant.threads.setTitle', args);
}

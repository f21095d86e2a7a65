import type { SlackPlace } from '../thread-id.ts';
import type { SlackApi } from './slack-api.ts';

/** At most so many are shown by turns. */
const mostLoadingMessages = 10;

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
      : { loading_messages: loadingMessages.slice(0, mostLoadingMessages) }),
  });
}

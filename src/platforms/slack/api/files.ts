/** Files that the app gives people. */

import type { FilesUploadV2Arguments } from '@slack/web-api';
import { z } from 'zod';
import type { Spot } from './messages.ts';
import type { SlackApi } from './slack-api.ts';

export interface TextFile {
  readonly name: string;
  /** Not empty: Slack takes no empty file. */
  readonly content: string;
}

const openedSchema = z.object({ channel: z.object({ id: z.string() }) });

/**
 * Posts files as one message, which everybody in the conversation sees: Slack has none for one person.
 * Needs the scope `files:write`. Rejects as {@link SlackApi.call} does.
 */
export async function uploadFiles(
  api: SlackApi,
  { team, channel, thread }: Spot,
  files: readonly TextFile[],
): Promise<void> {
  const uploads = files.map(({ name, content }) => ({ filename: name, title: name, content }));
  const at = thread === undefined ? {} : { thread_ts: thread };
  const args = { channel_id: channel, ...at, file_uploads: uploads };
  await api.call(team, 'files.uploadV2', args satisfies FilesUploadV2Arguments);
}

/** The conversation of a person with the app alone. Needs the scope `im:write`. Rejects as {@link SlackApi.call} does. */
export async function openDirect(api: SlackApi, team: string, userId: string): Promise<string> {
  const opened = await api.call(team, 'conversations.open', { users: userId });
  return openedSchema.parse(opened).channel.id;
}

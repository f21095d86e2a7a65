/** Shows a command's reply: its words as messages, its files as files where the app may upload them. */

import type { Reply, ReplyBlock } from '../../../../commands/command.ts';
import {
  type MessageBody,
  openDirect,
  post,
  type Spot,
  type TextFile,
  uploadFiles,
} from '../api/messages.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { SlackRefusal } from '../slack-error.ts';
import { replyMessages } from './reply-messages.ts';
import { type ChannelScene, isDirect } from './scene.ts';

/** How a reply reaches whom it is for. Both throw what Slack does. */
export interface Delivery {
  readonly send: (message: MessageBody) => Promise<unknown>;
  /** @returns What people are to be told of where the files are; absent: they see them. */
  readonly upload: (files: readonly TextFile[]) => Promise<string | undefined>;
}

const inDirectWords =
  'A file can’t be shown to you alone here, so it is in your direct messages with me.';
const asTextWords = 'I may not upload files here, so this is what is in it:';

/** Throws what Slack does, but for what it refuses to have uploaded: that is shown as code. */
export async function showReply(reply: Reply, { send, upload }: Delivery): Promise<void> {
  const files = reply.blocks.filter((block) => block.type === 'file');
  const show = async (blocks: readonly ReplyBlock[]) => {
    for (const message of replyMessages({ ...reply, blocks })) await send(message);
  };
  if (files.length === 0) return show(reply.blocks);
  const words = reply.blocks.filter((block) => block.type !== 'file');
  if (words.length > 0) await show(words);
  let note: string | undefined;
  try {
    note = await upload(files);
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error;
    return show([{ type: 'text', text: asTextWords }, ...files]);
  }
  if (note !== undefined) await show([{ type: 'text', text: note }]);
}

/** For everybody in a thread. */
export function deliverIn(api: SlackApi, spot: Spot): Delivery {
  return {
    send: (message) => post(api, spot, message),
    upload: async (files) => {
      await uploadFiles(api, spot, files);
      return undefined;
    },
  };
}

/** For one person: in the conversation itself where it is theirs alone, else in their direct messages. */
export async function uploadPrivately(
  api: SlackApi,
  { team, channel, thread, userId }: ChannelScene,
  files: readonly TextFile[],
): Promise<string | undefined> {
  if (isDirect(channel)) {
    await uploadFiles(api, { team, channel, ...(thread === undefined ? {} : { thread }) }, files);
    return undefined;
  }
  const direct = await openDirect(api, team, userId);
  await uploadFiles(api, { team, channel: direct }, files);
  return inDirectWords;
}

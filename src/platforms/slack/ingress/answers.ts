/** Answers people with a sentence or a command's reply, privately or in a thread. */

import type { RespondFn } from '@slack/bolt';
import type { Reply, ReplyBlock } from '../../../../commands/command.ts';
import { chatFile } from '../../../charts/drawing.ts';
import {
  type MessageBody,
  openDirect,
  post,
  postPrivately,
  type Spot,
  type UploadedFile,
  uploadFiles,
} from '../api/messages.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { isDirect, type Scene } from '../place.ts';
import { SlackRefusal, UnshownAnswer } from '../slack-error.ts';
import { plainMessage, replyMessages } from './reply-messages.ts';

/** Answers one person. Throws {@link UnshownAnswer} if Slack does not show it. */
export interface PrivateAnswer {
  say(sentence: string): Promise<void>;
  show(reply: Reply): Promise<void>;
  send(message: MessageBody): Promise<void>;
}

function privateAnswer(api: SlackApi, scene: Scene, deliver: PrivateAnswer['send']): PrivateAnswer {
  const send: PrivateAnswer['send'] = (message) =>
    deliver(message).catch((cause: unknown) => {
      throw new UnshownAnswer('Slack did not show an answer.', { cause });
    });
  const upload = (files: readonly UploadedFile[]) => uploadPrivately(api, scene, files);
  return {
    send,
    say: (sentence) => send(plainMessage(sentence)),
    show: (reply) => showReply(reply, { send, upload }),
  };
}

/**
 * Answers as {@link postPrivately} posts.
 *
 * @param respond - Answers a button, also where the app can't post. Modals and the App Home have none.
 */
export function answerIn(api: SlackApi, scene: Scene, respond?: RespondFn): PrivateAnswer {
  const byResponse = respond && answerByResponse(api, scene, respond);
  return privateAnswer(api, scene, (message) =>
    postPrivately(api, scene, message, byResponse && (() => byResponse.send(message))),
  );
}

/** Slack accepts this many answers to a command or button, within 30 minutes. */
const maxResponses = 5;

/** Answers a command or button in its conversation, even if the app is not a member; what is too long goes on as {@link postPrivately} posts. */
export function answerByResponse(api: SlackApi, scene: Scene, respond: RespondFn): PrivateAnswer {
  let sent = 0;
  return privateAnswer(api, scene, async (message) => {
    sent += 1;
    if (sent > maxResponses) return postPrivately(api, scene, message);
    const { text, blocks } = message;
    await respond({
      response_type: 'ephemeral',
      text,
      blocks: [...blocks],
      replace_original: false,
    });
  });
}

/** Delivers a reply. Both functions throw what Slack throws. */
interface Delivery {
  readonly send: (message: MessageBody) => Promise<unknown>;
  /** @returns A sentence that says where the files are, if they are somewhere else. */
  readonly upload: (files: readonly UploadedFile[]) => Promise<string | undefined>;
}

const inDirectWords =
  'A file can’t be shown to you alone here, so it is in your direct messages with me.';
const asTextWords = 'I may not upload files here, so this is what is in it:';

/** Shows a reply; files that Slack refuses are shown as code. Throws what else Slack throws. */
export async function showReply(reply: Reply, { send, upload }: Delivery): Promise<void> {
  const files = reply.blocks.filter((block) => block.type === 'file');
  const show = async (blocks: readonly ReplyBlock[]) => {
    for (const message of replyMessages({ ...reply, blocks })) await send(message);
  };
  if (files.length === 0) return show(reply.blocks);
  const words = reply.blocks.filter((block) => block.type !== 'file');
  if (words.length > 0) await show(words);
  const drawn = files.map(async (file) => ({ ...file, ...(await chatFile(file)) }));
  const uploads = (await Promise.all(drawn)).flatMap(({ name, data, description }) =>
    data ? [{ name, data, description }] : [],
  );
  let note: string | undefined;
  try {
    note = uploads.length > 0 ? await upload(uploads) : undefined;
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error;
    return show([{ type: 'text', text: asTextWords }, ...files.filter((file) => !file.isDrawn)]);
  }
  if (note !== undefined) await show([{ type: 'text', text: note }]);
}

/** Shows everybody a reply. Throws Slack's refusals, and {@link UnshownAnswer} where part of it may be there. */
export async function showEverybody(api: SlackApi, spot: Spot, reply: Reply): Promise<void> {
  await showReply(reply, {
    send: (message) => post(api, spot, message),
    upload: (files) => uploadFiles(api, spot, files).then(() => undefined),
  }).catch((cause: unknown) => {
    if (cause instanceof SlackRefusal) throw cause;
    throw new UnshownAnswer('Slack may not have shown all of an answer.', { cause });
  });
}

/** Uploads to the conversation if it is the person's direct messages, otherwise to those. */
async function uploadPrivately(
  api: SlackApi,
  scene: Scene,
  files: readonly UploadedFile[],
): Promise<string | undefined> {
  const { channel } = scene;
  const isAlone = channel !== undefined && isDirect(channel);
  await uploadFiles(api, isAlone ? { ...scene, channel } : await openDirect(api, scene), files);
  return isAlone ? undefined : inDirectWords;
}

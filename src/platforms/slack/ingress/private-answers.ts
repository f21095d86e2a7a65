/** Says something to one person where they are. */

import type { RespondFn } from '@slack/bolt';
import type { Reply } from '../../../../commands/command.ts';
import { type MessageBody, post, postEphemeral, type TextFile } from '../api/messages.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { plainMessage } from './reply-messages.ts';
import { type ChannelScene, isDirect } from './scene.ts';
import { showReply, uploadPrivately } from './show-reply.ts';

/** A way to one person. Throws what Slack does. */
export interface PrivateAnswer {
  say(sentence: string): Promise<void>;
  show(reply: Reply): Promise<void>;
}

function privateAnswer(
  api: SlackApi,
  scene: ChannelScene,
  send: (message: MessageBody) => Promise<unknown>,
): PrivateAnswer {
  const upload = (files: readonly TextFile[]) => uploadPrivately(api, scene, files);
  return {
    say: async (sentence) => {
      await send(plainMessage(sentence));
    },
    show: (reply) => showReply(reply, { send, upload }),
  };
}

/**
 * Answers in the conversation itself, seen by that person alone. A thread that nobody has answered
 * in yet shows no such message, so name one only where somebody was in it.
 */
export function answerIn(api: SlackApi, scene: ChannelScene): PrivateAnswer {
  return privateAnswer(api, scene, (message) =>
    isDirect(scene.channel)
      ? post(api, scene, message)
      : postEphemeral(api, scene, scene.userId, message),
  );
}

/** Slack takes as many answers by the address that comes with a command, within half an hour. */
const mostResponses = 5;
const tooLongWords =
  'There is more than Slack shows here. The buttons below the verdict show it in the thread.';

/** Answers a command where it was given, also in conversations that the app is not in. */
export function answerByResponse(
  api: SlackApi,
  scene: ChannelScene,
  respond: RespondFn,
): PrivateAnswer {
  let sent = 0;
  return privateAnswer(api, scene, async (message) => {
    sent += 1;
    if (sent > mostResponses) return;
    const { text, blocks } = sent === mostResponses ? plainMessage(tooLongWords) : message;
    await respond({ response_type: 'ephemeral', text, blocks: [...blocks] });
  });
}

/** What a turn has posted or set beside its thread's messages. */

import type { Log } from '../../../domain/log.ts';
import type { TurnRequest } from '../../../domain/turn.ts';
import { excerpt } from '../../chat/text/split-markdown.ts';
import { visibleName } from '../../chat/text/visible-text.ts';
import { openDirect, post, postEphemeral } from '../api/messages.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { setTitle } from '../api/streams.ts';
import { isDirect } from '../ingress/scene.ts';
import { SlackRefusal } from '../slack-error.ts';
import { escapeSlackText } from '../slack-text.ts';
import { readThreadId } from '../thread-id.ts';

/** More of a question does not fit into the list of the pane. */
const longestTitle = 100;

/** Names a thread of the agent pane after its question. Worth a call, and no more: never throws. */
export async function entitle(
  api: SlackApi,
  { turnId, threadId, question }: TurnRequest,
  log: Log,
): Promise<void> {
  try {
    const title = visibleName(excerpt(question, longestTitle));
    await setTitle(api, readThreadId(threadId), title);
  } catch (error) {
    log.info({ turnId, error }, 'a thread could not be given its title');
  }
}

/** Tells the person who asked, where they asked, seen by them alone; else in their conversation with the app. */
export async function tellAlone(
  api: SlackApi,
  { threadId, author }: TurnRequest,
  why: string,
): Promise<void> {
  const { team, channel } = readThreadId(threadId);
  const said = { text: escapeSlackText(why), blocks: [] };
  try {
    // A thread without answers shows no such message.
    if (!isDirect(channel)) return await postEphemeral(api, { team, channel }, author.id, said);
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error;
  }
  await post(api, { team, channel: await openDirect(api, team, author.id) }, said);
}

/** Finds and deletes posts in Slack that a halted process made after another had taken over its turn. */

import { z } from 'zod';
import type { Log } from '../../../domain/log.ts';
import type { LatePosts } from '../../chat/show/turn-posts.ts';
import { sinceAsked } from '../presenter/turn-poster.ts';
import {
  markSchema,
  postedSchema,
  readSince,
  type SeenMessage,
  updateMessage,
  withdrawnPart,
} from './messages.ts';
import type { SlackAnswer, SlackApi } from './slack-api.ts';
import { endStream } from './streams.ts';

/** The arguments of a call that posted. */
export interface SentPost {
  readonly team: string;
  readonly args: object;
}

export interface LatePostsOptions {
  /** Calls that neither end with the turn nor check who owns it. */
  readonly api: SlackApi;
  readonly turnId: string;
  /** Identifies the app's own messages. */
  readonly botId: () => Promise<string>;
  readonly log: Log;
  /** Waits long enough for a sent message to arrive. */
  readonly settle: () => Promise<void>;
}

const sentSchema = z.object({
  channel: z.string(),
  thread_ts: z.string(),
  metadata: markSchema.optional().catch(undefined),
  username: z.string().optional(),
  /** The first text of a streamed message, which carries no mark yet. */
  markdown_text: z.string().optional(),
});
/** The mark of the first message of an answer or verdict, once it is complete. */
const grownPart = /^(?:answer \S+|verdict)$/;

/** Recognises a message by its mark; a streamed one by its username, or its first line where it has none. */
export function latePosts(options: LatePostsOptions): LatePosts<SentPost, SlackAnswer> {
  const { api, turnId, botId, log, settle } = options;
  return {
    log,
    settle,
    async same({ team, args }) {
      const { channel, thread_ts: thread, ...sent } = sentSchema.parse(args);
      // After a longer halt the turn has ended anyway.
      const since = sinceAsked(Date.now());
      const own = await botId();
      const said = (await readSince(api, { team, channel, thread }, since)).filter(
        (one) => one.botId === own && (!one.mark || one.mark.turnId === turnId),
      );
      const { metadata: mark, markdown_text: begins } = sent;
      const isSame = ({ mark: found, ...one }: SeenMessage) => {
        if (mark) return found?.part === mark.part;
        if (begins === undefined || (found && !grownPart.test(found.part))) return false;
        if (one.username !== sent.username) return false;
        const [firstLine = ''] = begins.split('\n', 1);
        return one.username !== undefined || bare(one.text).startsWith(bare(firstLine));
      };
      // A message with its mark is complete and is the one to keep.
      return said
        .filter(isSame)
        .toSorted((one, other) => Number(!one.mark) - Number(!other.mark))
        .map(({ ts }) => ts);
    },
    idOf: (answer) => postedSchema.parse(answer).ts,
    async remove({ team, args }, ts) {
      const { channel, thread_ts: thread, metadata: mark } = sentSchema.parse(args);
      const place = { team, channel, thread };
      if (mark) {
        // Slack reports every deletion. Under its original mark, this one would retract the turn.
        const withdrawn = { ...mark, part: withdrawnPart };
        await updateMessage(api, place, ts, { text: '…', blocks: [] }, withdrawn);
      } else {
        await endStream(api, place, ts);
      }
      await api.call(team, 'chat.delete', { channel, ts });
    },
  };
}

function bare(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}

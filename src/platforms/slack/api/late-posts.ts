/** How Slack finds and deletes what a halted process said too late. */

import { z } from 'zod';
import type { Log } from '../../../domain/log.ts';
import type { LatePosts } from '../../chat/show/turn-posts.ts';
import {
  markSchema,
  postedSchema,
  readReplies,
  type SeenMessage,
  updateMessage,
  withdrawnPart,
} from './messages.ts';
import type { SlackAnswer, SlackApi } from './slack-api.ts';
import { isClosed, stopStream } from './streams.ts';

/** What something was said with. */
export interface SentPost {
  readonly team: string;
  readonly args: object;
}

export interface LatePostsOptions {
  /** Neither ended with the turn nor asking for it. */
  readonly api: SlackApi;
  readonly turnId: string;
  /** By which the app's own messages are known. */
  readonly botId: () => Promise<string>;
  readonly log: Log;
  /** Waits until what was sent has arrived, if it ever does. */
  readonly settle: () => Promise<void>;
}

const sentSchema = z.object({
  channel: z.string(),
  thread_ts: z.string(),
  metadata: z
    .unknown()
    .optional()
    .transform((metadata) => markSchema.safeParse(metadata).data),
  username: z.string().optional(),
  /** What a message begins with that grows: it carries no mark yet. */
  markdown_text: z.string().optional(),
});
/** A process that was halted for longer finds its turn ended. */
const lateWithinMs = 600_000;
/** The first message of an answer or of the verdict, once it is whole. */
const grownPart = /^(?:answer \S+|verdict)$/;

/** A message is known by its mark; one that grows by who speaks in it, and without a name by its first line. */
export function latePosts(options: LatePostsOptions): LatePosts<SentPost, SlackAnswer> {
  const { api, turnId, botId, log, settle } = options;
  return {
    ...{ log, settle },
    async same({ team, args }) {
      const { channel, thread_ts: thread, ...sent } = sentSchema.parse(args);
      const since = ((Date.now() - lateWithinMs) / 1000).toFixed(6);
      const own = await botId();
      const said = (await readReplies(api, { team, channel, thread }, since)).filter(
        (one) => one.botId === own && (!one.mark || one.mark.turnId === turnId),
      );
      const { metadata: mark, markdown_text: begins } = sent;
      const isSame = ({ mark: found, ...one }: SeenMessage) => {
        if (mark) return found?.part === mark.part;
        if (begins === undefined || (found && !grownPart.test(found.part))) return false;
        if (one.username !== sent.username) return false;
        return one.username !== undefined || bare(one.text).startsWith(bare(firstLine(begins)));
      };
      // A message that carries its mark is whole, and the one that is in its place.
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
        // Slack tells the app of every deletion: under its own mark it would be a turn that people take back.
        const withdrawn = { ...mark, part: withdrawnPart };
        await updateMessage(api, place, ts, { text: '…', blocks: [] }, withdrawn);
      } else {
        await stopStream(api, place, ts, { markdown: '' }).catch((error: unknown) => {
          if (!isClosed(error)) throw error;
        });
      }
      await api.call(team, 'chat.delete', { channel, ts });
    },
  };
}

function firstLine(markdown: string): string {
  return markdown.split('\n', 1)[0] ?? '';
}

function bare(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}

import type { ConversationsHistoryArguments, ConversationsRepliesArguments } from '@slack/web-api';
import { z } from 'zod';
import { botMethod, type NamedAs } from '../api/method.ts';
import { Refusal } from '../api/refusal.ts';
import { channelId, count, flag, timestamp } from '../schema/wire.ts';
import { messageWire } from '../world/message-wire.ts';
import { readableChannel } from '../world/reach.ts';
import type { Channel, Json, Message } from '../world/records.ts';
import { findMessage, messagesOf } from '../world/state.ts';
import type { World } from '../world/world.ts';

const pageArguments = {
  channel: channelId,
  cursor: z.string().optional(),
  include_all_metadata: flag.optional(),
  inclusive: flag.optional(),
  latest: z.string().optional(),
  limit: count.max(1000).optional(),
  oldest: z.string().optional(),
} as const;

export const replies = botMethod({
  name: 'conversations.replies',
  tier: 3,
  args: { ...pageArguments, ts: timestamp } satisfies NamedAs<ConversationsRepliesArguments>,
  run: async (world, args, installation) => {
    const channel = readableChannel(world, installation, args.channel);
    if (findMessage(world.state, channel.id, args.ts) === undefined) {
      throw new Refusal('thread_not_found');
    }
    const all = messagesOf(world.state, channel.id);
    const inThread = all.filter(({ ts, threadTs }) => ts === args.ts || threadTs === args.ts);
    return page(world, channel, inThread, args);
  },
});

export const history = botMethod({
  name: 'conversations.history',
  tier: 3,
  args: pageArguments satisfies NamedAs<ConversationsHistoryArguments>,
  run: async (world, args, installation) => {
    const channel = readableChannel(world, installation, args.channel);
    const all = messagesOf(world.state, channel.id);
    return page(world, channel, all.filter(isOutsideThreads).reverse(), args);
  },
});

interface PageArguments {
  readonly cursor?: string | undefined;
  readonly include_all_metadata?: boolean | undefined;
  readonly inclusive?: boolean | undefined;
  readonly latest?: string | undefined;
  readonly limit?: number | undefined;
  readonly oldest?: string | undefined;
}

function isOutsideThreads({ threadTs }: Message): boolean {
  return threadTs === undefined;
}

/** One page of messages, in their order, without those that only one person sees. */
function page(
  world: World,
  channel: Channel,
  found: readonly Message[],
  args: PageArguments,
): Json {
  const { limit = 100, inclusive = false, latest, oldest } = args;
  const start = Number(args.cursor?.replace('next_', '') ?? 0);
  if (Number.isNaN(start)) throw new Refusal('invalid_cursor');
  const isWithin = (ts: string) =>
    (oldest === undefined || ts > oldest || (inclusive && ts === oldest)) &&
    (latest === undefined || ts < latest || (inclusive && ts === latest));
  const all = found.filter(({ ts, ephemeralFor }) => ephemeralFor === undefined && isWithin(ts));
  const messages = all.slice(start, start + limit).map((message) => ({
    ...threadFields(world, channel, message),
    ...messageWire(world, message, args.include_all_metadata === true),
  }));
  const hasMore = start + limit < all.length;
  return {
    messages,
    has_more: hasMore,
    ...(hasMore && { response_metadata: { next_cursor: `next_${start + limit}` } }),
  };
}

/** What hangs on a message, if anything does. */
function threadFields({ state }: World, channel: Channel, { ts }: Message): Json {
  const answers = messagesOf(state, channel.id).filter(
    ({ threadTs, ephemeralFor }) => threadTs === ts && ephemeralFor === undefined,
  );
  if (answers.length === 0) return {};
  const authors = new Set(
    answers.map(({ author }) =>
      author.kind === 'app' ? author.installation.botUserId : author.userId,
    ),
  );
  return {
    thread_ts: ts,
    reply_count: answers.length,
    reply_users: [...authors],
    reply_users_count: authors.size,
    latest_reply: answers.at(-1)?.ts ?? ts,
  };
}

import type { ConversationsHistoryArguments, ConversationsRepliesArguments } from '@slack/web-api';
import { z } from 'zod';
import { botMethod, type NamedAs } from '../api/method.ts';
import { Refusal } from '../api/refusal.ts';
import type { StoredMessage } from '../binary/store.ts';
import { channelId, count, flag, timestamp } from '../schema/wire.ts';
import { messageWire } from '../world/message-wire.ts';
import { readableChannel } from '../world/reach.ts';
import type { Channel, Json } from '../world/records.ts';
import { findMessage } from '../world/state.ts';
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
    return page(world, channel, await world.store.replies(channel.id, args.ts), args);
  },
});

export const history = botMethod({
  name: 'conversations.history',
  tier: 3,
  args: pageArguments satisfies NamedAs<ConversationsHistoryArguments>,
  run: async (world, args, installation) => {
    const channel = readableChannel(world, installation, args.channel);
    return page(world, channel, await world.store.history(channel.id), args);
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

/** One page of what the program holds, each message as it is told here. */
function page(
  world: World,
  channel: Channel,
  stored: readonly StoredMessage[],
  args: PageArguments,
): Json {
  const { limit = 100, inclusive = false, latest, oldest } = args;
  const start = Number(args.cursor?.replace('next_', '') ?? 0);
  if (Number.isNaN(start)) throw new Refusal('invalid_cursor');
  const isWithin = (ts: string) =>
    (oldest === undefined || ts > oldest || (inclusive && ts === oldest)) &&
    (latest === undefined || ts < latest || (inclusive && ts === latest));
  const all = stored.filter(({ ts, subtype }) => subtype !== 'ephemeral' && isWithin(ts));
  const messages = all.slice(start, start + limit).map((item) => ({
    ...threadFields(item),
    ...told(world, channel, item, args.include_all_metadata === true),
  }));
  const hasMore = start + limit < all.length;
  return {
    messages,
    has_more: hasMore,
    ...(hasMore && { response_metadata: { next_cursor: `next_${start + limit}` } }),
  };
}

/** What the program alone knows: how many answers hang on a message. */
function threadFields({
  reply_count,
  reply_users,
  reply_users_count,
  latest_reply,
  thread_ts,
}: StoredMessage): Json {
  if (reply_count === undefined) return {};
  return { thread_ts, reply_count, reply_users, reply_users_count, latest_reply };
}

function told(world: World, channel: Channel, item: StoredMessage, withMetadata: boolean): Json {
  const message = findMessage(world.state, channel.id, item.ts);
  if (message === undefined) throw new Error(`local-slack has a message ${item.ts} of its own.`);
  return messageWire(world, message, withMetadata);
}

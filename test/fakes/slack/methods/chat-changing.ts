import type {
  ChatDeleteArguments,
  ChatGetPermalinkArguments,
  ChatUpdateArguments,
} from '@slack/web-api';
import { z } from 'zod';
import { botMethod, type NamedAs } from '../api/method.ts';
import { Refusal } from '../api/refusal.ts';
import * as content from '../schema/content.ts';
import { channelId, flag, timestamp } from '../schema/wire.ts';
import { messageWire, streamingState } from '../world/message-wire.ts';
import { visibleChannel } from '../world/reach.ts';
import type { Installation, Message } from '../world/records.ts';
import { findMessage } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { change, remove } from '../world/writing.ts';
import { contentOf } from './content.ts';

export const update = botMethod({
  name: 'chat.update',
  scopes: ['chat:write'],
  tier: 3,
  codes: content.contentCodes,
  args: {
    channel: channelId,
    ts: timestamp,
    text: z.string().max(4000, 'is longer than 4,000 characters').optional(),
    markdown_text: content.markdownText.optional(),
    blocks: content.blocks.optional(),
    metadata: content.metadata.optional(),
    link_names: flag.optional(),
    parse: z.enum(['full', 'none']).optional(),
    reply_broadcast: flag.optional(),
  } satisfies NamedAs<ChatUpdateArguments>,
  run: async (world, args, installation) => {
    const message = ownMessage(world, installation, args.channel, args.ts, 'cant_update_message');
    if (world.state.channels.get(args.channel)?.isArchived) throw new Refusal('is_inactive');
    if (streamingState(world, message) === 'in_progress')
      throw new Refusal('streaming_state_conflict');
    const { changed, told } = await change(world, message, {
      ...contentOf(args),
      metadata: args.metadata ?? message.metadata,
    });
    void told;
    return {
      channel: args.channel,
      ts: args.ts,
      text: changed.text,
      message: messageWire(world, changed, true),
    };
  },
});

export const deleteMessage = botMethod({
  name: 'chat.delete',
  scopes: ['chat:write'],
  tier: 3,
  args: { channel: channelId, ts: timestamp } satisfies NamedAs<ChatDeleteArguments>,
  run: async (world, args, installation) => {
    const message = ownMessage(world, installation, args.channel, args.ts, 'cant_delete_message');
    void (await remove(world, message));
    return { channel: args.channel, ts: args.ts };
  },
});

export const getPermalink = botMethod({
  name: 'chat.getPermalink',
  tier: 'unlimited',
  args: { channel: channelId, message_ts: timestamp } satisfies NamedAs<ChatGetPermalinkArguments>,
  run: (world, args, installation) => {
    const channel = visibleChannel(world, installation, args.channel);
    const message = findMessage(world.state, channel.id, args.message_ts);
    if (message === undefined) throw new Refusal('message_not_found');
    const thread = message.threadTs && `?thread_ts=${message.threadTs}&cid=${channel.id}`;
    const domain = world.state.workspaces.get(channel.teamId)?.domain;
    const page = `https://${domain}.slack.com/archives/${channel.id}`;
    return {
      channel: channel.id,
      permalink: `${page}/p${message.ts.replace('.', '')}${thread ?? ''}`,
    };
  },
});

/** A message that the installation wrote and everybody sees. */
export function ownMessage(
  world: World,
  installation: Installation,
  channelIdText: string,
  ts: string,
  notMine: string,
): Message {
  const channel = visibleChannel(world, installation, channelIdText);
  const message = findMessage(world.state, channel.id, ts);
  if (message === undefined || message.ephemeralFor !== undefined || message.isTombstone) {
    throw new Refusal('message_not_found');
  }
  if (message.author.kind !== 'app') throw new Refusal(notMine);
  return message;
}

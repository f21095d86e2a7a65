import type { ChatPostEphemeralArguments, ChatPostMessageArguments } from '@slack/web-api';
import { z } from 'zod';
import { botMethod, type NamedAs } from '../api/method.ts';
import { Refusal } from '../api/refusal.ts';
import * as content from '../schema/content.ts';
import { channelId, flag, timestamp, userId } from '../schema/wire.ts';
import { messageWire } from '../world/message-wire.ts';
import { writableChannel } from '../world/reach.ts';
import { writeAsApp } from '../world/writing.ts';
import { contentOf, lookOf, threadOf } from './content.ts';

const contentArguments = {
  channel: channelId,
  text: content.text.optional(),
  markdown_text: content.markdownText.optional(),
  blocks: content.blocks.optional(),
  thread_ts: timestamp.optional(),
  link_names: flag.optional(),
  parse: z.enum(['full', 'none']).optional(),
  ...content.lookArguments,
} as const;

export const postMessage = botMethod({
  name: 'chat.postMessage',
  scopes: ['chat:write'],
  tier: 'posting',
  codes: content.contentCodes,
  args: {
    ...contentArguments,
    metadata: content.metadata.optional(),
    mrkdwn: flag.optional(),
    reply_broadcast: flag.optional(),
    unfurl_links: flag.optional(),
    unfurl_media: flag.optional(),
  } satisfies NamedAs<ChatPostMessageArguments>,
  run: async (world, args, installation) => {
    const channel = writableChannel(world, installation, args.channel);
    const message = await writeAsApp(world, {
      installation,
      channel,
      threadTs: threadOf(world, channel.id, args.thread_ts),
      ...contentOf(args),
      look: lookOf(args, installation),
      metadata: args.metadata,
    });
    return {
      channel: channel.id,
      ts: message.ts,
      message: messageWire(world, message, true),
    };
  },
});

export const postEphemeral = botMethod({
  name: 'chat.postEphemeral',
  scopes: ['chat:write'],
  tier: 4,
  codes: content.contentCodes,
  args: { ...contentArguments, user: userId } satisfies NamedAs<ChatPostEphemeralArguments>,
  run: async (world, args, installation) => {
    const channel = writableChannel(world, installation, args.channel);
    if (!channel.members.has(args.user)) throw new Refusal('user_not_in_channel');
    const message = await writeAsApp(world, {
      installation,
      channel,
      threadTs: threadOf(world, channel.id, args.thread_ts),
      ...contentOf(args),
      look: lookOf(args, installation),
      ephemeralFor: args.user,
    });
    return { message_ts: message.ts };
  },
});

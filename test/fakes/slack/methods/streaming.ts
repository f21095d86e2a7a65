import type {
  ChatAppendStreamArguments,
  ChatStartStreamArguments,
  ChatStopStreamArguments,
} from '@slack/web-api';
import { z } from 'zod';
import { botMethod, type NamedAs } from '../api/method.ts';
import { Refusal } from '../api/refusal.ts';
import { type Chunk, chunks } from '../schema/chunks.ts';
import * as content from '../schema/content.ts';
import { channelId, timestamp, userId } from '../schema/wire.ts';
import { messageWire } from '../world/message-wire.ts';
import { writableChannel } from '../world/reach.ts';
import type { Installation, Message } from '../world/records.ts';
import { streamContent } from '../world/stream-content.ts';
import type { Stream } from '../world/streams.ts';
import type { World } from '../world/world.ts';
import { change, writeAsApp } from '../world/writing.ts';
import { ownMessage } from './chat-changing.ts';
import { lookOf, threadOf } from './content.ts';

/** A whole message fails near this length. */
const maxStreamChars = 13_200;

const streamArguments = {
  channel: channelId,
  markdown_text: content.markdownText.optional(),
  chunks: chunks.optional(),
} as const;

export const startStream = botMethod({
  name: 'chat.startStream',
  scopes: ['chat:write'],
  tier: 2,
  codes: content.contentCodes,
  args: {
    ...streamArguments,
    thread_ts: timestamp,
    recipient_user_id: userId.optional(),
    recipient_team_id: z.string().optional(),
    task_display_mode: z.enum(['timeline', 'plan']).optional(),
    ...content.lookArguments,
  } satisfies NamedAs<ChatStartStreamArguments>,
  run: async (world, args, installation) => {
    const channel = writableChannel(world, installation, args.channel);
    if (channel.kind !== 'direct') {
      if (args.recipient_user_id === undefined) throw new Refusal('missing_recipient_user_id');
      if (args.recipient_team_id === undefined) throw new Refusal('missing_recipient_team_id');
      if (!world.state.workspaces.has(args.recipient_team_id)) throw new Refusal('team_not_found');
    }
    const display = args.task_display_mode ?? 'timeline';
    const first = chunksOf(args);
    const message = await writeAsApp(world, {
      installation,
      channel,
      threadTs: threadOf(world, channel.id, args.thread_ts),
      ...shown(first, display),
      look: lookOf(args, installation),
      streaming: 'in_progress',
    });
    const { ts } = message;
    const startedAtMs = world.clock.now();
    world.streams.open({ channel: channel.id, ts, display, startedAtMs, chunks: first });
    return { channel: channel.id, ts };
  },
});

export const appendStream = botMethod({
  name: 'chat.appendStream',
  scopes: ['chat:write'],
  tier: 4,
  codes: content.contentCodes,
  args: { ...streamArguments, ts: timestamp } satisfies NamedAs<ChatAppendStreamArguments>,
  run: async (world, args, installation) => {
    const { message, stream } = openStream(world, installation, args, 'stopped_by_user');
    const added = chunksOf(args);
    if (added.length === 0) throw new Refusal('no_text');
    const content = shown([...stream.chunks, ...added], stream.display);
    world.streams.append(stream, added);
    await change(world, message, content, { isEdit: false, isTold: false });
    return { channel: args.channel, ts: args.ts };
  },
});

export const stopStream = botMethod({
  name: 'chat.stopStream',
  scopes: ['chat:write'],
  tier: 2,
  codes: content.contentCodes,
  args: {
    ...streamArguments,
    ts: timestamp,
    blocks: content.blocks.optional(),
    metadata: content.metadata.optional(),
    session_status: z.string().optional(),
  } satisfies NamedAs<ChatStopStreamArguments>,
  run: async (world, args, installation) => {
    const { message, stream } = openStream(world, installation, args);
    const { text, blocks } = shown([...stream.chunks, ...chunksOf(args)], stream.display);
    world.streams.stop(stream);
    const { changed } = await change(
      world,
      message,
      {
        text,
        blocks: [...blocks, ...(args.blocks ?? [])],
        metadata: args.metadata,
        streaming: 'completed',
      },
      { isEdit: false, isTold: true },
    );
    return { channel: args.channel, ts: args.ts, message: messageWire(world, changed, true) };
  },
});

/** @param ifStopped - Slack's word where a person has stopped the stream. */
function openStream(
  world: World,
  installation: Installation,
  { channel, ts }: { readonly channel: string; readonly ts: string },
  ifStopped = 'message_not_in_streaming_state',
): { readonly message: Message; readonly stream: Stream } {
  writableChannel(world, installation, channel);
  const message = ownMessage(world, installation, channel, ts, 'message_not_owned_by_app');
  const stream = world.streams.find(message);
  if (stream) return { message, stream };
  throw new Refusal(
    world.streams.wasStoppedByPerson(message) ? ifStopped : 'message_not_in_streaming_state',
  );
}

function chunksOf(args: {
  readonly markdown_text?: string | undefined;
  readonly chunks?: readonly Chunk[] | undefined;
}): readonly Chunk[] {
  const { markdown_text: text, chunks: given = [] } = args;
  return text === undefined ? given : [{ type: 'markdown_text', text }, ...given];
}

/** Throws `msg_too_long` when a stream has grown past what a message holds. */
function shown(all: readonly Chunk[], display: Stream['display']) {
  const content = streamContent(all, display);
  if (content.text.length > maxStreamChars) throw new Refusal('msg_too_long');
  return content;
}

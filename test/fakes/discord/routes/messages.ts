import {
  MessageCreateRequestSchema,
  MessageEditRequestPartialSchema,
  MessageResponseSchema,
} from 'discord-api-spec/zod';
import { MessageFlags, MessageType } from 'discord-api-types/v10';
import * as z from 'zod/mini';
import { displayedText } from '../messages/components.ts';
import { contentProblems, isEmpty } from '../messages/content-limits.ts';
import type { BotMessageBody } from '../messages/message-body.ts';
import { messageParts } from '../messages/message-parts.ts';
import { pingsOf } from '../messages/pings.ts';
import { deleteMessage, postMessage } from '../messages/post-message.ts';
import { revise } from '../messages/revise.ts';
import { demandSpeaking } from '../messages/speaking.ts';
import { visibleTo } from '../messages/visible-content.ts';
import { refusal } from '../rest/discord-error.ts';
import { type Answer, botRoute, type Call, noContent, ok } from '../rest/route.ts';
import { demand, may } from '../world/permissions.ts';
import type { Channel, StoredMessage } from '../world/records.ts';
import { byAge } from '../world/snowflakes.ts';
import { channelOf, messageOf, messagesOf } from '../world/state.ts';
import type { World } from '../world/world.ts';

/** The flags that a bot may set on its own message. */
const settableFlags =
  MessageFlags.SuppressEmbeds | MessageFlags.SuppressNotifications | MessageFlags.IsComponentsV2;

/** How long a nonce keeps a message from being posted twice. */
const nonceLifeMs = 5 * 60_000;

/** Messages of the bot itself, and the history of a channel. */
export const messageRoutes = [
  botRoute('GET', '/channels/{channel_id}/messages', (world, call) => {
    const channel = readableChannel(world, call);
    const mayRead = may(world.state, channel, world.bot.id, 'ReadMessageHistory');
    const messages = mayRead ? pageOf(sharedMessages(world, channel), call) : [];
    return ok(
      z.array(MessageResponseSchema),
      messages.map((message) => shown(world, message)),
    );
  }),

  botRoute('GET', '/channels/{channel_id}/messages/{message_id}', (world, call) => {
    const channel = readableChannel(world, call);
    demand(world.state, channel, world.bot.id, 'ReadMessageHistory');
    return ok(MessageResponseSchema, shown(world, sharedMessage(world, channel, call)));
  }),

  botRoute('POST', '/channels/{channel_id}/messages', post),

  botRoute('PATCH', '/channels/{channel_id}/messages/{message_id}', (world, call) => {
    const message = sharedMessage(world, readableChannel(world, call), call);
    const body = call.body(MessageEditRequestPartialSchema);
    if (message.wire.author.id !== world.bot.id) throw refusal('notYourMessage');
    return ok(MessageResponseSchema, revise(world, call, message, body).wire);
  }),

  botRoute('DELETE', '/channels/{channel_id}/messages/{message_id}', (world, call) => {
    const channel = readableChannel(world, call);
    const message = sharedMessage(world, channel, call);
    if (message.wire.author.id !== world.bot.id) {
      demand(world.state, channel, world.bot.id, 'ManageMessages');
    }
    if (channel.kind === 'thread' && channel.isArchived) throw refusal('archivedThread');
    deleteMessage(world, message);
    return noContent;
  }),
];

function post(world: World, call: Call): Answer {
  const channel = readableChannel(world, call);
  const body = call.body(MessageCreateRequestSchema);
  const flags = (body.flags ?? 0) & settableFlags;
  call.refuseIf(contentProblems(body, flags));
  if (isEmpty(body, call.files.length)) throw refusal('emptyMessage');
  demandSpeaking(world, channel, body, call.files.length);
  const nonce = typeof body.nonce === 'number' ? String(body.nonce) : (body.nonce ?? undefined);
  const twin = body.enforce_nonce === true ? alreadyPosted(world, channel, nonce) : undefined;
  if (twin !== undefined) return ok(MessageResponseSchema, withNonce(twin));
  const answers = answeredMessage(world, channel, body);
  const parts = messageParts(world, channel.id, body, call.files);
  const posted = postMessage(world, {
    channel,
    author: world.bot,
    parts,
    flags,
    pings: pingsOf(world.state, {
      text: `${parts.content}\n${displayedText(parts.components)}`,
      channelId: channel.id,
      authorId: world.bot.id,
      repliesTo: answers?.wire.author.id,
      allowed: body.allowed_mentions ?? undefined,
    }),
    ...(answers === undefined ? {} : { answers, type: MessageType.Reply }),
    ...(nonce === undefined ? {} : { nonce }),
  });
  return ok(MessageResponseSchema, withNonce(posted));
}

/** Only the answer to the post and its event carry the nonce; the history does not. */
function withNonce({ wire, nonce }: StoredMessage): object {
  return nonce === undefined ? wire : { ...wire, nonce };
}

function alreadyPosted(
  world: World,
  channel: Channel,
  nonce: string | undefined,
): StoredMessage | undefined {
  if (nonce === undefined) return undefined;
  const oldestMs = world.clock.now() - nonceLifeMs;
  return messagesOf(world.state, channel.id).find(
    (message) => message.nonce === nonce && Date.parse(message.wire.timestamp) >= oldestMs,
  );
}

function answeredMessage(
  world: World,
  channel: Channel,
  { message_reference: reference }: BotMessageBody,
): StoredMessage | undefined {
  if (reference === undefined || reference === null) return undefined;
  if (!may(world.state, channel, world.bot.id, 'ReadMessageHistory')) {
    throw refusal('replyNeedsHistory');
  }
  const answered = world.state.messages.get(channel.id)?.get(reference.message_id);
  if (answered === undefined && reference.fail_if_not_exists !== false) {
    throw refusal('unknownMessage');
  }
  return answered;
}

function readableChannel(world: World, call: Call): Channel {
  const channel = channelOf(world.state, call.param('channel_id'));
  demand(world.state, channel, world.bot.id);
  return channel;
}

/** Messages that are there for everybody; ephemeral ones are not in any history. */
function sharedMessages(world: World, channel: Channel): StoredMessage[] {
  return messagesOf(world.state, channel.id).filter(({ onlyFor }) => onlyFor === undefined);
}

function sharedMessage(world: World, channel: Channel, call: Call): StoredMessage {
  const message = messageOf(world.state, channel.id, call.param('message_id'));
  if (message.onlyFor !== undefined) throw refusal('unknownMessage');
  return message;
}

function shown(world: World, { wire, guildId }: StoredMessage) {
  const reader = { botId: world.bot.id, mayReadContent: world.mayReadContent };
  return visibleTo(reader, wire, guildId === undefined);
}

/** The newest first, at most `limit` (50): before, after or around a message. */
function pageOf(messages: readonly StoredMessage[], { query }: Call): StoredMessage[] {
  const limit = Number(query.get('limit') ?? 50);
  const sorted = messages.toSorted((one, other) => byAge(one.wire, other.wire));
  const [before, after, around] = ['before', 'after', 'around'].map((name) => query.get(name));
  if (before) {
    const older = sorted.filter(({ wire }) => BigInt(wire.id) < BigInt(before));
    return older.slice(-limit).reverse();
  }
  if (after) {
    const newer = sorted.filter(({ wire }) => BigInt(wire.id) > BigInt(after));
    return newer.slice(0, limit).reverse();
  }
  if (around) {
    const older = sorted.filter(({ wire }) => BigInt(wire.id) < BigInt(around)).length;
    const start = Math.max(0, older - Math.floor(limit / 2));
    return sorted.slice(start, start + limit).reverse();
  }
  return sorted.slice(-limit).reverse();
}

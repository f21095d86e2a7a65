import {
  CreatedThreadResponseSchema,
  CreateForumThreadRequestSchema,
  CreateTextThreadWithMessageRequestSchema,
  CreateTextThreadWithoutMessageRequestSchema,
  MessageResponseSchema,
  ThreadMemberResponseSchema,
  ThreadResponseSchema,
  ThreadsResponseSchema,
} from 'discord-api-spec/zod';
import { ChannelType, MessageFlags, MessageType } from 'discord-api-types/v10';
import * as z from 'zod/mini';
import { displayedText } from '../messages/components.ts';
import { contentProblems, isEmpty } from '../messages/content-limits.ts';
import { messageParts } from '../messages/message-parts.ts';
import { pingsOf } from '../messages/pings.ts';
import { editMessage, postMessage } from '../messages/post-message.ts';
import { threadMemberPayload, threadPayload } from '../payloads/channels.ts';
import { refusal } from '../rest/discord-error.ts';
import { type Answer, botRoute, type Call, created, noContent, ok } from '../rest/route.ts';
import { demand, isForum } from '../world/permissions.ts';
import type { GuildChannel, Thread } from '../world/records.ts';
import { channelOf, guildOf, messageOf, threadsOf } from '../world/state.ts';
import { createThread, joinThread, leaveThread } from '../world/threads.ts';
import type { World } from '../world/world.ts';
import { nameProblems } from './channels.ts';

/** The answer to a forum post carries its first message as well. */
const forumPostAnswer = z.intersection(
  CreatedThreadResponseSchema,
  z.object({ message: MessageResponseSchema }),
);

/** Threads: from a message, without one, as a forum post; who is in them. */
export const threadRoutes = [
  botRoute('POST', '/channels/{channel_id}/messages/{message_id}/threads', startFromMessage),
  botRoute('POST', '/channels/{channel_id}/threads', (world, call) => {
    const parent = parentChannel(world, call);
    return isForum(parent) ? startForumPost(world, call, parent) : startAlone(world, call, parent);
  }),

  botRoute('PUT', '/channels/{channel_id}/thread-members/@me', (world, call) => {
    const thread = wakeThread(world, call);
    joinThread(world, thread, world.bot.id);
    return noContent;
  }),

  botRoute('DELETE', '/channels/{channel_id}/thread-members/@me', (world, call) => {
    const thread = wakeThread(world, call);
    leaveThread(world, thread, world.bot.id);
    return noContent;
  }),

  botRoute('PUT', '/channels/{channel_id}/thread-members/{user_id}', (world, call) => {
    const thread = wakeThread(world, call);
    demand(world.state, thread, world.bot.id, 'SendMessagesInThreads');
    joinThread(world, thread, call.param('user_id'));
    return noContent;
  }),

  botRoute('GET', '/channels/{channel_id}/thread-members', (world, call) => {
    const thread = knownThread(world, call);
    const members = [...thread.members.keys()].map((id) => threadMemberPayload(thread, id));
    return ok(z.array(ThreadMemberResponseSchema), members);
  }),

  botRoute('GET', '/channels/{channel_id}/threads/archived/public', (world, call) => {
    const { state, bot } = world;
    const parent = parentChannel(world, call);
    demand(state, parent, bot.id, 'ReadMessageHistory');
    const threads = threadsOf(state, { parentId: parent.id })
      .filter((thread) => thread.isArchived && thread.type !== ChannelType.PrivateThread)
      .toSorted((one, other) => other.archiveChangedAt.localeCompare(one.archiveChangedAt));
    const limit = Number(call.query.get('limit') ?? 50);
    const page = threads.slice(0, limit);
    return ok(ThreadsResponseSchema, {
      threads: page.map((thread) => threadPayload(state, thread, bot.id)),
      members: page
        .filter((thread) => thread.members.has(bot.id))
        .map((thread) => threadMemberPayload(thread, bot.id)),
      has_more: threads.length > limit,
    });
  }),
];

/** The thread gets the message's id, and begins with a note that points back to it. */
function startFromMessage(world: World, call: Call): Answer {
  const { state, bot } = world;
  const parent = parentChannel(world, call);
  const body = call.body(CreateTextThreadWithMessageRequestSchema, ['type']);
  call.refuseIf(nameProblems(body.name));
  demand(state, parent, bot.id, 'CreatePublicThreads', 'ReadMessageHistory');
  const message = messageOf(state, parent.id, call.param('message_id'));
  if (message.onlyFor !== undefined) throw refusal('unknownMessage');
  if (state.channels.has(message.wire.id)) throw refusal('threadExists');
  const { blockedWords, maxActiveThreads } = guildOf(state, parent.guildId);
  const active = threadsOf(state, { guildId: parent.guildId }).filter((one) => !one.isArchived);
  if (active.length >= maxActiveThreads) throw refusal('tooManyThreads');
  if (blockedWords.some((word) => body.name.includes(word))) throw refusal('titleBlocked');
  const thread = createThread(world, {
    parent,
    name: body.name,
    ownerId: bot.id,
    id: message.wire.id,
    ...archiving(body.auto_archive_duration),
  });
  postMessage(world, {
    channel: thread,
    author: bot,
    type: MessageType.ThreadStarterMessage,
    parts: messageParts(world, thread.id, {}, []),
    answers: message,
  });
  editMessage(world, message, {
    flags: (message.wire.flags ?? 0) | MessageFlags.HasThread,
    thread: threadPayload(state, thread),
  });
  return created(ThreadResponseSchema, threadPayload(state, thread, bot.id));
}

function startAlone(world: World, call: Call, parent: GuildChannel): Answer {
  const { state, bot } = world;
  const body = call.body(CreateTextThreadWithoutMessageRequestSchema);
  call.refuseIf(nameProblems(body.name));
  const isPrivate = body.type === ChannelType.PrivateThread;
  demand(state, parent, bot.id, isPrivate ? 'CreatePrivateThreads' : 'CreatePublicThreads');
  const thread = createThread(world, {
    parent,
    name: body.name,
    ownerId: bot.id,
    isPrivate,
    ...archiving(body.auto_archive_duration),
  });
  return created(CreatedThreadResponseSchema, threadPayload(state, thread, bot.id));
}

function startForumPost(world: World, call: Call, parent: GuildChannel): Answer {
  const { state, bot } = world;
  const body = call.body(CreateForumThreadRequestSchema);
  const flags = (body.message.flags ?? 0) & MessageFlags.IsComponentsV2;
  call.refuseIf([...nameProblems(body.name), ...contentProblems(body.message, flags)]);
  if (isEmpty(body.message, call.files.length)) throw refusal('emptyMessage');
  demand(state, parent, bot.id, 'SendMessages');
  const thread = createThread(world, {
    parent,
    name: body.name,
    ownerId: bot.id,
    appliedTags: body.applied_tags ?? [],
    ...archiving(body.auto_archive_duration),
  });
  const parts = messageParts(world, thread.id, body.message, call.files);
  const message = postMessage(world, {
    channel: thread,
    author: bot,
    parts,
    flags,
    id: thread.id,
    pings: pingsOf(state, {
      text: `${parts.content}\n${displayedText(parts.components)}`,
      channelId: thread.id,
      authorId: bot.id,
      repliesTo: undefined,
      allowed: body.message.allowed_mentions ?? undefined,
    }),
  });
  return created(forumPostAnswer, {
    ...threadPayload(state, thread, bot.id),
    message: message.wire,
  });
}

function archiving(minutes: Thread['autoArchiveMinutes'] | null | undefined) {
  return minutes === undefined || minutes === null ? {} : { autoArchiveMinutes: minutes };
}

function parentChannel(world: World, call: Call): GuildChannel {
  const channel = channelOf(world.state, call.param('channel_id'));
  demand(world.state, channel, world.bot.id);
  if (channel.kind !== 'channel') throw refusal('wrongChannelType');
  return channel;
}

function knownThread(world: World, call: Call): Thread {
  const channel = channelOf(world.state, call.param('channel_id'));
  demand(world.state, channel, world.bot.id);
  if (channel.kind !== 'thread') throw refusal('wrongChannelType');
  return channel;
}

function wakeThread(world: World, call: Call): Thread {
  const thread = knownThread(world, call);
  if (thread.isArchived) throw refusal('archivedThread');
  return thread;
}

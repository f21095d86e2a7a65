import {
  CreatePrivateChannelRequestSchema,
  GuildChannelResponseSchema,
  PrivateChannelResponseSchema,
  ThreadResponseSchema,
  UpdateGuildChannelRequestPartialSchema,
  UpdateThreadRequestPartialSchema,
  UserResponseSchema,
} from 'discord-api-spec/zod';
import { GatewayDispatchEvents } from 'discord-api-types/v10';
import { channelPayload, guildChannelPayload } from '../payloads/channels.ts';
import { refusal } from '../rest/discord-error.ts';
import { botRoute, type Call, noContent, ok } from '../rest/route.ts';
import { directChannel } from '../world/direct-channels.ts';
import { demand, may, speakingPermission } from '../world/permissions.ts';
import type { Channel, GuildChannel, Thread } from '../world/records.ts';
import { deleteChannel } from '../world/removals.ts';
import { channelOf } from '../world/state.ts';
import { updateThread } from '../world/threads.ts';
import type { World } from '../world/world.ts';

const channelAnswers = {
  channel: GuildChannelResponseSchema,
  thread: ThreadResponseSchema,
  direct: PrivateChannelResponseSchema,
} as const;

/** Channels and threads alike: to Discord a thread is a channel. */
export const channelRoutes = [
  botRoute('GET', '/channels/{channel_id}', (world, call) => {
    const channel = channelOf(world.state, call.param('channel_id'));
    demand(world.state, channel, world.bot.id);
    return answerWith(world, channel);
  }),

  botRoute('PATCH', '/channels/{channel_id}', (world, call) => {
    const channel = channelOf(world.state, call.param('channel_id'));
    if (channel.kind === 'direct') throw refusal('wrongChannelType');
    if (channel.kind === 'thread') changeThread(world, call, channel);
    else changeChannel(world, call, channel);
    return answerWith(world, channel);
  }),

  botRoute('DELETE', '/channels/{channel_id}', (world, call) => {
    const channel = channelOf(world.state, call.param('channel_id'));
    const needed = channel.kind === 'thread' ? 'ManageThreads' : 'ManageChannels';
    demand(world.state, channel, world.bot.id, needed);
    const answer = answerWith(world, channel);
    deleteChannel(world, channel);
    return answer;
  }),

  botRoute('POST', '/channels/{channel_id}/typing', (world, call) => {
    const channel = channelOf(world.state, call.param('channel_id'));
    demand(world.state, channel, world.bot.id, speakingPermission(channel));
    return noContent;
  }),

  botRoute('POST', '/users/@me/channels', (world, call) => {
    const { recipient_id: recipientId } = call.body(CreatePrivateChannelRequestSchema);
    const recipient = world.state.users.get(recipientId ?? '');
    if (recipient === undefined) throw refusal('unknownUser');
    return ok(PrivateChannelResponseSchema, answerBody(world, directChannel(world, recipient)));
  }),

  botRoute('GET', '/users/{user_id}', ({ state }, call) => {
    const user = state.users.get(call.param('user_id'));
    if (user === undefined) throw refusal('unknownUser');
    return ok(UserResponseSchema, user);
  }),
];

function answerWith(world: World, channel: Channel) {
  return ok(channelAnswers[channel.kind], answerBody(world, channel));
}

/** A direct channel's `name` is sent by the gateway alone. */
function answerBody(world: World, channel: Channel): object {
  const payload = channelPayload(world.state, channel);
  if (channel.kind !== 'direct') return payload;
  const { name: _, ...rest } = payload;
  return rest;
}

/** Closing and naming one's own thread is allowed to everybody; the rest takes Manage Threads. */
function changeThread(world: World, call: Call, thread: Thread): void {
  const { state, bot } = world;
  const body = call.body(UpdateThreadRequestPartialSchema);
  call.refuseIf(nameProblems(body.name));
  demand(state, thread, bot.id);
  const isManager = may(state, thread, bot.id, 'ManageThreads');
  const isOwner = thread.ownerId === bot.id;
  if (!isManager && (!isOwner || typeof body.locked === 'boolean')) {
    throw refusal('missingPermissions');
  }
  if (!isManager && thread.isLocked) throw refusal('missingPermissions');
  const isNamedAsleep = thread.isArchived && body.archived !== false && body.name !== undefined;
  if (isNamedAsleep) throw refusal('archivedThread');
  updateThread(world, thread, {
    name: body.name ?? thread.name,
    isArchived: body.archived ?? thread.isArchived,
    isLocked: body.locked ?? thread.isLocked,
    autoArchiveMinutes: body.auto_archive_duration ?? thread.autoArchiveMinutes,
    appliedTags: body.applied_tags ?? thread.appliedTags,
  });
}

function changeChannel(world: World, call: Call, channel: GuildChannel): void {
  const body = call.body(UpdateGuildChannelRequestPartialSchema);
  demand(world.state, channel, world.bot.id, 'ManageChannels');
  channel.name = body.name ?? channel.name;
  channel.topic = body.topic === undefined ? channel.topic : body.topic;
  world.dispatch({
    t: GatewayDispatchEvents.ChannelUpdate,
    d: { ...guildChannelPayload(world.state, channel), guild_id: channel.guildId },
    guildId: channel.guildId,
    channelId: channel.id,
  });
}

/** What is wrong with the name of a thread. */
export function nameProblems(name: string | null | undefined) {
  return typeof name === 'string' && (name.trim() === '' || [...name].length > 100)
    ? [
        {
          path: ['name'],
          code: 'BASE_TYPE_BAD_LENGTH',
          message: 'Must be between 1 and 100 in length.',
        },
      ]
    : [];
}

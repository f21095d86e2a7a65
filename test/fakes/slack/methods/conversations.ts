import type {
  ConversationsInfoArguments,
  ConversationsMembersArguments,
  ConversationsOpenArguments,
  UsersConversationsArguments,
} from '@slack/web-api';
import { z } from 'zod';
import { botMethod, type NamedAs } from '../api/method.ts';
import { Refusal } from '../api/refusal.ts';
import { channelId, count, flag } from '../schema/wire.ts';
import { openDirect } from '../world/directs.ts';
import { demandScope, historyScope, visibleChannel } from '../world/reach.ts';
import type { Channel, Installation, Json } from '../world/records.ts';

export const info = botMethod({
  name: 'conversations.info',
  tier: 3,
  args: {
    channel: channelId,
    include_locale: flag.optional(),
    include_num_members: flag.optional(),
  } satisfies NamedAs<ConversationsInfoArguments>,
  run: (world, args, installation) => {
    const channel = visibleChannel(world, installation, args.channel);
    demandScope(installation, `${historyScope(channel)}:read`);
    const { members } = channel;
    const count = args.include_num_members === true && { num_members: members.size };
    return { channel: { ...channelInfo(channel, installation), ...count } };
  },
});

function channelInfo(channel: Channel, { botUserId }: Installation): Json {
  const { id, name, kind, creatorId, members, isArchived, isShared } = channel;
  if (kind === 'direct') {
    const other = [...members].find((member) => member !== botUserId);
    return { id, is_im: true, user: other, is_archived: isArchived };
  }
  return {
    id,
    name,
    is_channel: kind === 'public',
    is_group: kind === 'private',
    is_im: false,
    is_mpim: kind === 'group direct',
    is_private: kind !== 'public',
    is_shared: isShared,
    is_ext_shared: isShared,
    is_org_shared: false,
    is_archived: isArchived,
    is_member: members.has(botUserId),
    creator: creatorId,
    topic: { value: '', creator: '', last_set: 0 },
    purpose: { value: '', creator: '', last_set: 0 },
  };
}

const kindsOfTypes = {
  public_channel: 'public',
  private_channel: 'private',
  im: 'direct',
  mpim: 'group direct',
} as const;

/** Those that the app is in. */
export const ofApp = botMethod({
  name: 'users.conversations',
  tier: 3,
  args: {
    types: z
      .string()
      .default('public_channel')
      .transform((types) => types.split(','))
      .pipe(z.array(z.enum(['public_channel', 'private_channel', 'im', 'mpim']))),
    exclude_archived: flag.optional(),
    limit: count.max(1000).optional(),
    cursor: z.string().optional(),
    team_id: z.string().optional(),
  } satisfies NamedAs<UsersConversationsArguments>,
  run: ({ state, app }, args, installation) => {
    const { types, exclude_archived: isWithoutArchived, limit = 100, team_id: wanted } = args;
    // A token for an organisation has to say of which of its workspaces.
    if (app.organisation !== undefined && wanted === undefined) {
      throw new Refusal('missing_argument');
    }
    const kinds = types.map((type) => kindsOfTypes[type]);
    for (const kind of kinds) demandScope(installation, `${historyScope({ kind })}:read`);
    const { teamId, botUserId } = installation;
    const found = [...state.channels.values()].filter(
      (channel) =>
        channel.teamId === teamId &&
        channel.members.has(botUserId) &&
        kinds.includes(channel.kind) &&
        !(isWithoutArchived && channel.isArchived),
    );
    const start = Number(args.cursor?.replace('next_', '') ?? 0);
    const end = start + limit;
    const channels = found.slice(start, end).map((channel) => channelInfo(channel, installation));
    const next_cursor = end < found.length ? `next_${end}` : '';
    return { channels, response_metadata: { next_cursor } };
  },
});

export const members = botMethod({
  name: 'conversations.members',
  tier: 4,
  args: {
    channel: channelId,
    cursor: z.string().optional(),
    limit: count.optional(),
  } satisfies NamedAs<ConversationsMembersArguments>,
  run: (world, args, installation) => {
    const channel = visibleChannel(world, installation, args.channel);
    demandScope(installation, `${historyScope(channel)}:read`);
    return { members: [...channel.members], response_metadata: { next_cursor: '' } };
  },
});

export const open = botMethod({
  name: 'conversations.open',
  scopes: ['im:write'],
  tier: 3,
  args: {
    users: z.string(),
    prevent_creation: flag.optional(),
    return_im: flag.optional(),
  } satisfies NamedAs<ConversationsOpenArguments>,
  run: async (world, args, installation) => {
    const user = world.state.users.get(args.users);
    if (user === undefined || user.teamId !== installation.teamId) {
      throw new Refusal('user_not_found');
    }
    const channel = await openDirect(world, installation, user);
    return { channel: { id: channel.id } };
  },
});

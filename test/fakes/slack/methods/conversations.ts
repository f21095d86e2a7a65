import type {
  ConversationsInfoArguments,
  ConversationsMembersArguments,
  ConversationsOpenArguments,
} from '@slack/web-api';
import { z } from 'zod';
import { botMethod, type NamedAs } from '../api/method.ts';
import { Refusal } from '../api/refusal.ts';
import { channelId, count, flag } from '../schema/wire.ts';
import { openDirect } from '../world/directs.ts';
import { demandScope, historyScope, visibleChannel } from '../world/reach.ts';

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
    const { id, name, kind, creatorId, members, isArchived, isShared } = channel;
    if (kind === 'direct') {
      const other = [...members].find((member) => member !== installation.botUserId);
      return { channel: { id, is_im: true, user: other, is_archived: isArchived } };
    }
    return {
      channel: {
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
        is_member: members.has(installation.botUserId),
        creator: creatorId,
        topic: { value: '', creator: '', last_set: 0 },
        purpose: { value: '', creator: '', last_set: 0 },
        ...(args.include_num_members === true && { num_members: members.size }),
      },
    };
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

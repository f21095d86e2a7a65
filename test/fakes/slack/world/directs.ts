import type { Channel, Installation, User } from './records.ts';
import type { World } from './world.ts';

/** The conversation of a person with the app, which is there from then on. */
export async function openDirect(
  { state, nextId }: World,
  installation: Installation,
  user: User,
): Promise<Channel> {
  const { teamId } = installation;
  const open = [...state.channels.values()].find(
    (one) => one.kind === 'direct' && one.teamId === teamId && one.members.has(user.id),
  );
  if (open !== undefined) return open;
  const channel: Channel = {
    id: nextId('D'),
    teamId,
    name: '',
    kind: 'direct',
    creatorId: user.id,
    members: new Set([user.id, installation.botUserId]),
    isArchived: false,
    isShared: false,
  };
  state.channels.set(channel.id, channel);
  return channel;
}

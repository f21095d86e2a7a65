import type { Channel, Installation, User } from './records.ts';
import type { World } from './world.ts';

/** The conversation of a person with the app, which is there from then on. */
export async function openDirect(
  { state, store }: World,
  installation: Installation,
  user: User,
): Promise<Channel> {
  const id = await store.openDirect(user.id);
  const open = state.channels.get(id);
  if (open !== undefined) return open;
  const channel: Channel = {
    id,
    teamId: installation.teamId,
    name: '',
    kind: 'direct',
    creatorId: user.id,
    members: new Set([user.id, installation.botUserId]),
    isArchived: false,
    isShared: false,
  };
  state.channels.set(id, channel);
  return channel;
}

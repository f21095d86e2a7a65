import { Refusal } from '../api/refusal.ts';
import type { Channel, Installation } from './records.ts';
import type { World } from './world.ts';

/** Throws the Refusal for a conversation that an installation cannot know of. */
export function visibleChannel(world: World, installation: Installation, id: string): Channel {
  const channel = world.state.channels.get(id);
  if (channel === undefined || channel.teamId !== installation.teamId) {
    throw new Refusal('channel_not_found');
  }
  if (channel.kind !== 'public' && !channel.members.has(installation.botUserId)) {
    throw new Refusal('channel_not_found');
  }
  return channel;
}

/** Throws the Refusal for a conversation that an installation may not read. */
export function readableChannel(world: World, installation: Installation, id: string): Channel {
  const channel = visibleChannel(world, installation, id);
  if (!channel.members.has(installation.botUserId)) throw new Refusal('not_in_channel');
  demandScope(installation, `${historyScope(channel)}:history`);
  return channel;
}

/** Throws the Refusal for a conversation that an installation may not write to. */
export function writableChannel(world: World, installation: Installation, id: string): Channel {
  const channel = visibleChannel(world, installation, id);
  if (channel.isArchived) throw new Refusal('is_archived');
  const isOpen = channel.kind === 'public' && installation.scopes.has('chat:write.public');
  if (!channel.members.has(installation.botUserId) && !isOpen) throw new Refusal('not_in_channel');
  return channel;
}

/** Throws `missing_scope`, naming what is needed and what is there, as Slack does. */
export function demandScope(installation: Installation, scope: string): void {
  if (installation.scopes.has(scope)) return;
  throw new Refusal('missing_scope', {
    needed: scope,
    provided: [...installation.scopes].join(','),
  });
}

/** The first half of the scopes for a kind of conversation, e.g. `channels` of `channels:history`. */
export function historyScope({
  kind,
}: Pick<Channel, 'kind'>): 'channels' | 'groups' | 'im' | 'mpim' {
  const scopes = {
    public: 'channels',
    private: 'groups',
    direct: 'im',
    'group direct': 'mpim',
  } as const;
  return scopes[kind];
}

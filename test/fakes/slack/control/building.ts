import { install } from '../world/installing.ts';
import { eventTs } from '../world/message-events.ts';
import type { Channel, Installation, User, Workspace } from '../world/records.ts';
import { known } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { type Draft, writeAsApp } from '../world/writing.ts';
import { type Member, memberOf } from './member.ts';

export interface MemberOptions {
  readonly workspace?: Workspace;
  readonly isAdmin?: boolean;
  readonly isOwner?: boolean;
}

export interface ChannelOptions {
  /** Who made it; the workspace's first member when left out. */
  readonly creator?: Member;
  readonly isPrivate?: boolean;
  /** With another organisation. It is not when left out. */
  readonly isShared?: boolean;
  /** Whether the app is a member. It is when left out. */
  readonly hasApp?: boolean;
  /** Everybody in the workspace when left out. */
  readonly members?: readonly Member[];
  readonly workspace?: Workspace;
}

/** Builds what exists. Without a workspace it is in the first. */
export function building(world: World, first: Workspace) {
  const { state } = world;
  return {
    /** A workspace; `isInstalled: false` leaves the app for an OAuth installation. */
    addWorkspace(
      name: string,
      options: { readonly isInstalled?: boolean; readonly isInOrganisation?: boolean } = {},
    ): Workspace {
      const organisation = options.isInOrganisation ? world.nextId('E') : undefined;
      const workspace = newWorkspace(world, name, organisation);
      if (options.isInstalled !== false) install(world, workspace);
      return workspace;
    },

    /** A person, who can then talk and press buttons. Later members join no channel by themselves. */
    addMember(name: string, options: MemberOptions = {}): Member {
      const { workspace = first, isAdmin = false, isOwner = false } = options;
      const user: User = {
        id: world.nextId('U'),
        teamId: workspace.id,
        name: name.toLowerCase().replaceAll(' ', '.'),
        realName: name,
        isBot: false,
        isAdmin: isAdmin || isOwner,
        isOwner,
        isDeleted: false,
      };
      state.users.set(user.id, user);
      return memberOf(world, user);
    },

    /** Another app of the workspace, which posts under its own name. */
    addOtherApp(name: string) {
      const botId = world.nextId('B');
      const installation = { ...known(state.installations, first.id), botId };
      const usual = { installation, threadTs: undefined, text: '', blocks: [] };
      return {
        posts: (channel: Channel, what: Partial<Draft>) =>
          writeAsApp(world, { ...usual, channel, look: { username: name }, ...what }),
      };
    },

    async addChannel(name: string, options: ChannelOptions = {}): Promise<Channel> {
      const { workspace = first, isPrivate = false, hasApp = true } = options;
      const people = [...state.users.values()].filter(({ teamId }) => teamId === workspace.id);
      const everybody = people.filter(({ isBot }) => !isBot).map(({ id }) => id);
      const botUserId = state.installations.get(workspace.id)?.botUserId;
      const members = options.members?.map(({ user }) => user.id) ?? everybody;
      const channel: Channel = {
        id: world.nextId(isPrivate ? 'G' : 'C'),
        teamId: workspace.id,
        name,
        kind: isPrivate ? 'private' : 'public',
        creatorId: options.creator?.user.id ?? everybody[0] ?? '',
        members: new Set([...members, ...(hasApp && botUserId !== undefined ? [botUserId] : [])]),
        isArchived: false,
        isShared: options.isShared ?? false,
      };
      state.channels.set(channel.id, channel);
      return channel;
    },

    /** Changes a channel, e.g. archives it or takes someone out, and gives what it is now. */
    changeChannel(channel: Channel, parts: Partial<Channel>): Channel {
      const changed = { ...known(state.channels, channel.id), ...parts };
      state.channels.set(channel.id, changed);
      return changed;
    },

    /** Shares a private channel with another organisation: it gets another id, and the app is told so. */
    async shareChannel(channel: Channel): Promise<Channel> {
      const before = known(state.channels, channel.id);
      const shared = { ...before, id: world.nextId('C'), isShared: true };
      state.channels.delete(before.id);
      state.channels.set(shared.id, shared);
      const messages = [...(state.messages.get(before.id) ?? [])];
      state.messages.delete(before.id);
      state.messages.set(
        shared.id,
        new Map(messages.map(([ts, message]) => [ts, { ...message, channel: shared.id }])),
      );
      await world.events.tell({
        teamId: shared.teamId,
        subscription: 'channel_id_changed',
        channel: shared,
        event: {
          type: 'channel_id_changed',
          old_channel_id: before.id,
          new_channel_id: shared.id,
          event_ts: eventTs(world),
        },
      });
      return shared;
    },

    /** The app is added again, with a new token. */
    reinstall: (workspace: Workspace = first): Installation => install(world, workspace),

    /** Grants an installation exactly these scopes. */
    setScopes(scopes: readonly string[], workspace: Workspace = first): void {
      const installation = known(state.installations, workspace.id);
      state.installations.set(workspace.id, { ...installation, scopes: new Set(scopes) });
    },

    installation: (workspace: Workspace = first): Installation =>
      known(state.installations, workspace.id),
  };
}

export function newWorkspace(
  { state, nextId }: World,
  name: string,
  organisation?: string,
): Workspace {
  const domain = name.toLowerCase().replaceAll(' ', '-');
  const workspace = { id: nextId('T'), name, domain, ...(organisation && { organisation }) };
  state.workspaces.set(workspace.id, workspace);
  return workspace;
}

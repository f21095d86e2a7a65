import type { Delivery } from '../delivery/events.ts';
import type { Interaction } from '../delivery/interact.ts';
import { contentOf } from '../methods/content.ts';
import { openDirect } from '../world/directs.ts';
import { eventTs } from '../world/message-events.ts';
import type { Channel, User } from '../world/records.ts';
import { newResponseUrl } from '../world/response-urls.ts';
import { findMessage, known } from '../world/state.ts';
import { viewWire } from '../world/view-wire.ts';
import type { World } from '../world/world.ts';
import { writeAsApp } from '../world/writing.ts';
import { acknowledgedMessage } from './acknowledged-message.ts';
import { actionTs, channelWire, interactionBase, pressedMessage } from './payloads.ts';

export interface Commanding {
  /**
   * Gives a slash command; not within a thread, where Slack has none. What the app acknowledges it with is
   * shown in the channel.
   *
   * @param line - e.g. `/council ask why?`.
   */
  commands(channel: Channel, line: string): Promise<Interaction>;
  /** Chooses a shortcut in a message's menu. */
  usesShortcut(
    callbackId: string,
    message: { readonly channel: Channel; readonly ts: string },
  ): Promise<Interaction>;
  /** Opens the app: its Home tab, or its conversation, which is the agent pane. */
  opensHome(tab?: 'home' | 'messages'): Promise<Delivery | undefined>;
}

export function commanding(world: World, user: User): Commanding {
  const { state } = world;
  return {
    commands: async (channel, line) => {
      const [command = '', ...rest] = line.split(' ');
      if (!world.app.commands.includes(command)) throw new Error(`There is no command ${command}.`);
      const { id: channelId, name: channelName } = channelWire(channel);
      const told = await world.interact('slash_commands', {
        token: 'verification-token',
        team_id: user.teamId,
        team_domain: known(state.workspaces, user.teamId).domain,
        channel_id: channelId,
        channel_name: channelName,
        user_id: user.id,
        user_name: user.name,
        command,
        text: rest.join(' '),
        api_app_id: world.app.id,
        ...(world.app.organisation !== undefined && { enterprise_id: world.app.organisation }),
        is_enterprise_install: String(world.app.organisation !== undefined),
        response_url: newResponseUrl(world, {
          user,
          channel,
          messageTs: undefined,
          threadTs: undefined,
        }),
        trigger_id: world.triggers.pull(user, false),
      });
      const shown = told.status === 'acknowledged' && acknowledgedMessage(world, told.payload);
      if (shown) {
        await writeAsApp(world, {
          installation: known(state.installations, user.teamId),
          channel,
          threadTs: undefined,
          ...contentOf(shown),
          look: {},
          ...(shown.response_type !== 'in_channel' && { ephemeralFor: user.id }),
        });
      }
      return told;
    },

    usesShortcut: async (callbackId, { channel, ts }) => {
      const message = findMessage(state, channel.id, ts);
      if (message === undefined) throw new Error(`There is no message ${ts} any more.`);
      return world.interact('interactive', {
        type: 'message_action',
        ...interactionBase(world, user),
        callback_id: callbackId,
        trigger_id: world.triggers.pull(user, false),
        action_ts: actionTs(world),
        channel: channelWire(channel),
        message_ts: ts,
        message: pressedMessage(world, message),
        response_url: newResponseUrl(world, {
          user,
          channel,
          messageTs: undefined,
          threadTs: message.threadTs,
        }),
      });
    },

    opensHome: async (tab = 'home') => {
      const installation = known(state.installations, user.teamId);
      const channel = await openDirect(world, installation, user);
      const view = world.views.homes.get(user.id);
      return world.events.tell({
        teamId: user.teamId,
        subscription: 'app_home_opened',
        event: {
          type: 'app_home_opened',
          user: user.id,
          channel: channel.id,
          tab,
          event_ts: eventTs(world),
          ...(tab === 'home' && view && { view: viewWire(world, view) }),
        },
      });
    },
  };
}

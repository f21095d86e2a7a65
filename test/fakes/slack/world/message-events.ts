import type { Delivery } from '../delivery/events.ts';
import { channelType, messageWire } from './message-wire.ts';
import { historyScope } from './reach.ts';
import type { Channel, Json, Message } from './records.ts';
import { known } from './state.ts';
import type { World } from './world.ts';

/** Tells the app of a new message, as a member of the conversation. */
export function tellOfMessage(world: World, message: Message): Promise<Delivery | undefined> {
  // Of an author of another company Slack names only the workspace here, also of an organisation.
  const { user_team, source_team: _, ...wire } = messageWire(world, message, true);
  return tell(world, message, user_team === undefined ? wire : { ...wire, team: user_team });
}

/** Tells the app that someone addressed it. In direct messages Slack does not. */
export async function tellOfMention(world: World, message: Message): Promise<Delivery | undefined> {
  const channel = known(world.state.channels, message.channel);
  const botUserId = world.state.installations.get(message.teamId)?.botUserId;
  const isMention = botUserId !== undefined && message.text.includes(`<@${botUserId}>`);
  if (!isMention || channel.kind === 'direct') return undefined;
  return world.events.tell({
    teamId: message.teamId,
    subscription: 'app_mention',
    scope: 'app_mentions:read',
    channel,
    event: {
      ...messageWire(world, message, false),
      ...organisationOf(world, message),
      type: 'app_mention',
      channel: message.channel,
      event_ts: message.ts,
    },
  });
}

/** In a mention Slack names an author's organisation in place of the workspace, which `team` then does not tell either. */
function organisationOf({ state }: World, { channel, author }: Message): Json {
  if (!state.channels.get(channel)?.isShared || author.kind !== 'member') return {};
  const { teamId } = known(state.users, author.userId);
  const { organisation } = known(state.workspaces, teamId);
  return organisation === undefined
    ? {}
    : { user_team: organisation, source_team: organisation, user_profile: { team: organisation } };
}

/** Tells the app that a message is not what it was. */
export function tellOfChange(world: World, message: Message, previous: Message) {
  return tell(world, message, {
    type: 'message',
    subtype: 'message_changed',
    hidden: true,
    ts: eventTs(world),
    message: messageWire(world, message, true),
    previous_message: messageWire(world, previous, true),
  });
}

/** Tells the app that a message is gone. */
export function tellOfDeletion(world: World, message: Message) {
  return tell(world, message, {
    type: 'message',
    subtype: 'message_deleted',
    hidden: true,
    ts: eventTs(world),
    deleted_ts: message.ts,
    previous_message: messageWire(world, message, true),
  });
}

function tell(world: World, message: Message, event: Json): Promise<Delivery | undefined> {
  const channel: Channel = known(world.state.channels, message.channel);
  const kind = historyScope(channel);
  return world.events.tell({
    teamId: message.teamId,
    subscription: `message.${kind}`,
    scope: `${kind}:history`,
    channel,
    event: {
      ...event,
      channel: channel.id,
      channel_type: channelType(channel),
      event_ts: event.ts,
    },
  });
}

/** The `ts` of what is no message itself. */
export function eventTs({ clock }: World): string {
  return (clock.now() / 1000).toFixed(6);
}

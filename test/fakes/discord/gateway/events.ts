import {
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  GatewayIntentBits,
} from 'discord-api-types/v10';

type EventOf<Payload> = Payload extends { t: infer Name; d: infer Data }
  ? { readonly t: Name; readonly d: Data }
  : never;

/** A gateway event without what depends on the session: no opcode, no sequence number. */
export type GatewayEvent = EventOf<GatewayDispatchPayload> & {
  /** Decides shard and intent; `undefined` for what happens in direct messages. */
  readonly guildId: string | undefined;
  /** Only a bot that may view this channel is told. */
  readonly channelId?: string;
};

type IntentsByPlace = readonly [inGuild: number, inDirectMessage: number];

const always: IntentsByPlace = [0, 0];
const guilds: IntentsByPlace = [GatewayIntentBits.Guilds, GatewayIntentBits.Guilds];
const messages: IntentsByPlace = [
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.DirectMessages,
];
const reactions: IntentsByPlace = [
  GatewayIntentBits.GuildMessageReactions,
  GatewayIntentBits.DirectMessageReactions,
];
const members: IntentsByPlace = [GatewayIntentBits.GuildMembers, GatewayIntentBits.GuildMembers];

const intentsByEvent: Partial<Record<GatewayDispatchEvents, IntentsByPlace>> = {
  [GatewayDispatchEvents.InteractionCreate]: always,
  [GatewayDispatchEvents.GuildCreate]: guilds,
  [GatewayDispatchEvents.GuildDelete]: guilds,
  [GatewayDispatchEvents.GuildRoleCreate]: guilds,
  [GatewayDispatchEvents.GuildRoleUpdate]: guilds,
  [GatewayDispatchEvents.ChannelCreate]: guilds,
  [GatewayDispatchEvents.ChannelUpdate]: guilds,
  [GatewayDispatchEvents.ChannelDelete]: guilds,
  [GatewayDispatchEvents.ThreadCreate]: guilds,
  [GatewayDispatchEvents.ThreadUpdate]: guilds,
  [GatewayDispatchEvents.ThreadDelete]: guilds,
  [GatewayDispatchEvents.ThreadListSync]: guilds,
  [GatewayDispatchEvents.ThreadMembersUpdate]: guilds,
  [GatewayDispatchEvents.GuildMemberAdd]: members,
  [GatewayDispatchEvents.GuildMembersChunk]: members,
  [GatewayDispatchEvents.WebhooksUpdate]: [
    GatewayIntentBits.GuildWebhooks,
    GatewayIntentBits.GuildWebhooks,
  ],
  [GatewayDispatchEvents.MessageCreate]: messages,
  [GatewayDispatchEvents.MessageUpdate]: messages,
  [GatewayDispatchEvents.MessageDelete]: messages,
  [GatewayDispatchEvents.MessageDeleteBulk]: messages,
  [GatewayDispatchEvents.MessageReactionAdd]: reactions,
  [GatewayDispatchEvents.MessageReactionRemove]: reactions,
  [GatewayDispatchEvents.TypingStart]: [
    GatewayIntentBits.GuildMessageTyping,
    GatewayIntentBits.DirectMessageTyping,
  ],
};

/** Whether a session that asked for these intents is told of an event of this kind in this place. */
export function isIntended(intents: number, event: GatewayEvent): boolean {
  const needed = intentsByEvent[event.t];
  if (needed === undefined) throw new Error(`Say in intentsByEvent which intent ${event.t} needs.`);
  const intent = needed[event.guildId === undefined ? 1 : 0];
  return intent === 0 || (intents & intent) !== 0;
}

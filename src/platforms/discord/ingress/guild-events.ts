/**
 * What Discord tells of deletions, and of the guilds that the bot is in. It is read as the gateway tells it:
 * of what is deleted the library tells only what it has in its cache, and out of its cache it takes no guild.
 */

import {
  ChannelType,
  type Client,
  Events,
  GatewayDispatchEvents,
  type Guild,
  type GuildBasedChannel,
  ShardClientUtil,
  SnowflakeUtil,
  type TextChannel,
} from 'discord.js';
import { z } from 'zod';
import { hello } from '../../chat/asking/asking-words.ts';
import type { Ingress } from '../../platform.ts';
import { directMessages, placeOf, platformName } from '../thread-id.ts';
import type { IngressContext } from './context.ts';

const ofChannel = { channel_id: z.string(), guild_id: z.string().default(directMessages) };
const namedSchema = z.object({ id: z.string() });
const messagesSchema = z.union([
  z.object({ ...ofChannel, ids: z.array(z.string()) }),
  z
    .object({ ...ofChannel, id: z.string() })
    .transform(({ id, ...rest }) => ({ ...rest, ids: [id] })),
]);
const channelSchema = z.object({ id: z.string(), guild_id: z.string() });
const threadSchema = channelSchema.extend({ parent_id: z.string() });
const readySchema = z.object({
  application: z.object({ id: z.string() }),
  guilds: z.array(namedSchema),
  /** Its number, and how many there are. */
  shard: z.tuple([z.number(), z.number()]).default([0, 1]),
});

export interface GuildEventsOptions {
  readonly ingress: Pick<Ingress, 'deleted' | 'left' | 'memberships'>;
  /** Does the work on what has this id; nothing of it throws. */
  readonly handle: (work: () => Promise<void>, id: string) => void;
}

type Take = (told: unknown) => Promise<void> | undefined;

export function hearGuildEvents(client: Client, options: GuildEventsOptions): void {
  const hear = (event: GatewayDispatchEvents, take: Take) =>
    client.ws.on(event, (told: unknown) => {
      const id = namedSchema.safeParse(told).data?.id ?? event;
      options.handle(async () => take(told), id);
    });
  hearRemovals(client, hear, options);
  reportMemberships(hear, options);
}

function hearRemovals(
  client: Client,
  hear: (event: GatewayDispatchEvents, take: Take) => void,
  { ingress, handle }: GuildEventsOptions,
): void {
  const postsDeleted: Take = (told) => {
    const { ids, channel_id: channel, guild_id: guild } = messagesSchema.parse(told);
    const posts = ids.map((id) => ({
      eventId: id,
      threadId: placeOf({ guild, channel, thread: id }).threadId,
      postedAt: SnowflakeUtil.timestampFrom(id),
    }));
    return ingress.deleted({ kind: 'posts', posts });
  };

  hear(GatewayDispatchEvents.MessageDelete, postsDeleted);
  hear(GatewayDispatchEvents.MessageDeleteBulk, postsDeleted);
  hear(GatewayDispatchEvents.ThreadDelete, (told) => {
    const { id: thread, parent_id: channel, guild_id: guild } = threadSchema.parse(told);
    const { threadId } = placeOf({ guild, channel, thread });
    return ingress.deleted({ kind: 'thread', threadId });
  });
  hear(GatewayDispatchEvents.ChannelDelete, (told) => {
    const { id: channel, guild_id: guild } = channelSchema.parse(told);
    const { threadId } = placeOf({ guild, channel, thread: channel });
    return ingress.deleted({ kind: 'channel', threadId });
  });
  // Not for a guild that is down at Discord's: the library tells of that by another event.
  client.on(Events.GuildDelete, ({ id }) => {
    handle(() => ingress.left({ platform: platformName, workspace: id }), id);
  });
}

/** READY names the guilds of its gateway shard, including any that are down at Discord's. */
function reportMemberships(
  hear: (event: GatewayDispatchEvents, take: Take) => void,
  { ingress }: GuildEventsOptions,
): void {
  const named = new Set<string>();
  let as = '';

  hear(GatewayDispatchEvents.Ready, (told) => {
    const { application, guilds, shard } = readySchema.parse(told);
    const [number, count] = shard;
    const wouldName = (guild: string) => ShardClientUtil.shardIdForGuildId(guild, count) === number;
    const workspaces = guilds.map(({ id }) => id);
    as = application.id;
    for (const id of named) if (wouldName(id)) named.delete(id);
    for (const id of workspaces) named.add(id);
    return ingress.memberships({ platform: platformName, as, workspaces, wouldName });
  });
  // After READY it comes for each guild that was named there, and later for those that add the bot.
  hear(GatewayDispatchEvents.GuildCreate, (told) => {
    const { id } = namedSchema.parse(told);
    if (named.has(id)) return undefined;
    named.add(id);
    const added = { platform: platformName, as, workspaces: [id] };
    return ingress.memberships({ ...added, wouldName: () => false });
  });
  // Also for one that is down: that it comes back is told a second time, and changes nothing.
  hear(GatewayDispatchEvents.GuildDelete, (told) => {
    named.delete(namedSchema.parse(told).id);
    return undefined;
  });
}

/** A server that the bot has been in for longer is told of again, e.g. after an outage. */
const newForMs = 600_000;

/** Says hello in a server that has just added the bot. Throws what Discord and the store throw. */
export async function greet(guild: Guild, { ingress, reply, now }: IngressContext): Promise<void> {
  if (!guild.available || now() - guild.joinedTimestamp > newForMs) return;
  const channel = channelForHello(guild);
  if (!channel) return;
  if (!(await ingress.mayGreet({ platform: platformName, workspace: guild.id }))) return;
  const place = placeOf({ guild: guild.id, channel: channel.id, thread: channel.id });
  await reply(place, hello('server'));
}

/** Where the server welcomes people, or the first channel that it may write in. */
function channelForHello(guild: Guild): TextChannel | undefined {
  const { me } = guild.members;
  const mayWrite = (channel: GuildBasedChannel | null): channel is TextChannel =>
    channel?.type === ChannelType.GuildText &&
    me !== null &&
    channel.permissionsFor(me).has(['ViewChannel', 'SendMessages']);
  if (mayWrite(guild.systemChannel)) return guild.systemChannel;
  return [...guild.channels.cache.values()]
    .filter(mayWrite)
    .toSorted((one, other) => one.rawPosition - other.rawPosition)[0];
}

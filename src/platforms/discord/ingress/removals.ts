/**
 * What is deleted in Discord, and guilds that the bot is taken out of. What is deleted is read as the
 * gateway tells it: the library tells of that only what it has in its cache.
 */

import { type Client, Events, GatewayDispatchEvents, SnowflakeUtil } from 'discord.js';
import { z } from 'zod';
import type { Ingress } from '../../platform.ts';
import { directMessages, placeOf, platformName } from '../thread-id.ts';

const ofChannel = { channel_id: z.string(), guild_id: z.string().default(directMessages) };
const namedSchema = z.object({ id: z.string() });
const messageSchema = z.object({ ...ofChannel, id: z.string() });
const messagesSchema = z.object({ ...ofChannel, ids: z.array(z.string()) });
const channelSchema = z.object({ id: z.string(), guild_id: z.string() });
const threadSchema = channelSchema.extend({ parent_id: z.string() });

export interface RemovalsOptions {
  readonly ingress: Pick<Ingress, 'deleted' | 'left'>;
  /** Does the work on what has this id; nothing of it throws. */
  readonly handle: (work: () => Promise<void>, id: string) => void;
}

export function hearRemovals(client: Client, { ingress, handle }: RemovalsOptions): void {
  const hear = (event: GatewayDispatchEvents, read: (told: unknown) => () => Promise<void>) =>
    client.ws.on(event, (told: unknown) => {
      handle(async () => read(told)(), namedSchema.safeParse(told).data?.id ?? event);
    });
  const posts = (guild: string, channel: string, ids: readonly string[]) =>
    ingress.deleted({
      kind: 'posts',
      posts: ids.map((id) => ({
        eventId: id,
        threadId: placeOf({ guild, channel, thread: id }).threadId,
        postedAt: SnowflakeUtil.timestampFrom(id),
      })),
    });

  hear(GatewayDispatchEvents.MessageDelete, (told) => {
    const { id, channel_id: channel, guild_id: guild } = messageSchema.parse(told);
    return () => posts(guild, channel, [id]);
  });
  hear(GatewayDispatchEvents.MessageDeleteBulk, (told) => {
    const { ids, channel_id: channel, guild_id: guild } = messagesSchema.parse(told);
    return () => posts(guild, channel, ids);
  });
  hear(GatewayDispatchEvents.ThreadDelete, (told) => {
    const { id: thread, parent_id: channel, guild_id: guild } = threadSchema.parse(told);
    const { threadId } = placeOf({ guild, channel, thread });
    return () => ingress.deleted({ kind: 'thread', threadId });
  });
  hear(GatewayDispatchEvents.ChannelDelete, (told) => {
    const { id: channel, guild_id: guild } = channelSchema.parse(told);
    const { threadId } = placeOf({ guild, channel, thread: channel });
    return () => ingress.deleted({ kind: 'channel', threadId });
  });
  // Not for a guild that is down at Discord's: the library tells of that by another event.
  client.on(Events.GuildDelete, ({ id }) => {
    handle(() => ingress.left({ platform: platformName, workspace: id }), id);
  });
}

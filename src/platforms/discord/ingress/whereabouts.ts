/**
 * In which guilds the bot is. READY names those of its shard, also one that is down at Discord's; the
 * library adds them to its cache and never takes one out of it, so that what is told is read itself.
 */

import { type Client, GatewayDispatchEvents, ShardClientUtil } from 'discord.js';
import { z } from 'zod';
import type { Ingress } from '../../platform.ts';
import { platformName } from '../thread-id.ts';

const guildSchema = z.object({ id: z.string() });
const readySchema = z.object({
  application: z.object({ id: z.string() }),
  guilds: z.array(guildSchema),
  /** Its number, and how many there are. */
  shard: z.tuple([z.number(), z.number()]).default([0, 1]),
});

export interface WhereaboutsOptions {
  readonly ingress: Pick<Ingress, 'whereabouts'>;
  /** Does the work on what has this id; nothing of it throws. */
  readonly handle: (work: () => Promise<void>, id: string) => void;
}

export function hearWhereabouts(client: Client, { ingress, handle }: WhereaboutsOptions): void {
  const named = new Set<string>();
  let as = '';
  const hear = (event: GatewayDispatchEvents, take: (told: unknown) => Promise<void> | undefined) =>
    client.ws.on(event, (told: unknown) => handle(async () => take(told), event));

  hear(GatewayDispatchEvents.Ready, (told) => {
    const { application, guilds, shard } = readySchema.parse(told);
    const [number, count] = shard;
    const wouldName = (guild: string) => ShardClientUtil.shardIdForGuildId(guild, count) === number;
    const workspaces = guilds.map(({ id }) => id);
    as = application.id;
    for (const id of named) if (wouldName(id)) named.delete(id);
    for (const id of workspaces) named.add(id);
    return ingress.whereabouts({ platform: platformName, as, workspaces, wouldName });
  });
  // After READY it comes for each guild that was named there, and later for those that add the bot.
  hear(GatewayDispatchEvents.GuildCreate, (told) => {
    const { id } = guildSchema.parse(told);
    if (named.has(id)) return undefined;
    named.add(id);
    const added = { platform: platformName, as, workspaces: [id] };
    return ingress.whereabouts({ ...added, wouldName: () => false });
  });
  // Also for one that is down: that it comes back is told a second time, and changes nothing.
  hear(GatewayDispatchEvents.GuildDelete, (told) => {
    named.delete(guildSchema.parse(told).id);
    return undefined;
  });
}

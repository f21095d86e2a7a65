/** Says hello in a server that has just added the bot. */

import { ChannelType, type Guild, type GuildBasedChannel, type TextChannel } from 'discord.js';
import type { Place, Reply } from '../../../../commands/command.ts';
import { hello } from '../../chat/asking/hello.ts';
import type { Ingress } from '../../platform.ts';
import { placeOf, platformName } from '../thread-id.ts';

/** A server that the bot has been in for longer is told of again, e.g. after an outage. */
const newForMs = 600_000;

export interface HelloOptions {
  readonly ingress: Pick<Ingress, 'mayGreet'>;
  /** Posts it. Throws what Discord throws. */
  readonly reply: (place: Place, reply: Reply) => Promise<void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Throws what Discord and the store throw. */
export async function greet(guild: Guild, { ingress, reply, now }: HelloOptions): Promise<void> {
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

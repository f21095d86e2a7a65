/** Finds messages that were missed during an outage: a new session of the gateway tells of none. */

import {
  type Client,
  type GuildTextBasedChannel,
  type Message,
  PermissionFlagsBits,
  SnowflakeUtil,
} from 'discord.js';
import type { Log } from '../../../domain/log.ts';
import { briefWaitsMs, untilAnswered } from '../../chat/pacing/back-off.ts';
import { bareWord } from '../../chat/text/spoken-line.ts';
import { asUnanswered, withoutRequest } from '../rest/discord-rest.ts';

export interface MissedOptions {
  /** Handles a message like an event; known messages are ignored. Never throws. */
  readonly handle: (message: Message) => Promise<void>;
  readonly log: Log;
}

/** Those with the newest messages; each takes a request. */
const maxChannels = 40;
/** The oldest of a channel since the outage; Discord sends no more at once. */
const maxMessages = 100;
/** A lost connection is noticed within two heartbeats of 41 s; the rest is for the difference between two clocks. */
const noticedWithinMs = 120_000;

/**
 * Handles what was said in the servers of a gateway shard that has just connected. Direct messages can't be
 * found: Discord lists none of their channels. Never throws.
 *
 * @param since - In milliseconds since 1970.
 */
export async function answerMissed(
  client: Client,
  shard: number,
  since: number,
  { handle, log }: MissedOptions,
): Promise<void> {
  const after = SnowflakeUtil.generate({ timestamp: since - noticedWithinMs });
  const spoken = [...client.guilds.cache.values()]
    .filter(({ shardId }) => shardId === shard)
    .flatMap((guild) => [...guild.channels.cache.values()])
    .filter((channel) => channel.isTextBased())
    .map((channel) => ({ channel, last: BigInt(channel.lastMessageId ?? 0) }))
    .filter(({ channel, last }) => last > after && mayRead(channel))
    .toSorted((one, other) => Number(other.last - one.last));
  for (const { channel } of spoken.slice(0, maxChannels)) {
    try {
      const options = { after: `${after}`, limit: maxMessages, cache: false };
      const read = () => channel.messages.fetch(options).catch(asUnanswered);
      const messages = await untilAnswered(read, briefWaitsMs);
      for (const message of [...messages.values()].reverse()) {
        // It was asked, which the store need not be asked about.
        if (message.thread?.ownerId === message.client.user.id) continue;
        // The turn that a stop meant has ended, or was asked later.
        const words = message.content.replace(/<@[!&]?\d+>/g, '').trim();
        if (bareWord(words) !== 'stop') await handle(message);
      }
    } catch (error) {
      const facts = { channel: channel.id, error: withoutRequest(error) };
      log.warn(facts, 'missed messages can’t be looked for in a channel');
    }
  }
  const looked = Math.min(spoken.length, maxChannels);
  const facts = { gatewayShard: shard, looked, of: spoken.length };
  log.info(facts, 'channels were checked for missed messages');
}

function mayRead(channel: GuildTextBasedChannel): boolean {
  const { me } = channel.guild.members;
  const { ViewChannel, ReadMessageHistory } = PermissionFlagsBits;
  return me !== null && channel.permissionsFor(me).has([ViewChannel, ReadMessageHistory]);
}

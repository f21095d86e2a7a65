/** Everything that people do in Discord, as the gateway's client reports it. */

import {
  ChannelType,
  type Client,
  Events,
  GatewayDispatchEvents,
  type Guild,
  type GuildBasedChannel,
  type Interaction,
  type Message,
  MessageFlags,
  ShardClientUtil,
  SnowflakeUtil,
  type TextChannel,
} from 'discord.js';
import { z } from 'zod';
import { faultWords } from '../../../../commands/command.ts';
import { hello } from '../../chat/asking/asking-words.ts';
import { withoutRequest } from '../rest/discord-rest.ts';
import { directMessages, placeOf, platformName } from '../thread-id.ts';
import { answerOnce, isAnsweredAlready } from './first-answer.ts';
import { InteractionHandler } from './interactions.ts';
import { hearEditedMessage, hearMessage, tellAuthor } from './messages.ts';
import type { IngressContext } from './scene.ts';

/** Sets every listener on a client that is about to connect. */
export function listen(client: Client, context: IngressContext): void {
  const { log, brake, isStopping } = context;
  const handler = new InteractionHandler(context);

  /** A failure is logged, and the person who waits for an answer is told. */
  const handle = (work: () => Promise<void>, eventId: string, tell: () => Promise<void>) => {
    if (isStopping()) return;
    work().catch(async (error: unknown) => {
      if (isAnsweredAlready(error)) {
        log.info({ eventId }, 'an interaction was delivered again');
        return;
      }
      const facts = { error: withoutRequest(error), eventId };
      log.error(facts, 'a Discord event could not be handled');
      await tell().catch((again: unknown) => {
        log.warn({ ...facts, error: withoutRequest(again) }, 'the person could not be told either');
      });
    });
  };

  client.on(Events.InteractionCreate, (interaction: Interaction) => {
    const tell = () => tellBehind(interaction);
    handle(() => handler.handle(interaction), interaction.id, tell);
  });
  client.on(Events.MessageCreate, (message: Message) => {
    const tell = () => tellAuthor(message, faultWords, brake);
    handle(() => hearMessage(message, context), message.id, tell);
  });
  client.on(Events.GuildCreate, (guild) => {
    if (isStopping()) return;
    greet(guild, context).catch((error: unknown) => {
      log.warn({ error: withoutRequest(error), guild: guild.id }, 'a server could not be greeted');
    });
  });
  client.on(Events.MessageUpdate, (_, message) => {
    // Discord also tells of previews that it has added.
    if (message.partial || message.editedTimestamp === null) return;
    handle(
      () => hearEditedMessage(message, context),
      message.id,
      async () => undefined,
    );
  });
  hearRemovals(client, context);
  reportMemberships(client, context);
}

/** Tells the person behind an interaction that nothing comes of it. Throws what Discord throws. */
async function tellBehind(interaction: Interaction): Promise<void> {
  if (!interaction.isRepliable() || interaction.replied) return;
  const told = { content: faultWords, flags: MessageFlags.Ephemeral } as const;
  // Takes the place of an answer that was promised. What was to be changed instead stays as it is.
  if (interaction.deferred) await interaction.followUp(told);
  else {
    const { status } = await answerOnce(() => interaction.reply(told));
    // The answer that promised one is there after all; only Discord's word on it was lost.
    if (status !== 'given') {
      await interaction.webhook.editMessage('@original', { content: faultWords });
    }
  }
}

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

type Take = (told: unknown) => Promise<void> | undefined;

/**
 * Hears an event as the gateway tells it: of what is deleted the library tells only what it has in its cache,
 * and out of its cache it takes no guild.
 */
function hearRaw(
  client: Client,
  event: GatewayDispatchEvents,
  context: Pick<IngressContext, 'log' | 'isStopping'>,
  take: Take,
): void {
  client.ws.on(event, (told: unknown) => {
    const id = namedSchema.safeParse(told).data?.id ?? event;
    handleRemoval(async () => take(told), id, context);
  });
}

function handleRemoval(
  work: () => Promise<void>,
  eventId: string,
  { log, isStopping }: Pick<IngressContext, 'log' | 'isStopping'>,
): void {
  if (isStopping()) return;
  work().catch((error: unknown) => {
    log.error({ error, eventId }, 'messages deleted in Discord could not be forgotten');
  });
}

function hearRemovals(client: Client, context: IngressContext): void {
  const { ingress } = context;
  const postsDeleted: Take = (told) => {
    const { ids, channel_id: channel, guild_id: guild } = messagesSchema.parse(told);
    const posts = ids.map((id) => ({
      eventId: id,
      threadId: placeOf({ guild, channel, thread: id }).threadId,
      postedAt: SnowflakeUtil.timestampFrom(id),
    }));
    return ingress.deleted({ kind: 'posts', posts });
  };

  hearRaw(client, GatewayDispatchEvents.MessageDelete, context, postsDeleted);
  hearRaw(client, GatewayDispatchEvents.MessageDeleteBulk, context, postsDeleted);
  hearRaw(client, GatewayDispatchEvents.ThreadDelete, context, (told) => {
    const { id: thread, parent_id: channel, guild_id: guild } = threadSchema.parse(told);
    const { threadId } = placeOf({ guild, channel, thread });
    return ingress.deleted({ kind: 'thread', threadId });
  });
  hearRaw(client, GatewayDispatchEvents.ChannelDelete, context, (told) => {
    const { id: channel, guild_id: guild } = channelSchema.parse(told);
    const { threadId } = placeOf({ guild, channel, thread: channel });
    return ingress.deleted({ kind: 'channel', threadId });
  });
  // Not for a guild that is down at Discord's: the library tells of that by another event.
  client.on(Events.GuildDelete, ({ id }) => {
    const left = () => ingress.left({ platform: platformName, workspace: id });
    handleRemoval(left, id, context);
  });
}

/** READY names the guilds of its gateway shard, including any that are down at Discord's. */
function reportMemberships(client: Client, context: IngressContext): void {
  const { ingress } = context;
  const named = new Set<string>();
  let as = '';

  hearRaw(client, GatewayDispatchEvents.Ready, context, (told) => {
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
  hearRaw(client, GatewayDispatchEvents.GuildCreate, context, (told) => {
    const { id } = namedSchema.parse(told);
    if (named.has(id)) return undefined;
    named.add(id);
    const added = { platform: platformName, as, workspaces: [id] };
    return ingress.memberships({ ...added, wouldName: () => false });
  });
  // Also for one that is down: that it comes back is told a second time, and changes nothing.
  hearRaw(client, GatewayDispatchEvents.GuildDelete, context, (told) => {
    named.delete(namedSchema.parse(told).id);
    return undefined;
  });
}

/** A server that the bot has been in for longer is told of again, e.g. after an outage. */
const newForMs = 600_000;

/** Says hello in a server that has just added the bot. Throws what Discord and the store throw. */
async function greet(guild: Guild, { ingress, reply, now }: IngressContext): Promise<void> {
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

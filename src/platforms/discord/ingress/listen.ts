/** Listens to a client's events: interactions, messages, deletions, and servers that the bot joins or leaves. */

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
import { editAsksWithinMs } from '../../chat/asking/said-questions.ts';
import { isRefusal } from '../discord-error.ts';
import { withoutRequest } from '../rest/discord-rest.ts';
import { permissionGaps } from '../rest/identity.ts';
import { directMessages, placeOf, platformName } from '../thread-id.ts';
import { InteractionHandler } from './interactions.ts';
import { handleEditedMessage, handleMessage, notifyAuthor } from './messages.ts';
import { answerMissed } from './missed.ts';
import { replyMessages } from './reply-message.ts';
import type { IngressContext } from './scene.ts';

/** Adds all listeners to a client before it connects. */
export function listen(client: Client, context: IngressContext): void {
  const { log } = context;
  const handler = new InteractionHandler(context);
  client.on(Events.InteractionCreate, (interaction: Interaction) => {
    const report = () => reportFailure(interaction);
    handle(() => handler.handle(interaction), interaction.id, context, report);
  });
  /** By message. Judging one can take a model's time, in which people correct what they wrote. */
  const underway = new Map<string, Promise<void>>();
  const hear = async (message: Message) => {
    const report = () => notifyAuthor(message, faultWords, context);
    const handling = handle(() => handleMessage(message, context), message.id, context, report);
    underway.set(message.id, handling);
    await handling;
    underway.delete(message.id);
  };
  client.on(Events.MessageCreate, hear);
  // Not after a RESUME, which tells of everything since the connection broke.
  client.on(Events.ShardReady, (shard) => {
    void context.catchUp((since) => answerMissed(client, shard, since, { handle: hear, log }));
  });
  client.on(Events.GuildCreate, (guild) => {
    handle(() => greetServer(guild, context), guild.id, context);
  });
  client.on(Events.MessageUpdate, (_, message) => {
    // Discord also reports what is no edit, e.g. link previews and pins, perhaps long after one.
    if (message.partial || message.editedTimestamp === null) return;
    if (context.now() - message.editedTimestamp > editAsksWithinMs) return;
    const edited = async () => {
      await underway.get(message.id);
      await handleEditedMessage(message, context);
    };
    handle(edited, message.id, context);
  });
  listenToDeletions(client, context, handler);
  listenToMemberships(client, context);
}

/** Logs a failure, and answers a person who is waiting. Never throws. */
async function handle(
  work: () => Promise<void>,
  eventId: string,
  { log, isStopping }: Pick<IngressContext, 'log' | 'isStopping'>,
  report?: () => Promise<void>,
): Promise<void> {
  if (isStopping()) return;
  await work().catch(async (error: unknown) => {
    // It was delivered again.
    if (isRefusal(error, 'alreadyAcknowledged')) return;
    const facts = { error: withoutRequest(error), eventId };
    log.error(facts, 'a Discord event could not be handled');
    await report?.().catch((again: unknown) => {
      log.warn({ ...facts, error: withoutRequest(again) }, 'the person could not be told either');
    });
  });
}

/** Tells the person who interacted that it failed. Throws what Discord throws. */
async function reportFailure(interaction: Interaction): Promise<void> {
  if (!interaction.isRepliable()) return;
  const failure = { content: faultWords, flags: MessageFlags.Ephemeral } as const;
  // A follow-up replaces a deferred reply that is empty; a deferred update leaves its message as it is.
  if (interaction.deferred) await interaction.followUp(failure);
  else if (!interaction.replied) {
    await interaction.reply(failure).catch((error: unknown) => {
      if (!isRefusal(error, 'alreadyAcknowledged')) throw error;
      // The deferral arrived after all; only Discord's confirmation was lost.
      return interaction.webhook.editMessage('@original', { content: faultWords });
    });
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
  /** The shard's number, and the number of shards. */
  shard: z.tuple([z.number(), z.number()]).default([0, 1]),
});

type HandleData = (data: unknown) => Promise<void> | undefined;

/**
 * Handles an event as the gateway sends it, because the library reports only deletions of cached objects,
 * and keeps guilds that READY no longer lists.
 */
function onRaw(
  client: Client,
  event: GatewayDispatchEvents,
  context: Pick<IngressContext, 'log' | 'isStopping'>,
  handleData: HandleData,
): void {
  client.ws.on(event, (data: unknown) => {
    const id = namedSchema.safeParse(data).data?.id ?? event;
    handle(async () => handleData(data), id, context);
  });
}

function listenToDeletions(
  client: Client,
  context: IngressContext,
  interactions: InteractionHandler,
): void {
  const { ingress, offered } = context;
  const postsDeleted: HandleData = (data) => {
    const { ids, channel_id: channel, guild_id: guild } = messagesSchema.parse(data);
    interactions.messagesDeleted(ids);
    // Used, or taken away by a moderator: a later edit is offered anew.
    for (const [edited, offer] of offered.entries())
      if (ids.includes(offer)) offered.delete(edited);
    const posts = ids.map((id) => ({
      eventId: id,
      threadId: placeOf({ guild, channel, thread: id }).threadId,
      postedAt: SnowflakeUtil.timestampFrom(id),
    }));
    return ingress.deleted({ kind: 'posts', posts });
  };

  onRaw(client, GatewayDispatchEvents.MessageDelete, context, postsDeleted);
  onRaw(client, GatewayDispatchEvents.MessageDeleteBulk, context, postsDeleted);
  onRaw(client, GatewayDispatchEvents.ThreadDelete, context, (data) => {
    const { id: thread, parent_id: channel, guild_id: guild } = threadSchema.parse(data);
    const { threadId } = placeOf({ guild, channel, thread });
    return ingress.deleted({ kind: 'thread', threadId });
  });
  onRaw(client, GatewayDispatchEvents.ChannelDelete, context, (data) => {
    const { id: channel, guild_id: guild } = channelSchema.parse(data);
    const { threadId } = placeOf({ guild, channel, thread: channel });
    return ingress.deleted({ kind: 'channel', threadId });
  });
  // Not for an unavailable guild, which the library reports as another event.
  client.on(Events.GuildDelete, ({ id }) => {
    const left = () => ingress.left({ platform: platformName, workspace: id });
    handle(left, id, context);
  });
}

/** READY lists the guilds of its gateway shard, including those that are unavailable. */
function listenToMemberships(client: Client, context: IngressContext): void {
  const { ingress } = context;
  const named = new Set<string>();
  let as = '';

  onRaw(client, GatewayDispatchEvents.Ready, context, (data) => {
    const { application, guilds, shard } = readySchema.parse(data);
    const [number, count] = shard;
    const wouldName = (guild: string) => ShardClientUtil.shardIdForGuildId(guild, count) === number;
    const workspaces = guilds.map(({ id }) => id);
    as = application.id;
    for (const id of named) if (wouldName(id)) named.delete(id);
    for (const id of workspaces) named.add(id);
    return ingress.memberships({ platform: platformName, as, workspaces, wouldName });
  });
  // Comes after READY for each listed guild, and later for guilds that add the bot.
  onRaw(client, GatewayDispatchEvents.GuildCreate, context, (data) => {
    const { id } = namedSchema.parse(data);
    if (named.has(id)) return undefined;
    named.add(id);
    const added = { platform: platformName, as, workspaces: [id] };
    return ingress.memberships({ ...added, wouldName: () => false });
  });
  // Also comes for a guild that becomes unavailable. Its later GUILD_CREATE is reported again, which changes
  // nothing.
  onRaw(client, GatewayDispatchEvents.GuildDelete, context, (data) => {
    named.delete(namedSchema.parse(data).id);
    return undefined;
  });
}

/** Older memberships are announced again, e.g. after an outage. */
const newForMs = 600_000;

/** Greets a server that has just added the bot. Throws what Discord and the store throw. */
async function greetServer(guild: Guild, context: IngressContext): Promise<void> {
  const { ingress, post, now, log } = context;
  if (!guild.available || now() - guild.joinedTimestamp > newForMs) return;
  log.info({ guildId: guild.id, guild: guild.name }, 'was added to a server');
  permissionGaps([guild], log);
  const channel = channelForGreeting(guild);
  if (!channel) return;
  if (!(await ingress.mayGreet({ platform: platformName, workspace: guild.id }))) return;
  for (const { components } of await replyMessages(hello('server'))) {
    await post(channel.id, { components });
  }
}

/** The server's system channel, or the first channel that the bot may write in. */
function channelForGreeting(guild: Guild): TextChannel | undefined {
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

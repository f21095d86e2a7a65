/** Where something is asked and by whom, how follow-ups are asked there, and the context of all event handlers. */

import {
  type BaseInteraction,
  ChannelType,
  type ChatInputCommandInteraction,
  type Message,
  PermissionFlagsBits,
  type PermissionsBitField,
} from 'discord.js';
import type { LRUCache } from 'lru-cache';
import type { Person, Place } from '../../../../commands/command.ts';
import type { Log } from '../../../domain/log.ts';
import type { FollowUpMode } from '../../../settings/file-table.ts';
import type { RefusalBrake } from '../../chat/asking/said-questions.ts';
import type { KnownCommand } from '../../chat/text/command-line.ts';
import type { Ingress } from '../../platform.ts';
import type { OpeningCards } from '../presenter/opening-cards.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import type { MessageBody } from '../rest/messages.ts';
import { isPublic } from '../surroundings/said-message.ts';
import { type DiscordPlace, directMessages, placeOf, readThreadId } from '../thread-id.ts';

/** The context of all event handlers. */
export interface IngressContext {
  readonly ingress: Ingress;
  readonly commands: readonly KnownCommand[];
  readonly cards: OpeningCards;
  readonly brake: RefusalBrake;
  /** Offers to ask edited messages anew, as they are when it is pressed: from the message's id to the offer's. */
  readonly offered: LRUCache<string, string>;
  readonly log: Log;
  /** Retries requests as long as a person waits, unlike the gateway's client. */
  readonly rest: DiscordRest;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Whether Discord sends the text of messages that don't mention the bot. */
  readonly readsContent: () => boolean;
  /** Posts a message once, with retries. Returns its id. `replyTo`: see {@link postMessage}. Throws as that does. */
  readonly post: (
    channelId: string,
    message: MessageBody & { readonly replyTo?: string },
  ) => Promise<string>;
  /** Answers what was said since events last arrived. Never throws. */
  readonly catchUp: (answer: (since: number) => Promise<void>) => Promise<void>;
  /** True once no more events are accepted. */
  readonly isStopping: () => boolean;
}

/** The facts about a channel that matter for asking. */
export interface Scene extends Omit<DiscordPlace, 'thread'> {
  /** The current thread; the channel itself if it can't have threads; absent if a thread has to be opened. */
  readonly thread: string | undefined;
  /** A sentence for people on why the bot can't post here; absent if it can. */
  readonly obstacle?: string | undefined;
}

const neededForThreads = [
  'CreatePublicThreads',
  'SendMessagesInThreads',
  'ReadMessageHistory',
] as const;

type Channel = BaseInteraction['channel'];

/** @param permissions - The bot's permissions here; `null` in direct messages. */
export function sceneOf(
  at: {
    readonly guildId: string | null;
    readonly channelId: string | null;
    readonly channel: Channel;
  },
  permissions: Readonly<PermissionsBitField> | null,
): Scene {
  const { channel, guildId } = at;
  const channelId = at.channelId ?? '';
  if (guildId === null) {
    return { guild: directMessages, channel: channelId, thread: channelId, isPrivate: true };
  }
  const guild = guildId;
  const isPrivate = !isPublic(channel);
  const obstacle = obstacleIn(channel, permissions);
  if (channel?.isThread()) {
    const parent = channel.parentId ?? channelId;
    const isPrivateThread = channel.type === ChannelType.PrivateThread;
    return {
      guild,
      channel: parent,
      thread: channelId,
      isPrivate,
      obstacle,
      ...(isPrivateThread && { isPrivateThread }),
      ...(channel.parent?.isThreadOnly() && { isForumPost: true }),
    };
  }
  const hasThreads =
    channel !== null &&
    'threads' in channel &&
    neededForThreads.every((name) => permissions?.has(name) !== false);
  const thread = hasThreads ? undefined : channelId;
  return { guild, channel: channelId, thread, isPrivate, obstacle };
}

function obstacleIn(
  channel: Channel,
  permissions: Readonly<PermissionsBitField> | null,
): string | undefined {
  const toSpeak = channel?.isThread() ? 'SendMessagesInThreads' : 'SendMessages';
  const toJoin = channel?.isVoiceBased() ? (['Connect'] as const) : [];
  const missing = permissions?.missing(['ViewChannel', ...toJoin, toSpeak]) ?? [];
  if (missing.length === 0) return undefined;
  const words = missing.map((name) => name.replace(/\B(?=[A-Z])/g, ' ').replace(' In ', ' in '));
  const names = words.join(' and ');
  return `I can't speak here: I lack the permission ${names}. A manager of this channel can grant it.`;
}

/** The place of a turn, in a thread on this message if one has to be opened. */
export function placeIn({ obstacle: _, ...scene }: Scene, messageId: string): Place {
  return placeOf({ ...scene, thread: scene.thread ?? messageId });
}

/** The place of a command, which opens no thread. */
export function placeOfCommand(interaction: BaseInteraction): Place {
  const scene = sceneOf(interaction, interaction.appPermissions);
  return placeIn(scene, scene.channel);
}

/** The person who interacted, with the permissions that Discord vouches for. */
export function personIn(interaction: BaseInteraction): Person {
  const { user, member, memberPermissions, guildId } = interaction;
  const name = member && 'displayName' in member ? member.displayName : user.displayName;
  return personWith({ id: user.id, name }, guildId, memberPermissions);
}

const toAsk = 'here can ask the council';
/** The commands that cost something or post for everyone, and who may give them. */
const writers: ReadonlyMap<string, string> = new Map([
  ['ask', toAsk],
  ['again', toAsk],
  ['deeper', toAsk],
  ['next', toAsk],
  ['minutes', 'here can have minutes posted'],
  ['summon', 'here can summon a sage'],
  ['post', 'in the channel can post a verdict there'],
]);

const lockedWords =
  'This thread is locked, so I can’t write here. A moderator can unlock it, or ask in another place.';

/** Why a person may not give a command: Discord offers commands and buttons to people who may only read, too. */
export function whyNotGive(command: string, interaction: BaseInteraction): string | undefined {
  const who = writers.get(command);
  if (who === undefined) return undefined;
  const { channel, memberPermissions, appPermissions } = interaction;
  const isToChannel = command === 'post' || channel?.isThread() !== true;
  const toWrite = isToChannel ? 'SendMessages' : 'SendMessagesInThreads';
  if (memberPermissions?.has(toWrite) === false) return `Only people who may write ${who}.`;
  if (command === 'post') return undefined;
  const isLocked = channel?.isThread() && channel.locked && !appPermissions.has('ManageThreads');
  return isLocked ? lockedWords : sceneOf(interaction, appPermissions).obstacle;
}

/** The author of a message, with their permissions in its channel. */
export async function authorOf(message: Message): Promise<Person> {
  const { author, channelId, guild, guildId } = message;
  // Only messages that come as events carry their author's membership. It is absent for those who have left.
  const member = message.member ?? (await guild?.members.fetch(author).catch(() => null));
  const name = member?.displayName ?? author.displayName;
  return personWith({ id: author.id, name }, guildId, member?.permissionsIn(channelId));
}

function personWith(
  who: Pick<Person, 'id' | 'name'>,
  guildId: string | null,
  permissions: Readonly<PermissionsBitField> | null | undefined,
): Person {
  return {
    ...who,
    // People manage their own direct messages.
    isManager: guildId === null || permissions?.has(PermissionFlagsBits.ManageChannels) === true,
    isServerManager: permissions?.has(PermissionFlagsBits.ManageGuild) === true,
  };
}

/** The options of a subcommand, by name. */
export function optionsOf({
  options,
}: ChatInputCommandInteraction): Readonly<Record<string, unknown>> {
  const given = options.data.flatMap((subcommand) => subcommand.options ?? []);
  return Object.fromEntries(given.map(({ name, value }) => [name, value]));
}

/**
 * For the help: how to ask here without commands.
 *
 * @param readsContent - Whether Discord sends the text of messages that don't mention the bot.
 */
export function waysToAsk(threadId: string, mode: FollowUpMode, readsContent: boolean): string {
  if (readThreadId(threadId).guild === directMessages) {
    return 'Here you can also simply write to me. Reply to a sage’s message to ask that sage alone.';
  }
  const next =
    mode !== 'mention' && readsContent
      ? `In a thread that I have opened ${mode === 'asked' ? 'I answer messages that read as a question or task for me' : 'every message is the next question'}`
      : 'In a thread, mention me again for the next question';
  // Without the content of messages, a reply that doesn't mention the bot is empty.
  const alone = readsContent ? 'reply' : 'mention me in a reply';
  return `You can also mention me with a question, write to me directly, or choose **Apps → Ask the council** in the menu of a message. ${next}; ${alone} to a sage’s message to ask that sage alone.`;
}

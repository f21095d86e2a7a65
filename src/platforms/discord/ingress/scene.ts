/** Where a question is taken up, how a follow-up is asked there, and what every handler of an event needs. */

import {
  type BaseInteraction,
  ChannelType,
  type ChatInputCommandInteraction,
  type Message,
  PermissionFlagsBits,
  type PermissionsBitField,
} from 'discord.js';
import type { Person, Place, Reply } from '../../../../commands/command.ts';
import type { Log } from '../../../domain/log.ts';
import type { FollowUpMode } from '../../../settings/file-table.ts';
import { followUpNote } from '../../chat/asking/asking-words.ts';
import type { RefusalBrake } from '../../chat/asking/said-questions.ts';
import type { KnownCommand } from '../../chat/text/command-line.ts';
import type { Ingress } from '../../platform.ts';
import type { OpeningCards } from '../presenter/opening-cards.ts';
import { type DiscordPlace, directMessages, readThreadId } from '../thread-id.ts';

/** What every handler of an event needs. */
export interface IngressContext {
  readonly ingress: Ingress;
  readonly commands: readonly KnownCommand[];
  readonly cards: OpeningCards;
  readonly followUps: FollowUps;
  readonly brake: RefusalBrake;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Messages come with their text, also where the bot is not mentioned. */
  readonly readsContent: () => boolean;
  /** What to tell a manager of this channel in private, once; absent: nothing. */
  readonly noticeFor: (channelId: string) => string | undefined;
  /** Posts a reply in a place. Throws what Discord throws. */
  readonly reply: (place: Place, reply: Reply) => Promise<void>;
  /** True once no more events are accepted. */
  readonly isStopping: () => boolean;
}

/** A channel as far as it matters where something is asked. */
export interface Scene {
  readonly guild: string;
  readonly channel: string;
  /** The thread that one is in already; the channel itself where there are no threads. */
  readonly thread: string | undefined;
  /** Whether not everybody of the guild can read it. */
  readonly isPrivate: boolean;
  /** Fewer can read the thread than its channel. Absent: as many. */
  readonly isPrivateThread?: true;
  /** What keeps the bot from speaking here, for people; absent: nothing. */
  readonly obstacle?: string;
}

const neededForThreads = [
  'CreatePublicThreads',
  'SendMessagesInThreads',
  'ReadMessageHistory',
] as const;

type Channel = BaseInteraction['channel'];

/**
 * @param permissions - What the bot may do here; absent in direct messages.
 */
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
  const isPrivate = isHidden(channel);
  const obstacle = obstacleIn(channel?.isThread() === true, permissions);
  if (channel?.isThread()) {
    const parent = channel.parentId ?? channelId;
    const isPrivateThread = channel.type === ChannelType.PrivateThread;
    return {
      ...{ guild, channel: parent, thread: channelId, isPrivate },
      ...(isPrivateThread && { isPrivateThread }),
      ...obstacle,
    };
  }
  const hasThreads =
    channel !== null &&
    'threads' in channel &&
    neededForThreads.every((name) => permissions?.has(name) !== false);
  const thread = hasThreads ? undefined : channelId;
  return { guild, channel: channelId, thread, isPrivate, ...obstacle };
}

/** Whether some of the guild can't read a channel; where that can't be told, it counts as if. */
function isHidden(channel: Channel): boolean {
  if (channel === null || channel.type === ChannelType.PrivateThread) return true;
  if (!('permissionsFor' in channel)) return true;
  const ofEverybody = channel.permissionsFor(channel.guild.roles.everyone);
  return ofEverybody?.has(PermissionFlagsBits.ViewChannel) !== true;
}

function obstacleIn(
  isThread: boolean,
  permissions: Readonly<PermissionsBitField> | null,
): { readonly obstacle?: string } {
  const needed = [
    { flag: PermissionFlagsBits.ViewChannel, name: 'View Channel' },
    isThread
      ? { flag: PermissionFlagsBits.SendMessagesInThreads, name: 'Send Messages in Threads' }
      : { flag: PermissionFlagsBits.SendMessages, name: 'Send Messages' },
  ];
  const missing = needed.filter(({ flag }) => permissions !== null && !permissions.has(flag));
  if (missing.length === 0) return {};
  const names = missing.map(({ name }) => name).join(' and ');
  return {
    obstacle: `I can't speak here: I lack the permission ${names}. A manager of this channel can grant it.`,
  };
}

/** The place in which a turn is held, given the message that a thread would open on. */
export function placeOn({ obstacle: _, ...scene }: Scene, messageId: string): DiscordPlace {
  return { ...scene, thread: scene.thread ?? messageId };
}

/** The place of a command that opens no thread. */
export function placeIn(scene: Scene): DiscordPlace {
  return placeOn(scene, scene.channel);
}

/** Who gave a command, by what Discord vouches for with it. */
export function personBehind(interaction: BaseInteraction): Person {
  const { user, member, memberPermissions, guildId } = interaction;
  const name = member && 'displayName' in member ? member.displayName : user.displayName;
  return personWith({ id: user.id, name }, guildId, memberPermissions);
}

/** Who wrote a message, by what is known of its author where it was written. */
export function personWho({ author, member, channelId, guildId }: Message): Person {
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
    // A direct message belongs to the person who writes it.
    isManager: guildId === null || permissions?.has(PermissionFlagsBits.ManageChannels) === true,
    isServerManager: permissions?.has(PermissionFlagsBits.ManageGuild) === true,
  };
}

/** What a subcommand was given, by the names of its options. */
export function optionsOf({
  options,
}: ChatInputCommandInteraction): Readonly<Record<string, unknown>> {
  const given = options.data.flatMap((subcommand) => subcommand.options ?? []);
  return Object.fromEntries(given.map(({ name, value }) => [name, value]));
}

export interface FollowUpsOptions {
  /** Messages come with their text, also where the bot is not mentioned. */
  readonly readsContent: () => Promise<boolean>;
  /** The council has opened this thread, or is about to. */
  readonly isOwnThread: (thread: string) => Promise<boolean>;
}

export class FollowUps {
  readonly #options: FollowUpsOptions;

  constructor(options: FollowUpsOptions) {
    this.#options = options;
  }

  /** For a card: which of the two ways to ask a follow-up holds where it stands. */
  async noteFor(threadId: string, mode: FollowUpMode): Promise<string> {
    const place = readThreadId(threadId);
    const isDirect = place.guild === directMessages;
    const isHeard = !isDirect && (await this.#isFree(mode)) && (await this.#isOwnThread(place));
    const where = isDirect ? 'direct message' : isHeard ? 'thread' : 'elsewhere';
    return followUpNote({ where, mode, canReply: true });
  }

  /** For the help: all the ways to ask here beside commands. */
  async waysIn(threadId: string, mode: FollowUpMode): Promise<string> {
    const place = readThreadId(threadId);
    if (place.guild === directMessages) {
      return 'Here you can also simply write to me. Reply to what a sage has said to hear it alone.';
    }
    const next = (await this.#isFree(mode))
      ? `In a thread that I have opened ${mode === 'asked' ? 'I answer what ends as a question' : 'every message is the next question'}`
      : 'In a thread, mention me again for the next question';
    return `You can also mention me with a question, write to me directly, or choose **Apps → Ask the council** in the menu of a message. ${next}; reply to what a sage has said to hear it alone.`;
  }

  async #isFree(mode: FollowUpMode): Promise<boolean> {
    return mode !== 'mention' && (await this.#options.readsContent());
  }

  async #isOwnThread({ channel, thread }: DiscordPlace): Promise<boolean> {
    return thread !== channel && (await this.#options.isOwnThread(thread));
  }
}

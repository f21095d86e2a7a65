import {
  type APIEmbed,
  type APIMessageTopLevelComponent,
  type APIPoll,
  type APIUser,
  MessageFlags,
  MessageType,
} from 'discord-api-types/v10';
import type { UploadedFile } from '../messages/message-body.ts';
import { messageParts } from '../messages/message-parts.ts';
import { pingsOf } from '../messages/pings.ts';
import { editMessage, mentionedUsers, postMessage } from '../messages/post-message.ts';
import { demandUnlocked } from '../messages/speaking.ts';
import { threadPayload } from '../payloads/channels.ts';
import { noFlags } from '../payloads/no-flags.ts';
import { demand, isForum, parentOf, speakingPermission } from '../world/permissions.ts';
import type { Channel, GuildChannel, Pings, StoredMessage, Thread } from '../world/records.ts';
import { messagesOf } from '../world/state.ts';
import { createThread, joinThread } from '../world/threads.ts';
import { timestamp, type World } from '../world/world.ts';

const systemTypes: ReadonlySet<MessageType> = new Set([
  MessageType.ThreadCreated,
  MessageType.ThreadStarterMessage,
]);

/** As a client uploads them: by their names. */
function uploaded(
  files: readonly { readonly name: string; readonly bytes: Uint8Array }[] = [],
): readonly UploadedFile[] {
  return files.map((file, key) => {
    return { ...file, key: `${key}`, contentType: 'application/octet-stream' };
  });
}

/** What people say, and what can be read afterwards. */
export function talking(world: World) {
  return {
    /**
     * Someone writes a message, if that person may.
     *
     * @throws DiscordError as Discord would refuse it.
     */
    userSays(
      channel: Channel,
      user: APIUser,
      text: string,
      how: {
        readonly mentionsBot?: boolean;
        readonly repliesTo?: StoredMessage;
        readonly forwards?: StoredMessage;
        /** Previews of what the text links to. */
        readonly embeds?: readonly APIEmbed[];
        readonly poll?: APIPoll;
        /** What another app's message consists of, instead of text. */
        readonly components?: APIMessageTopLevelComponent[];
        /** What is attached, served at addresses of the world's own. */
        readonly files?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
        /** It is spoken, and the only file is the recording. */
        readonly isVoice?: boolean;
      } = {},
    ): StoredMessage {
      demand(world.state, channel, user.id, speakingPermission(channel));
      demandUnlocked(channel);
      if (channel.kind === 'thread') joinThread(world, channel, user.id);
      const content = how.mentionsBot === true ? `<@${world.bot.id}> ${text}` : text;
      const { components = [] } = how;
      const pings = pingsOf(world.state, {
        text: content,
        channelId: channel.id,
        authorId: user.id,
        repliesTo: how.repliesTo?.wire.author.id,
        allowed: undefined,
      });
      if (channel.kind === 'thread') for (const id of pings.users) joinThread(world, channel, id);
      return postMessage(world, {
        channel,
        author: user,
        parts: {
          ...messageParts(world, channel.id, { content, components }, uploaded(how.files)),
          embeds: [...(how.embeds ?? [])],
          ...(how.poll && { poll: how.poll }),
        },
        flags:
          (components.length === 0 ? noFlags : MessageFlags.IsComponentsV2) |
          (how.isVoice === true ? MessageFlags.IsVoiceMessage : noFlags),
        pings,
        ...(how.forwards === undefined ? {} : { forwards: how.forwards }),
        ...(how.repliesTo === undefined ? {} : { answers: how.repliesTo, type: MessageType.Reply }),
      });
    },

    /** Someone changes what they have said. */
    userEdits(message: StoredMessage, content: string): StoredMessage {
      const { channel_id: channelId, author } = message.wire;
      const mentioned = pingsOf(world.state, {
        text: content,
        channelId,
        authorId: author.id,
        repliesTo: undefined,
        allowed: undefined,
      });
      const mentions = mentionedUsers(world.state, mentioned);
      return editMessage(world, message, { content, mentions, edited_timestamp: timestamp(world) });
    },

    /** Discord changes a message by itself, e.g. to show a link preview; that is no edit. */
    showPreview: (message: StoredMessage): StoredMessage => editMessage(world, message, {}),

    /** Someone opens a thread, perhaps on a message; in a forum with its first message. */
    userOpensThread(
      channel: GuildChannel,
      user: APIUser,
      name: string,
      how: {
        readonly text?: string;
        readonly isPrivate?: boolean;
        readonly on?: StoredMessage;
      } = {},
    ): Thread {
      const { text, isPrivate = false, on } = how;
      const needed = isPrivate ? 'CreatePrivateThreads' : 'CreatePublicThreads';
      demand(world.state, channel, user.id, needed);
      const parent = parentOf(world.state, channel);
      const opened = { parent, name, ownerId: user.id, isPrivate };
      const thread = createThread(world, on ? { ...opened, id: on.wire.id } : opened);
      if (on) {
        const flags = (on.wire.flags ?? noFlags) | MessageFlags.HasThread;
        editMessage(world, on, { flags, thread: threadPayload(world.state, thread) });
        postMessage(world, {
          channel: thread,
          author: user,
          type: MessageType.ThreadStarterMessage,
          parts: messageParts(world, thread.id, {}, []),
          answers: on,
        });
      }
      if (text !== undefined) {
        postMessage(world, {
          channel: thread,
          author: user,
          parts: messageParts(world, thread.id, { content: text }, []),
          pings: pingsOf(world.state, {
            text,
            channelId: thread.id,
            authorId: user.id,
            repliesTo: undefined,
            allowed: undefined,
          }),
          ...(isForum(channel) ? { id: thread.id } : {}),
        });
      }
      return thread;
    },

    /** What was said in a channel or thread, oldest first; ephemeral answers too, the notes of the system not. */
    messages: (channelId: string): StoredMessage[] =>
      messagesOf(world.state, channelId).filter(({ wire }) => !systemTypes.has(wire.type)),

    /** Whom the messages of the bot and its webhooks notified, those that notified no one left out. */
    pings: (): Pings[] =>
      [...world.state.messages.values()]
        .flatMap((messages) => [...messages.values()])
        .filter(({ wire }) => wire.author.bot === true)
        .map(({ pings }) => pings)
        .filter(({ everyone, users, roles }) => everyone || users.length + roles.length > 0),

    /** The threads that hang on a channel, oldest first. */
    threads: (channelId: string): Thread[] =>
      [...world.state.channels.values()]
        .filter((channel) => channel.kind === 'thread')
        .filter(({ parentId }) => parentId === channelId),
  };
}

import { streamingState } from '../world/message-wire.ts';
import type { Channel, Json, Message } from '../world/records.ts';
import { known, messagesOf } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { renderedText } from './rendered-text.ts';

/** A message as members see it. */
export interface SeenMessage {
  readonly channel: Channel;
  readonly ts: string;
  readonly threadTs: string | undefined;
  readonly author: string;
  /** The picture beside it, where the app set one: a url, or an emoji's name in colons. */
  readonly icon: string | undefined;
  /** Whether the app wrote it. */
  readonly isApp: boolean;
  readonly text: string;
  readonly blocks: readonly Json[];
  readonly metadata: Message['metadata'];
  /** The one person who sees it. */
  readonly ephemeralFor: string | undefined;
  readonly streaming: Message['streaming'];
  readonly isEdited: boolean;
  readonly files: readonly Json[];
}

/** What can be read afterwards. */
export function reading(world: World) {
  const seen = (message: Message) => seenMessage(world, message);
  return {
    /** A thread, oldest first: the message that it hangs on, and its answers, ephemeral ones among them. */
    thread: (channel: Channel, ts: string): SeenMessage[] =>
      messagesOf(world.state, channel.id)
        .filter((message) => message.ts === ts || message.threadTs === ts)
        .map(seen),

    /** Everything in a conversation, oldest first, whether in a thread or not. */
    messages: (channel: Channel): SeenMessage[] => messagesOf(world.state, channel.id).map(seen),

    /** What the app wrote anywhere, oldest first. */
    appMessages: (): SeenMessage[] =>
      [...world.state.messages.values()]
        .flatMap((messages) => [...messages.values()])
        .filter(({ author }) => author.kind === 'app')
        .toSorted((one, other) => Number(one.ts) - Number(other.ts))
        .map(seen),
  };
}

export function seenMessage(world: World, message: Message): SeenMessage {
  const { state, app } = world;
  const { author, ts, threadTs, blocks, metadata, ephemeralFor, files } = message;
  const look = author.kind === 'app' ? author.look : {};
  return {
    channel: known(state.channels, message.channel),
    ts,
    threadTs,
    author:
      author.kind === 'member'
        ? known(state.users, author.userId).realName
        : (look.username ?? app.name),
    icon: look.iconEmoji ?? look.iconUrl,
    isApp: author.kind === 'app',
    text: renderedText(message),
    blocks,
    metadata,
    ephemeralFor,
    streaming: streamingState(world, message),
    isEdited: message.editedTs !== undefined,
    files,
  };
}

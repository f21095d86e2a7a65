import { takeStatusAway } from './assistant.ts';
import { withIds } from './block-ids.ts';
import { eventTs, tellOfChange, tellOfDeletion, tellOfMessage } from './message-events.ts';
import type {
  Author,
  Channel,
  Installation,
  Json,
  Look,
  Message,
  MessageAttachment,
  MessageMetadata,
} from './records.ts';
import { keepMessage, messagesOf } from './state.ts';
import type { World } from './world.ts';

/** What the app writes. */
export interface Draft {
  readonly installation: Installation;
  readonly channel: Channel;
  readonly threadTs: string | undefined;
  readonly text: string;
  readonly blocks: readonly Json[];
  readonly look: Look;
  readonly metadata?: MessageMetadata | undefined;
  /** Whom alone it is shown to. */
  readonly ephemeralFor?: string;
  readonly streaming?: 'in_progress';
  readonly files?: readonly Json[];
  readonly attachments?: readonly MessageAttachment[];
}

/** The app writes a message; it is told of it like everybody else, unless only one person sees it. */
export async function writeAsApp(world: World, draft: Draft): Promise<Message> {
  const { installation, channel, threadTs, text, look, ephemeralFor } = draft;
  const blocks = withIds(draft.blocks);
  const author: Author = { kind: 'app', installation, look };
  const message = newMessage(channel, world.nextTs(), threadTs, author, text);
  const complete = {
    ...message,
    blocks,
    metadata: draft.metadata,
    ephemeralFor,
    streaming: draft.streaming,
    files: draft.files ?? [],
    attachments: draft.attachments ?? [],
  };
  keepMessage(world.state, complete);
  if (ephemeralFor === undefined) {
    const atMs = world.clock.now();
    if (threadTs !== undefined) {
      takeStatusAway(world.assistant, { channel: channel.id, thread: threadTs, atMs });
    }
    void tellOfMessage(world, complete);
  }
  return complete;
}

/** Someone writes a message. Anyone who calls tells the app of it. */
export async function writeAsMember(
  world: World,
  draft: {
    channel: Channel;
    userId: string;
    threadTs: string | undefined;
    text: string;
    attachments: readonly MessageAttachment[];
    files: readonly Json[];
  },
): Promise<Message> {
  const { channel, userId, threadTs, text, attachments, files } = draft;
  const author: Author = { kind: 'member', userId };
  const bare = newMessage(channel, world.nextTs(), threadTs, author, text);
  const message = { ...bare, attachments, files };
  keepMessage(world.state, message);
  return message;
}

interface ChangeOptions {
  /** Whether people see that it was edited. */
  readonly isEdit: boolean;
  readonly isTold: boolean;
}

/** Puts something else in the place of a message's parts, and tells the app unless it is not to be told. */
export async function change(
  world: World,
  message: Message,
  parts: Partial<Pick<Message, 'text' | 'blocks' | 'metadata' | 'streaming'>>,
  { isEdit, isTold }: ChangeOptions = { isEdit: true, isTold: true },
) {
  const blocks = withIds(parts.blocks ?? message.blocks);
  const changed = {
    ...message,
    ...parts,
    blocks,
    editedTs: isEdit ? eventTs(world) : message.editedTs,
  };
  keepMessage(world.state, changed);
  return { changed, told: isTold ? tellOfChange(world, changed, message) : undefined };
}

/** Takes a message away. One that a thread hangs on leaves a tombstone, and that is no deletion to the app. */
export async function remove(world: World, message: Message) {
  const hasReplies = messagesOf(world.state, message.channel).some(
    ({ threadTs }) => threadTs === message.ts,
  );
  if (hasReplies) {
    const text = 'This message was deleted.';
    const tombstone = { ...message, text, blocks: [], metadata: undefined, isTombstone: true };
    keepMessage(world.state, tombstone);
    return tellOfChange(world, tombstone, message);
  }
  world.state.messages.get(message.channel)?.delete(message.ts);
  return tellOfDeletion(world, message);
}

function newMessage(
  channel: Channel,
  ts: string,
  threadTs: string | undefined,
  author: Author,
  text: string,
): Message {
  return {
    teamId: channel.teamId,
    channel: channel.id,
    ts,
    threadTs: threadTs === ts ? undefined : threadTs,
    author,
    text,
    blocks: [],
    metadata: undefined,
    ephemeralFor: undefined,
    streaming: undefined,
    isTombstone: false,
    editedTs: undefined,
    files: [],
    attachments: [],
  };
}

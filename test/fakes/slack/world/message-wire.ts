import type { Author, Channel, Json, Message } from './records.ts';
import type { World } from './world.ts';

/** How a message looks on the wire. Its metadata is told only to who asks for it. */
export function messageWire(world: World, message: Message, withMetadata: boolean): Json {
  if (message.isTombstone) return tombstoneWire(message);
  return {
    type: 'message',
    ...authorWire(world, message.author),
    ...sharedWire(world, message),
    text: message.text,
    ts: message.ts,
    team: message.teamId,
    ...(message.blocks.length > 0 && { blocks: message.blocks }),
    ...(message.threadTs !== undefined && {
      thread_ts: message.threadTs,
      parent_user_id: parentUserId(world, message),
    }),
    ...(message.editedTs !== undefined && {
      edited: { user: authorId(message.author), ts: message.editedTs },
    }),
    ...(message.files.length > 0 && { files: filesWire(world, message), subtype: 'file_share' }),
    ...(message.attachments.length > 0 && { attachments: message.attachments }),
    ...(message.streaming !== undefined && { streaming_state: streamingState(world, message) }),
    ...(withMetadata && message.metadata !== undefined && { metadata: message.metadata }),
  };
}

/** In a channel that is shared with another organisation: whose workspace the author is of. */
function sharedWire({ state }: World, { channel, author }: Message): Json {
  if (!state.channels.get(channel)?.isShared || author.kind !== 'member') return {};
  const team = state.users.get(author.userId)?.teamId;
  return { user_team: team, source_team: team };
}

/** In such a channel only the ids of files are told, and the rest to who asks `files.info`. */
function filesWire({ state }: World, { channel, files }: Message): readonly Json[] {
  if (!state.channels.get(channel)?.isShared) return files;
  return files.map(({ id }) => ({ id, mode: 'file_access', file_access: 'check_file_info' }));
}

function tombstoneWire({ text, ts, threadTs }: Message): Json {
  return {
    type: 'message',
    subtype: 'tombstone',
    user: 'USLACKBOT',
    hidden: true,
    text,
    ts,
    thread_ts: threadTs ?? ts,
  };
}

/** Of a stream, whether it goes on; one that Slack closed is `errored`. */
export function streamingState({ streams }: World, message: Message): Message['streaming'] {
  const isOpen = message.streaming === 'in_progress';
  return isOpen && streams.find(message) === undefined ? 'errored' : message.streaming;
}

/** Under another name the app is a `bot_message` with a `bot_id` and no user. */
function authorWire({ app }: World, author: Author): Json {
  if (author.kind === 'member') return { user: author.userId };
  const { installation, look } = author;
  const wire = { bot_id: installation.botId, app_id: app.id };
  const { username, iconUrl, iconEmoji } = look;
  if ([username, iconUrl, iconEmoji].every((part) => part === undefined)) {
    return {
      ...wire,
      user: installation.botUserId,
      bot_profile: { id: installation.botId, app_id: app.id, name: app.name, deleted: false },
    };
  }
  return {
    ...wire,
    subtype: 'bot_message',
    username: username ?? app.name,
    ...(iconEmoji !== undefined && { icons: { emoji: iconEmoji } }),
    ...(iconEmoji === undefined && iconUrl !== undefined && { icons: { image_48: iconUrl } }),
  };
}

export function authorId(author: Author): string {
  return author.kind === 'member' ? author.userId : author.installation.botUserId;
}

function parentUserId({ state }: World, { channel, threadTs }: Message): string | undefined {
  const parent = state.messages.get(channel)?.get(threadTs ?? '');
  return parent && authorId(parent.author);
}

/** What events call the kind of a conversation. */
export function channelType({ kind }: Channel): 'channel' | 'group' | 'im' | 'mpim' {
  const types = {
    public: 'channel',
    private: 'group',
    direct: 'im',
    'group direct': 'mpim',
  } as const;
  return types[kind];
}

import type { Delivery } from '../delivery/events.ts';
import { fileWire } from '../methods/files.ts';
import { openDirect } from '../world/directs.ts';
import { eventTs, tellOfMention, tellOfMessage } from '../world/message-events.ts';
import type { Channel, MessageAttachment, User } from '../world/records.ts';
import { findMessage, known, messagesOf } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { change, remove, writeAsMember } from '../world/writing.ts';
import { type Commanding, commanding } from './commanding.ts';
import { createForms } from './forms.ts';
import { type Installing, installing } from './installing.ts';
import { type Pressing, pressing } from './pressing.ts';
import { type Searching, searching } from './searching.ts';
import { type Submitting, submitting } from './submitting.ts';

/** A message that someone wrote, changed or deleted, and what the app was told of it. */
export interface Said {
  readonly channel: Channel;
  readonly ts: string;
  /** `ts` of the thread that it is in or would begin. */
  readonly thread: string;
  /** The events, each after the app had three seconds to acknowledge it. */
  readonly deliveries: readonly Delivery[];
}

/** A message, wherever it came from. */
export interface MessageRef {
  readonly ts: string;
}

export interface HowSaid {
  readonly thread?: string;
  /** Another's message that is passed on with it. */
  readonly shares?: Pick<Said, 'channel' | 'ts'>;
  /** Previews of what the text links to. */
  readonly previews?: readonly MessageAttachment[];
  /** What is attached; given to those alone who have the token for it. */
  readonly files?: readonly Attached[];
}

export interface Attached {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Where it is said to be; absent: where it is. */
  readonly address?: string;
}

export interface Member extends Commanding, Installing, Pressing, Searching, Submitting {
  readonly user: User;
  /** Writes as in the client; an answer where `thread` names one. */
  says(channel: Channel, text: string, how?: HowSaid): Promise<Said>;
  /** Writes `@Council …`: the app is told twice, of a mention and of a message. */
  mentions(channel: Channel, text: string, how?: HowSaid): Promise<Said>;
  edits(channel: Channel, message: MessageRef, text: string): Promise<Said>;
  deletes(channel: Channel, message: MessageRef): Promise<Said>;
  /** Presses Slack's own Stop below a thread in which the app answers: what streams there ends. */
  stopsSession(channel: Channel, thread: string): Promise<Delivery | undefined>;
  /** The conversation with the app, where direct messages and the agent pane are. */
  direct(): Promise<Channel>;
}

export function memberOf(world: World, user: User): Member {
  const { state } = world;
  const forms = createForms();

  const says: Member['says'] = async (
    channel,
    text,
    { thread, shares, previews = [], files = [] } = {},
  ) => {
    demandMember(world, channel, user);
    const message = await writeAsMember(world, {
      channel,
      userId: user.id,
      threadTs: thread,
      text,
      attachments: [...(shares ? [shared(world, shares)] : []), ...previews],
      files: files.map((file) => uploaded(world, file)),
    });
    const told = await Promise.all([tellOfMention(world, message), tellOfMessage(world, message)]);
    return said(channel, message.ts, thread, told);
  };

  /** One's own; of an admin, anybody's. */
  const deletable = (channel: Channel, ref: MessageRef) => {
    const message = user.isAdmin ? findMessage(state, channel.id, ref.ts) : undefined;
    return message ?? ownMessage(channel, ref);
  };

  const ownMessage = (channel: Channel, { ts }: MessageRef) => {
    const message = findMessage(state, channel.id, ts);
    if (message?.author.kind === 'member' && message.author.userId === user.id) return message;
    throw new Error(`${user.realName} did not write ${ts}.`);
  };

  return {
    user,
    says,

    mentions: (channel, text, how) => {
      const { botUserId } = known(state.installations, user.teamId);
      return says(channel, `<@${botUserId}> ${text}`, how);
    },

    edits: async (channel, { ts }, text) => {
      const message = ownMessage(channel, { ts });
      const { changed, told } = await change(world, message, { text });
      const deliveries = await Promise.all([tellOfMention(world, changed), told]);
      return said(channel, ts, message.threadTs, deliveries);
    },

    deletes: async (channel, { ts }) => {
      const message = deletable(channel, { ts });
      return said(channel, ts, message.threadTs, [await remove(world, message)]);
    },

    stopsSession: (channel, thread) => {
      const inThread = messagesOf(state, channel.id).filter(({ threadTs }) => threadTs === thread);
      const stopped = world.streams.stopByPerson(inThread);
      return world.events.tell({
        teamId: channel.teamId,
        subscription: 'agent_session_stopped',
        channel,
        event: {
          type: 'agent_session_stopped',
          channel: channel.id,
          thread_ts: thread,
          user: user.id,
          event_ts: eventTs(world),
          streaming_message_ts: stopped.map(({ ts }) => ts),
        },
      });
    },

    direct: () => openDirect(world, known(state.installations, user.teamId), user),
    ...commanding(world, user),
    ...installing(world, user),
    ...pressing(world, user, forms),
    ...searching(world, user, forms),
    ...submitting(world, user, forms),
  };
}

/** Keeps a file as if its author had uploaded it. */
function uploaded(world: World, { name, bytes, address }: Attached) {
  const id = world.nextId('F');
  const kept = { id, name, length: bytes.length, bytes: Buffer.from(bytes) };
  world.uploads.set(id, { ...kept, ...(address && { address }) });
  return fileWire(world, id, undefined);
}

/** As Slack attaches a message that someone shares. */
function shared({ state }: World, { channel, ts }: Pick<Said, 'channel' | 'ts'>) {
  const message = findMessage(state, channel.id, ts);
  if (message?.author.kind !== 'member') throw new Error(`Nobody wrote ${ts}.`);
  const { text, blocks, author } = message;
  const { realName } = known(state.users, author.userId);
  const from = `https://agora.slack.example/archives/${channel.id}/p${ts.replace('.', '')}`;
  return {
    ts,
    author_id: author.userId,
    channel_id: channel.id,
    is_msg_unfurl: true,
    is_share: true,
    from_url: from,
    author_name: realName,
    text,
    fallback: text,
    message_blocks: [{ team: channel.teamId, channel: channel.id, ts, message: { blocks } }],
    footer: 'Slack Conversation',
  };
}

function said(
  channel: Channel,
  ts: string,
  thread: string | undefined,
  told: readonly (Delivery | undefined)[],
): Said {
  const deliveries = told.filter((delivery) => delivery !== undefined);
  return { channel, ts, thread: thread ?? ts, deliveries };
}

function demandMember({ state }: World, { id, name }: Channel, user: User): void {
  const channel = known(state.channels, id);
  if (channel.isArchived) throw new Error(`#${name} is archived: nobody can write there.`);
  if (channel.members.has(user.id)) return;
  throw new Error(`${user.realName} is not in #${name} and cannot write there.`);
}

/** What Slack tells of messages, read. */

import { markSchema, withdrawnPart } from '../api/messages.ts';
import { messageEventSchema, type Said } from '../hearing/said-message.ts';
import { postedPart } from '../presenter/turn-poster.ts';

/** A message that a person wrote. */
export interface Post extends Said {
  readonly channel: string;
  readonly user: string;
}

/** What happened to a message. */
export type Heard =
  | { readonly kind: 'posted'; readonly post: Post }
  | { readonly kind: 'edited'; readonly post: Post }
  | {
      readonly kind: 'deleted';
      readonly channel: string;
      readonly ts: string;
      readonly thread: string;
      /** Of what the council has posted, the turn that it is a part of. */
      readonly turnId?: string;
    };

/** Of all that Slack calls a message, what people write. */
const subtypesOfPeople: ReadonlySet<string | undefined> = new Set([
  undefined,
  'file_share',
  'me_message',
  'thread_broadcast',
]);

/** Who the bot is in a workspace; `botId` is what all of its posts carry. */
export interface OwnIds {
  readonly botUserId: string | undefined;
  readonly botId: string | undefined;
}

/**
 * @param event - Of type `message` or `app_mention`.
 * @returns Absent for what is of no person: bots, apps, the bot itself, Slack's own notes; and for
 *   changes that no person made, e.g. a preview of a link that was added.
 */
export function readHeard(event: unknown, own: OwnIds): Heard | undefined {
  const read = messageEventSchema.safeParse(event).data;
  if (!read) return undefined;
  const { channel } = read;
  const { botUserId } = own;
  if ('deleted_ts' in read) {
    const { deleted_ts: ts, previous_message: previous } = read;
    const thread = previous?.thread_ts ?? ts;
    return { kind: 'deleted', channel, ts, thread, ...turnIn(previous, own) };
  }
  if (!('message' in read)) {
    const post = postOf(channel, read, botUserId);
    return post && { kind: 'posted', post };
  }
  const { message, previous_message: previous } = read;
  // What remains of the first message of a thread that people have answered in.
  if (message.subtype === 'tombstone') {
    const { ts, thread_ts: thread = ts } = message;
    return { kind: 'deleted', channel, ts, thread, ...turnIn(previous, own) };
  }
  const post = postOf(channel, message, botUserId);
  const isChanged = message.edited !== undefined && message.text !== previous?.text;
  return post && isChanged ? { kind: 'edited', post } : undefined;
}

/** A verdict that is taken out of the channel stays in its thread; what was said twice stays once. */
const deletedAlone: ReadonlySet<string> = new Set([postedPart, withdrawnPart]);

/** Anybody can put a mark on a message: that of another app means nothing. */
function turnIn(previous: Said | undefined, { botId }: OwnIds): { readonly turnId?: string } {
  if (botId === undefined || previous?.bot_id !== botId) return {};
  const mark = markSchema.safeParse(previous.metadata).data;
  return mark && !deletedAlone.has(mark.part) ? { turnId: mark.turnId } : {};
}

function postOf(channel: string, said: Said, botUserId: string | undefined): Post | undefined {
  const { user, bot_id, subtype } = said;
  const isOfPerson = user !== botUserId && bot_id === undefined && subtypesOfPeople.has(subtype);
  return user !== undefined && isOfPerson ? { ...said, channel, user } : undefined;
}

/** Posts, edits, deletes and reads messages as the bot. */

import { createHash } from 'node:crypto';
import { MessageFlags, type RequestData, Routes } from 'discord.js';
import { z } from 'zod';
import { onRefusal } from '../discord-error.ts';
import type { DiscordRest } from './discord-rest.ts';

/** The content of a message. It mentions no one but `pings`; see {@link noPings}. */
export interface MessageBody {
  /** At most 2,000 characters; absent if there are components. */
  readonly content?: string;
  /** Components V2: all of the content, at most 4,000 characters. */
  readonly components?: readonly unknown[];
  readonly files?: readonly MessageFile[];
  /** Id of the one person it may mention. */
  readonly pings?: string | undefined;
  /** Notifies no one. */
  readonly isSilent?: true;
}

export type MessageFile = NonNullable<RequestData['files']>[number];

export const noPings = { parse: [], replied_user: false } as const;

/** The component ids of a message, at any depth. */
export const marksSchema: z.ZodType<readonly number[]> = z.lazy(() =>
  z
    .object({ id: z.int().exactOptional(), components: z.array(marksSchema).exactOptional() })
    .transform(({ id, components = [] }) => [
      ...(id === undefined ? [] : [id]),
      ...components.flat(),
    ]),
);

export const messageSchema = z
  .object({
    id: z.string(),
    type: z.int().exactOptional(),
    author: z.object({ id: z.string(), username: z.string() }),
    content: z.string(),
    flags: z.int().default(0),
    webhook_id: z.string().exactOptional(),
    application_id: z.string().exactOptional(),
    interaction_metadata: z.object({ id: z.string() }).exactOptional(),
    components: z.array(marksSchema).default([]),
    attachments: z.array(z.unknown()).default([]),
  })
  .transform(({ components, attachments, ...message }) => ({
    ...message,
    marks: components.flat(),
    hasFile: attachments.length > 0,
  }));

/** The fields that identify a message. */
export type SeenMessage = z.infer<typeof messageSchema>;

/** The body of a request that posts or edits. An edit replaces everything. */
function wireBody({ content = '', components, pings, isSilent }: MessageBody) {
  const silent = isSilent ? MessageFlags.SuppressNotifications : 0;
  return {
    allowed_mentions: pings === undefined ? noPings : { ...noPings, users: [pings] },
    components: components ?? [],
    content: components ? undefined : content,
    flags: silent | (components ? MessageFlags.IsComponentsV2 : MessageFlags.SuppressEmbeds),
  };
}

/** At most 25 characters, Discord's limit. */
function nonceOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 25);
}

/**
 * Posts a message as the bot; call it through a pacer. For some minutes, Discord posts only one message per
 * `key` and channel, so retries are safe.
 *
 * @param replyTo - Id of a message in the channel to reply to. If that message is gone, this one is posted
 *   without the reply.
 * @returns The message's id.
 */
export async function postMessage(
  rest: DiscordRest,
  channelId: string,
  message: MessageBody & { readonly key: string; readonly replyTo?: string | undefined },
): Promise<string> {
  const reference = message.replyTo
    ? { message_reference: { message_id: message.replyTo, fail_if_not_exists: false } }
    : {};
  const posted = await rest.withRetries({
    method: 'POST',
    path: Routes.channelMessages(channelId),
    files: message.files && [...message.files],
    body: {
      ...wireBody(message),
      ...reference,
      nonce: nonceOf(message.key),
      enforce_nonce: true,
    },
  });
  return messageSchema.parse(posted).id;
}

/** Sends a direct message. Throws as {@link postMessage} does, e.g. if the person accepts none. */
export async function sendDirect(
  rest: DiscordRest,
  userId: string,
  content: string,
  key: string,
): Promise<void> {
  const body = { recipient_id: userId };
  const opened = await rest.withRetries({ method: 'POST', path: Routes.userChannels(), body });
  const { id } = z.object({ id: z.string() }).parse(opened);
  await postMessage(rest, id, { content, key });
}

/** Call it through a pacer, like {@link postMessage}. */
export async function editMessage(
  rest: DiscordRest,
  channelId: string,
  messageId: string,
  message: MessageBody,
): Promise<void> {
  const path = Routes.channelMessage(channelId, messageId);
  await rest.withRetries({ method: 'PATCH', path, body: wireBody(message) });
}

/** Deletes one of the bot's messages; does nothing if it is gone. */
export async function deleteMessage(
  rest: DiscordRest,
  channelId: string,
  messageId: string,
): Promise<void> {
  const path = Routes.channelMessage(channelId, messageId);
  await rest.withRetries({ method: 'DELETE', path }).catch(onRefusal(undefined, 'unknownMessage'));
}

export async function readMessage(
  rest: DiscordRest,
  channelId: string,
  messageId: string,
): Promise<SeenMessage> {
  const path = Routes.channelMessage(channelId, messageId);
  return messageSchema.parse(await rest.withRetries({ method: 'GET', path }));
}

const pageSize = 100;
/** Bounds the search; a turn posts far fewer messages. */
const maxPages = 5;

/** The messages of a channel after a message id, oldest first, at most 500. */
export async function readAfter(
  rest: DiscordRest,
  channelId: string,
  after: string,
): Promise<readonly SeenMessage[]> {
  const seen: SeenMessage[] = [];
  for (let page = 0; page < maxPages; page++) {
    const query = new URLSearchParams({
      limit: String(pageSize),
      after: seen.at(-1)?.id ?? after,
    });
    const path = Routes.channelMessages(channelId);
    const found = z
      .array(messageSchema)
      .parse(await rest.withRetries({ method: 'GET', path, query }));
    seen.push(...found.toSorted(byAge));
    if (found.length < pageSize) break;
  }
  return seen;
}

function byAge(one: { readonly id: string }, other: { readonly id: string }): number {
  return BigInt(one.id) < BigInt(other.id) ? -1 : 1;
}

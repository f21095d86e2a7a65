/** Messages of the bot itself, and what has been said in a channel. */

import { createHash } from 'node:crypto';
import { MessageFlags, type RequestData, Routes } from 'discord.js';
import { z } from 'zod';
import { onRefusal } from '../discord-error.ts';
import type { DiscordRest } from './discord-rest.ts';

/** What a message consists of. Pings only the person it names: {@link noPings} goes with every other. */
export interface MessageBody {
  /** At most 2,000 characters; absent where components say it all. */
  readonly content?: string;
  readonly components?: readonly unknown[];
  /** The components are all there is (Components V2): no content, 4,000 characters in all. */
  readonly isOnlyComponents?: boolean;
  readonly files?: readonly MessageFile[];
  /** Id of the one person whom it may mention; absent: none. */
  readonly pings?: string;
}

/** A file that goes with a message. */
export type MessageFile = NonNullable<RequestData['files']>[number];

export const noPings = { parse: [], replied_user: false } as const;

/** The numbers that the parts of a message carry, at any depth. */
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

/** A message, as far as it is needed to recognise it. */
export type SeenMessage = z.infer<typeof messageSchema>;

/** Body of a request that posts or edits. An edit leaves nothing of what was there. */
export function wireBody({ content, components, isOnlyComponents, pings }: MessageBody) {
  return {
    allowed_mentions: pings === undefined ? noPings : { ...noPings, users: [pings] },
    components: components ?? [],
    ...(isOnlyComponents ? {} : { content: content ?? '' }),
    flags: isOnlyComponents ? MessageFlags.IsComponentsV2 : MessageFlags.SuppressEmbeds,
  };
}

/** At most 25 characters, which is what Discord allows. */
export function nonceOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 25);
}

/**
 * Posts a message of the bot; for a pacer. The same `key` in the same channel makes one message, for
 * some minutes and however often it is tried.
 *
 * @param replyTo - Id of a message in the channel that this one answers; gone: it answers nothing.
 * @returns The message's id.
 */
export async function postMessage(
  rest: DiscordRest,
  channelId: string,
  message: MessageBody & { readonly key: string; readonly replyTo?: string },
): Promise<string> {
  const reference = message.replyTo
    ? { message_reference: { message_id: message.replyTo, fail_if_not_exists: false } }
    : {};
  const posted = await rest.repeatedly({
    method: 'POST',
    path: Routes.channelMessages(channelId),
    isPaced: true,
    ...(message.files?.length ? { files: [...message.files] } : {}),
    body: {
      ...wireBody(message),
      ...reference,
      nonce: nonceOf(message.key),
      enforce_nonce: true,
    },
  });
  return messageSchema.parse(posted).id;
}

/** Says something to one person alone. Throws as {@link postMessage} does, e.g. where they take no such messages. */
export async function sendDirect(
  rest: DiscordRest,
  userId: string,
  content: string,
  key: string,
): Promise<void> {
  const body = { recipient_id: userId };
  const opened = await rest.repeatedly({ method: 'POST', path: Routes.userChannels(), body });
  const { id } = z.object({ id: z.string() }).parse(opened);
  await postMessage(rest, id, { content, key });
}

/** For a pacer, as {@link postMessage}. */
export async function editMessage(
  rest: DiscordRest,
  channelId: string,
  messageId: string,
  message: MessageBody,
): Promise<void> {
  const path = Routes.channelMessage(channelId, messageId);
  await rest.repeatedly({ method: 'PATCH', path, isPaced: true, body: wireBody(message) });
}

/** Deletes a message of the bot; one that is gone already is no matter. */
export async function deleteMessage(
  rest: DiscordRest,
  channelId: string,
  messageId: string,
): Promise<void> {
  const path = Routes.channelMessage(channelId, messageId);
  await rest.repeatedly({ method: 'DELETE', path }).catch(onRefusal(undefined, 'unknownMessage'));
}

export async function readMessage(
  rest: DiscordRest,
  channelId: string,
  messageId: string,
): Promise<SeenMessage> {
  const path = Routes.channelMessage(channelId, messageId);
  return messageSchema.parse(await rest.repeatedly({ method: 'GET', path }));
}

const pageSize = 100;
/** A turn never posts as many; whatever else is said in the thread must end somewhere. */
const mostPages = 5;

/** What was said in a channel after a moment or a message, oldest first, at most 500. */
export async function readAfter(
  rest: DiscordRest,
  channelId: string,
  after: string,
): Promise<readonly SeenMessage[]> {
  const seen: SeenMessage[] = [];
  for (let page = 0; page < mostPages; page++) {
    const query = new URLSearchParams({
      limit: String(pageSize),
      after: seen.at(-1)?.id ?? after,
    });
    const path = Routes.channelMessages(channelId);
    const found = z
      .array(messageSchema)
      .parse(await rest.repeatedly({ method: 'GET', path, query }));
    seen.push(...found.toSorted(byAge));
    if (found.length < pageSize) break;
  }
  return seen;
}

function byAge(one: { readonly id: string }, other: { readonly id: string }): number {
  return BigInt(one.id) < BigInt(other.id) ? -1 : 1;
}

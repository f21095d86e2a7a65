/** A message of Slack as it is heard: by whom, when, and all its words, marks still in them. */

import { z } from 'zod';
import { plainName, type Source } from '../../../domain/source.ts';
import { markSchema, withdrawnPart } from '../api/messages.ts';
import { postedPart } from '../presenter/turn-poster.ts';

const text = z.string().nullish();
const attachmentSchema = z.object({
  pretext: text,
  author_name: text,
  title: text,
  text,
  fallback: text,
  fields: z.array(z.object({ title: text, value: text })).nullish(),
  footer: text,
  blocks: z.unknown().optional(),
  /** Of a message that is shared. */
  message_blocks: z.array(z.object({ message: z.object({ blocks: z.unknown() }) })).optional(),
});
const attachmentsSchema = z.array(attachmentSchema).catch([]);

/** A file as a message names it; one that is gone, or that Slack hides, has no address. */
const fileSchema = z.object({
  name: z.string().nullish(),
  title: z.string().nullish(),
  url_private: z.string().nullish(),
  /** Another service keeps it, e.g. a document of Google's. */
  is_external: z.boolean().nullish(),
});

export function filesIn(files: readonly z.infer<typeof fileSchema>[]): readonly Source[] {
  return files.map(({ name, title, url_private: address, is_external }) => {
    const file = { kind: 'file', name: plainName(name ?? title ?? '', 'a file') } as const;
    if (address && !is_external) return { status: 'pointed', ...file, address };
    const why = is_external ? 'it is kept outside of Slack' : 'Slack does not show it to me';
    return { status: 'unread', ...file, why };
  });
}

export const saidSchema = z.object({
  ts: z.string(),
  thread_ts: z.string().exactOptional(),
  user: z.string().exactOptional(),
  bot_id: z.string().exactOptional(),
  username: z.string().nullish(),
  bot_profile: z.object({ name: z.string() }).optional().catch(undefined),
  subtype: z.string().exactOptional(),
  text: z.string().default(''),
  blocks: z.unknown().optional(),
  attachments: z.unknown().optional(),
  files: z.array(fileSchema).default([]),
  edited: z.object({ ts: z.string() }).exactOptional(),
  metadata: z.unknown().optional(),
});
export type Said = z.infer<typeof saidSchema>;

const inChannel = { channel: z.string(), channel_type: z.string().exactOptional() };

/** What an event of type `message` or `app_mention` tells: that one was said, changed or deleted. */
export const messageEventSchema = z.union([
  z.object({
    ...inChannel,
    subtype: z.literal('message_changed'),
    message: saidSchema,
    previous_message: saidSchema.exactOptional(),
  }),
  z.object({
    ...inChannel,
    subtype: z.literal('message_deleted'),
    deleted_ts: z.string(),
    previous_message: saidSchema.exactOptional(),
  }),
  saidSchema.extend(inChannel),
]);

/** Subtypes of messages that people write; others are e.g. joins and topics. */
const subtypesOfPeople: ReadonlySet<string | undefined> = new Set([
  undefined,
  'file_share',
  'me_message',
  'thread_broadcast',
]);
/** Subtypes of messages that a person or an app wrote. */
export const spokenSubtypes: ReadonlySet<string | undefined> = new Set([
  ...subtypesOfPeople,
  'bot_message',
]);

/** What was written; of an app, whose text may be a mere summary, what its blocks show. */
export function wordsOf({ text: written, blocks, attachments, bot_id }: Said): string {
  const shown = blockWords(blocks, 0).trim();
  const own = written.trim() === '' || (bot_id !== undefined && shown.length > written.length);
  return [own ? shown : written, attachmentWords(attachments)]
    .filter((part) => part.trim() !== '')
    .join('\n');
}

/** What goes with a message: shared messages, previews of links, what apps attach. */
export function attachmentWords(attachments: unknown): string {
  return attachmentsSchema
    .parse(attachments ?? [])
    .map(({ pretext, author_name, title, fallback, fields, footer, ...attachment }) => {
      const { text: written, blocks, message_blocks = [] } = attachment;
      const ofBlocks = [blocks, ...message_blocks.map(({ message }) => message.blocks)];
      const shown = ofBlocks.map((some) => blockWords(some, 0)).join('');
      const named = (fields ?? []).map((field) => `${field.title ?? ''}: ${field.value ?? ''}`);
      // Beside blocks the fallback only says that there are some.
      const body = written || shown.trim() || fallback;
      const parts = [pretext, author_name, title, body, ...named, footer];
      return parts.filter(Boolean).join('\n');
    })
    .filter((words) => words !== '')
    .join('\n');
}

const nodeSchema = z.record(z.string(), z.unknown());
/** Blocks are not nested deeper. */
const deepest = 8;

function blockWords(node: unknown, depth: number): string {
  if (depth > deepest) return '';
  if (Array.isArray(node)) return node.map((one) => blockWords(one, depth + 1)).join('');
  const { data: block } = nodeSchema.safeParse(node);
  if (!block) return '';
  if (block.type === 'user') return `<@${block.user_id}>`;
  if (block.type === 'channel') return `<#${block.channel_id}>`;
  if (block.type === 'emoji') return `:${block.name}:`;
  if (block.type === 'link') return `${block.text ?? block.url ?? ''}`;
  if (typeof block.text === 'string') return block.text;
  const inner = [block.text, block.elements, block.fields, block.title]
    .map((part) => blockWords(part, depth + 1))
    .join('');
  const isLine = `${block.type}`.startsWith('rich_text_') || 'block_id' in block || depth === 1;
  return isLine ? `${inner}\n` : inner;
}

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

/** Who the bot is in a workspace; `botId` is what all of its posts carry. */
export interface BotIds {
  readonly botUserId: string | undefined;
  readonly botId: string | undefined;
}

/**
 * @param event - Of type `message` or `app_mention`.
 * @returns Absent for what is of no person: bots, apps, the bot itself, Slack's own notes; and for
 *   changes that no person made, e.g. a preview of a link that was added.
 */
export function readMessageEvent(event: unknown, own: BotIds): Heard | undefined {
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
function turnIn(previous: Said | undefined, { botId }: BotIds): { readonly turnId?: string } {
  if (botId === undefined || previous?.bot_id !== botId) return {};
  const mark = markSchema.safeParse(previous.metadata).data;
  return mark && !deletedAlone.has(mark.part) ? { turnId: mark.turnId } : {};
}

function postOf(channel: string, said: Said, botUserId: string | undefined): Post | undefined {
  const { user, bot_id, subtype } = said;
  const isOfPerson = user !== botUserId && bot_id === undefined && subtypesOfPeople.has(subtype);
  return user !== undefined && isOfPerson ? { ...said, channel, user } : undefined;
}

/** Parses Slack's messages: author, time and text (still in Slack's markup), and how events change them. */

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
  /** The blocks of a shared message. */
  message_blocks: z
    .array(z.object({ message: z.object({ blocks: z.unknown().optional() }) }))
    .optional(),
});
const attachmentsSchema = z.array(attachmentSchema).catch([]);

/** An attached file. Deleted and hidden files have no address. */
const fileSchema = z.object({
  id: z.string().nullish(),
  name: z.string().nullish(),
  title: z.string().nullish(),
  mimetype: z.string().nullish(),
  url_private: z.string().nullish(),
  /** `check_file_info`: Slack gives everything but the id only when asked, as in channels shared with other organisations. */
  file_access: z.string().nullish(),
});

/** Stands before the id of a file in place of its address. */
export const fileById = 'slack-file:';

export function filesIn(files: readonly z.infer<typeof fileSchema>[]): readonly Source[] {
  return files.map(({ id, name, title, url_private, file_access: access }) => {
    const address = access === 'check_file_info' ? `${fileById}${id}` : url_private;
    const file = { kind: 'file', name: plainName(name ?? title ?? '', 'a file') } as const;
    if (address) return { status: 'pointed', ...file, address };
    return { status: 'unread', ...file, why: 'Slack does not show it to me' };
  });
}

export const saidSchema = z.object({
  /** `app_mention` for a mention, which also comes as a `message`. */
  type: z.string().exactOptional(),
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
  metadata: markSchema.optional().catch(undefined),
});
export type Said = z.infer<typeof saidSchema>;

const inChannel = { channel: z.string(), channel_type: z.string().exactOptional() };

/** An event of type `message` or `app_mention`: a message was posted, changed or deleted. */
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

/** Returns a message's text; for an app, whose text may be only a summary, that of its blocks if it is longer. */
export function wordsOf({ text: written, blocks, attachments, bot_id }: Said): string {
  const shown = blockWords(blocks, 0).trim();
  const own = written.trim() === '' || (bot_id !== undefined && shown.length > written.length);
  return [own ? shown : written, attachmentWords(attachments)]
    .filter((part) => part.trim() !== '')
    .join('\n');
}

/** Whether a message without words is spoken: it has nothing but recordings, of which no model could make anything. */
export function isSpoken({ attachments, files }: Said): boolean {
  // Clips that are recorded in Slack are videos even without a picture.
  const isRecording = ({ mimetype }: Said['files'][number]) =>
    /^(?:audio|video)\//.test(mimetype ?? '');
  return files.length > 0 && files.every(isRecording) && attachmentWords(attachments) === '';
}

/** Returns the text of attachments: shared messages, link previews, app content. */
export function attachmentWords(attachments: unknown): string {
  return attachmentsSchema
    .parse(attachments ?? [])
    .map(({ pretext, author_name, title, fallback, fields, footer, ...attachment }) => {
      const { text: written, blocks, message_blocks = [] } = attachment;
      const ofBlocks = [blocks, ...message_blocks.map(({ message }) => message.blocks)];
      const shown = ofBlocks.map((some) => blockWords(some, 0)).join('');
      const named = (fields ?? []).map((field) => `${field.title ?? ''}: ${field.value ?? ''}`);
      // With blocks, the fallback only says that there are blocks.
      const body = written || shown.trim() || fallback;
      const parts = [pretext, author_name, title, body, ...named, footer];
      return parts.filter(Boolean).join('\n');
    })
    .filter((words) => words !== '')
    .join('\n');
}

const nodeSchema = z.record(z.string(), z.unknown());
/** Slack does not nest blocks deeper. */
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
  if (Array.isArray(block.rows)) return block.rows.map((row) => rowWords(row, depth)).join('');
  if (block.type === 'actions') return rowWords(block.elements, depth);
  const inner = [block.text, block.elements, block.fields, block.title]
    .map((part) => (typeof part === 'string' ? part : blockWords(part, depth + 1)))
    .join('');
  const isLine = `${block.type}`.startsWith('rich_text_') || 'block_id' in block || depth === 1;
  return isLine ? `${inner}\n` : inner;
}

/** A row of buttons or of a table, whose cells hold text or rich text. */
function rowWords(row: unknown, depth: number): string {
  const cells = [row].flat().map((cell) => blockWords(cell, depth + 1).trim());
  return `${cells.join(' | ')}\n`;
}

/** A message written by a person. */
export interface Post extends Said {
  readonly channel: string;
  readonly user: string;
}

/** What an event did to a message. */
export type MessageChange =
  | { readonly kind: 'posted'; readonly post: Post }
  | { readonly kind: 'edited'; readonly post: Post }
  | {
      readonly kind: 'deleted';
      readonly channel: string;
      readonly ts: string;
      readonly thread: string;
      /** If the council had posted it, its turn. */
      readonly turnId?: string;
    };

/** The bot's ids in a workspace; all of its messages carry `botId`. */
export interface BotIds {
  readonly botUserId: string | undefined;
  readonly botId: string | undefined;
}

/**
 * Reads what a person did to a message.
 *
 * @param event - Of type `message` or `app_mention`.
 * @returns `undefined` for messages of bots, apps and Slack itself, and for automatic changes, e.g. an
 *   added link preview.
 */
export function readMessageEvent(event: unknown, own: BotIds): MessageChange | undefined {
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
  // Slack keeps a placeholder for the deleted first message of a thread with replies.
  if (message.subtype === 'tombstone') {
    const { ts, thread_ts: thread = ts } = message;
    return { kind: 'deleted', channel, ts, thread, ...turnIn(previous, own) };
  }
  const post = postOf(channel, message, botUserId);
  const isChanged = message.edited !== undefined && message.text !== previous?.text;
  return post && isChanged ? { kind: 'edited', post } : undefined;
}

/** Parts whose deletion does not retract the turn: a verdict posted to the channel, and duplicates. */
const deletedAlone: ReadonlySet<string> = new Set([postedPart, withdrawnPart]);

/** Only the app's own marks count, because any app can set such metadata. */
function turnIn(previous: Said | undefined, { botId }: BotIds): { readonly turnId?: string } {
  if (botId === undefined || previous?.bot_id !== botId) return {};
  const mark = previous.metadata;
  return mark && !deletedAlone.has(mark.part) ? { turnId: mark.turnId } : {};
}

/** Slack's own bot, e.g. its reminders: they have no `bot_id`. */
const slackbot = 'USLACKBOT';

function postOf(channel: string, said: Said, botUserId: string | undefined): Post | undefined {
  const { user, bot_id, subtype } = said;
  const isOfBot = user === botUserId || user === slackbot || bot_id !== undefined;
  return user !== undefined && !isOfBot && subtypesOfPeople.has(subtype)
    ? { ...said, channel, user }
    : undefined;
}

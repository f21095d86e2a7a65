/** Converts a Discord message into a {@link HeardMessage}: author, time and all its text. */

import {
  type Channel,
  ChannelType,
  type Message,
  MessageFlags,
  MessageReferenceType,
  PermissionFlagsBits,
  SnowflakeUtil,
} from 'discord.js';
import { z } from 'zod';
import type { HeardMessage } from '../../../domain/heard.ts';
import { type PointedSource, plainName } from '../../../domain/source.ts';
import { oneLine } from '../../../domain/words.ts';
import { writtenMention } from '../../chat/text/visible-text.ts';
import { textsOf } from '../presenter/components.ts';

/** What an id in a mention refers to. */
export type MentionKind = 'person' | 'role' | 'channel';
/** @returns `undefined` if unknown, or if not everyone may know it. */
export type NameOf = (kind: MentionKind, id: string) => string | undefined;

const token =
  /<(?:@!?(?<person>\d{5,20})|@&(?<role>\d{5,20})|#(?<channel>\d{5,20})|a?:(?<emoji>\w{1,40}):\d{5,20}|t:(?<time>-?\d{1,13})(?::[tTdDfFR])?|\/(?<command>[^<>:]{1,100}):\d{5,20})>/g;

/** The ids of the channels that a text mentions, without duplicates. */
export function channelsIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(token)].flatMap(({ groups }) => groups?.channel ?? []))];
}

/** Replaces ids in mentions with names; an unknown person is “someone”. */
export function plainWords(text: string, nameOf: NameOf): string {
  return text.replace(token, (...parts) => {
    const { person, role, channel, emoji, time, command } = parts.at(-1);
    if (person) return writtenMention(nameOf('person', person) ?? 'someone');
    if (role) return writtenMention(nameOf('role', role) ?? 'a group');
    if (channel) return `#${nameOf('channel', channel) ?? 'a channel'}`;
    if (emoji) return `:${emoji}:`;
    if (command) return `/${command}`;
    const at = new Date(Number(time) * 1000);
    return Number.isNaN(at.getTime()) ? '' : at.toISOString().slice(0, 16).replace('T', ' ');
  });
}

/** Looks names up in the client's cache, which has those that an event mentions. */
export function cachedNames({ client, guild }: Pick<Message, 'client' | 'guild'>): NameOf {
  return (kind, id) => {
    switch (kind) {
      case 'person':
        return (guild?.members.cache.get(id) ?? client.users.cache.get(id))?.displayName;
      case 'role':
        return guild?.roles.cache.get(id)?.name;
      case 'channel': {
        const channel = client.channels.cache.get(id);
        // Readers of the name may not be allowed to know of the channel.
        return channel && 'permissionsFor' in channel && isPublic(channel)
          ? channel.name
          : undefined;
      }
    }
  };
}

/** The words of a message, and the title of the forum's post that it begins, which often is the question. */
export function withTitle({ id, channel }: Pick<Message, 'id' | 'channel'>, words: string): string {
  return channel.isThread() && channel.id === id ? titled(words, channel.name) : words;
}

/** The words come first, because they may address a sage. */
export function titled(words: string, title: string): string {
  return words === '' ? title : `${words}\n\nTitle: ${title}`;
}

/** Whether every member of the guild can read a channel; false if unknown. */
export function isPublic(channel: Channel | null): boolean {
  if (channel?.type === ChannelType.PrivateThread) return false;
  if (!channel || !('permissionsFor' in channel)) return false;
  const { ViewChannel, Connect } = PermissionFlagsBits;
  // Only people who may join a voice channel can read its chat.
  const toRead = channel.isVoiceBased() ? [ViewChannel, Connect] : [ViewChannel];
  return channel.permissionsFor(channel.guild.roles.everyone)?.has(toRead) === true;
}

const text = z.string().nullish();
const embedSchema = z.object({
  title: text,
  description: text,
  author: z.object({ name: text }).nullish(),
  fields: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  footer: z.object({ text }).nullish(),
});
const pollSchema = z.object({
  question: z.object({ text }),
  answers: z.array(z.object({ poll_media: z.object({ text }) })),
});
const attachmentSchema = z.object({
  filename: z.string(),
  /** The original name, if `filename` is a cleaned version. */
  title: text,
  url: z.string(),
});
const personSchema = z.object({ id: z.string(), username: z.string(), global_name: text });
const wordsSchema = z.object({
  content: z.string().default(''),
  embeds: z.array(embedSchema).default([]),
  components: z.array(z.unknown()).default([]),
  poll: pollSchema.nullish(),
  attachments: z.array(attachmentSchema).default([]),
});

/** The fields of a REST message that are read. */
export const saidSchema = wordsSchema.extend({
  id: z.string(),
  channel_id: z.string(),
  type: z.number(),
  author: personSchema,
  application_id: z.string().exactOptional(),
  webhook_id: z.string().exactOptional(),
  edited_timestamp: text,
  mentions: z.array(personSchema).default([]),
  message_reference: z
    .object({
      type: z.number().default(MessageReferenceType.Default),
      message_id: z.string().exactOptional(),
      channel_id: z.string().exactOptional(),
    })
    .exactOptional(),
  message_snapshots: z.array(z.object({ message: wordsSchema })).default([]),
  get referenced_message() {
    return saidSchema.nullish();
  },
});
export type Said = z.infer<typeof saidSchema>;

type Words = z.infer<typeof wordsSchema>;

function wordsOf({ content, embeds, components, poll }: Words): string {
  const embedded = embeds.map(({ author, title, description, fields, footer }) => {
    const named = (fields ?? []).map(({ name, value }) => `${name}: ${value}`);
    return [author?.name, title, description, ...named, footer?.text].filter(Boolean).join('\n');
  });
  const choices = (poll?.answers ?? []).map(({ poll_media }) => `- ${poll_media.text ?? ''}`);
  const asked = poll ? [`Poll: ${poll.question.text ?? ''}`, ...choices] : [];
  return [content, ...components.flatMap(textsOf), ...embedded, ...asked]
    .filter((part) => part.trim() !== '')
    .join('\n');
}

/** @returns `undefined` if there is neither text nor a file. */
function heardMessage(
  id: string,
  author: HeardMessage['author'],
  own: Words,
  forwarded: readonly Words[],
  names: NameOf,
): HeardMessage | undefined {
  const quoted = forwarded.map(wordsOf).filter((words) => words !== '');
  const words = [wordsOf(own), ...quoted.map((one) => `[forwarded] ${one}`)].filter(Boolean);
  const text = plainWords(words.join('\n'), names).trim();
  const sources = [own, ...forwarded].flatMap(({ attachments }) =>
    attachments.map(({ title, filename, url }): PointedSource => {
      const name = plainName(title ?? filename, 'a file');
      return { status: 'pointed', kind: 'file', name, address: url };
    }),
  );
  if (text === '' && sources.length === 0) return undefined;
  const name = oneLine(author.name) || 'someone';
  return {
    id,
    author: { id: author.id, name },
    at: SnowflakeUtil.timestampFrom(id),
    text,
    ...(sources.length > 0 && { sources }),
  };
}

/** Converts a message from REST. @returns `undefined` if it has neither text nor files. */
export function toHeardMessage(said: Said, nameOf: NameOf): HeardMessage | undefined {
  const { id, author, mentions, message_snapshots } = said;
  const names: NameOf = (kind, who) =>
    nameOf(kind, who) ??
    (kind === 'person' ? nameIn(mentions.find((one) => one.id === who)) : undefined);
  const forwarded = message_snapshots.map(({ message }) => message);
  const name = nameOf('person', author.id) ?? nameIn(author) ?? '';
  const heard = heardMessage(id, { id: author.id, name }, said, forwarded, names);
  return heard && { ...heard, ...(said.edited_timestamp && { isEdited: true }) };
}

function nameIn(person: z.infer<typeof personSchema> | undefined): string | undefined {
  return person && (person.global_name ?? person.username);
}

/**
 * Converts a message from the gateway.
 *
 * @param part - `all` of it, or what is `beside` the author's own text: forwarded messages, embeds and attachments.
 */
export function heardInMessage(message: Message, part: 'all' | 'beside'): HeardMessage | undefined {
  const { id, author, member, messageSnapshots, client } = message;
  const by = { id: author.id, name: member?.displayName ?? author.displayName };
  const whole = wordsIn(message);
  const content = part === 'all' ? withTitle(message, whole.content) : '';
  const own = { ...whole, content };
  const heard = heardMessage(id, by, own, messageSnapshots.map(wordsIn), cachedNames(message));
  const isOwn = author.id === client.user.id || message.applicationId === client.application.id;
  return heard && { ...heard, isMeant: true, ...(isOwn && { isCouncils: true }) };
}

type WrittenMessage = Partial<
  Pick<Message, 'content' | 'embeds' | 'components' | 'poll' | 'attachments' | 'flags'>
>;

/** Whether it is a voice message, which is a recording without text. */
export function isSpoken({ flags }: Pick<WrittenMessage, 'flags'>): boolean {
  return flags?.has(MessageFlags.IsVoiceMessage) === true;
}

function wordsIn(message: WrittenMessage): Words {
  const { content, embeds, components, poll, attachments } = message;
  // No model could make anything of a recording.
  const files = isSpoken(message) ? [] : [...(attachments?.values() ?? [])];
  return {
    content: content ?? '',
    embeds: (embeds ?? []).map((embed) => embedSchema.parse(embed.toJSON())),
    components: (components ?? []).map((component) => component.toJSON()),
    poll: poll && {
      question: poll.question,
      answers: [...poll.answers.values()].map(({ text }) => ({ poll_media: { text } })),
    },
    attachments: files.map(({ name, title, url }) => ({ filename: name, title, url })),
  };
}

/** Reads the conversation around a question in Discord, and opens attached files. */

import { MessageReferenceType, MessageType, PermissionFlagsBits, Routes } from 'discord.js';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Heard, HeardMessage, HearingLimits } from '../../../domain/heard.ts';
import type { OpenedFile } from '../../../domain/source.ts';
import type { TurnRequest } from '../../../domain/turn.ts';
import { unlessRefused } from '../../chat/pacing/platform-error.ts';
import { openFile, originOf, withinLimits } from '../../chat/surroundings.ts';
import { DiscordRefusal } from '../discord-error.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import type { Identity } from '../rest/identity.ts';
import { directMessages, platformName, readThreadId } from '../thread-id.ts';
import {
  channelsIn,
  type NameOf,
  type Said,
  saidSchema,
  titled,
  toHeardMessage,
} from './said-message.ts';

/** How many links of a reply chain are followed. */
const maxReplies = 10;
const pageSize = 100;
/** Of channels, and of people: each is a request. */
const maxNames = 10;

const withheld =
  'Discord shows me other people’s words only with the Message Content intent, which is switched off for this bot.';
const noHistory =
  'I lack the permission Read Message History here, so I couldn’t read what was said before.';

/** Message types that people write, unlike joins and pins. */
const written: ReadonlySet<number> = new Set([
  MessageType.Default,
  MessageType.Reply,
  MessageType.ChatInputCommand,
  MessageType.ContextMenuCommand,
]);

export function hearingOf(whoAmI: () => Promise<Identity>) {
  /** Of channels that everyone in their server can see, and of members with a name of their own there; else empty. */
  const names = new LRUCache<string, string>({ max: 1000, ttl: 600_000 });

  /** As `Platform.hear`. @param rest - Bound to a signal that ends the reading. */
  async function hear(
    rest: DiscordRest,
    { threadId, eventId, hears: of = 'replies', repliesTo }: TurnRequest,
    known: Heard | undefined,
    limits: HearingLimits,
  ): Promise<Heard> {
    const { guild, channel, thread } = readThreadId(threadId);
    const where = of === 'thread' ? thread : channel;
    const isDirect = guild === directMessages;
    const readsPage = of !== 'replies' && !isDirect;
    // Some may be the council's own.
    const limit = Math.min(pageSize, limits.contextMessages * 3);
    const newest = new URLSearchParams({ limit: String(limit), before: eventId });
    const page = readsPage ? await readPage(rest, where, newest) : [];
    // Without permission, Discord returns an empty history, but refuses a single message.
    const probe = readsPage && page.length === 0 ? eventId : undefined;
    const { chain, isRefused } = await readChain(rest, where, repliesTo ?? probe, page);
    const isCut = of === 'thread' && page.length === limit;
    const first = isCut ? await readFirst(rest, channel, thread, page) : [];
    const { applicationId, userId, mayReadContent } = await whoAmI();
    const meant = new Set(chain.map(({ id }) => id));
    // A thread remembers what the council said there, but a new one doesn't know what is replied to.
    const isOwn = ({ author, application_id }: Said) =>
      author.id === userId || application_id === applicationId;
    const isHeard = (one: Said) => !isOwn(one) || (where !== thread && meant.has(one.id));
    const said = [...page, ...chain, ...first].filter(
      (one) => one.id !== eventId && written.has(one.type) && isHeard(one),
    );
    const nameOf = await namesIn(rest, guild, said);
    const post = said.find(({ id, channel_id }) => id === channel_id);
    // The conversation is heard without its title rather than not at all.
    const title = post && (await readChannel(rest, post.id).catch(() => undefined))?.name;
    const found = said.flatMap((one): readonly HeardMessage[] => {
      const content = title && one.id === post.id ? titled(one.content, title) : one.content;
      const heard = toHeardMessage({ ...one, content }, nameOf);
      if (!heard) return [];
      return [
        {
          ...heard,
          ...(meant.has(one.id) && { isMeant: true }),
          ...(isOwn(one) && { isCouncils: true }),
        },
      ];
    });
    const isWithheld = !mayReadContent && !isDirect && said.some(isEmpty);
    const gap = isRefused ? noHistory : isWithheld ? withheld : undefined;
    const place = `${platformName}:${guild}:${where}`;
    return withinLimits(
      { place, of, ...(gap !== undefined && { gap }) },
      [...found, ...(known?.messages ?? [])],
      limits,
      of === 'thread' ? (first[0] ?? page.at(-1))?.id : undefined,
    );
  }

  /** Messages have the names that their authors have everywhere, and no names of channels. Looked up and cached. */
  async function namesIn(rest: DiscordRest, guild: string, said: readonly Said[]): Promise<NameOf> {
    const lookUp = (ids: readonly string[], read: (id: string) => Promise<string>) =>
      [...new Set(ids)].slice(0, maxNames).map(async (id) => {
        const key = `${guild} ${id}`;
        // An unnamed channel is called “a channel”.
        if (!names.has(key)) names.set(key, await read(id).catch(() => ''));
      });
    const people = said.flatMap((one) => (one.webhook_id === undefined ? one.author.id : []));
    await Promise.all([
      ...lookUp(
        said.flatMap(({ content }) => channelsIn(content)),
        (id) => readPublicName(rest, id),
      ),
      ...lookUp(guild === directMessages ? [] : people, async (id) => {
        const path = Routes.guildMember(guild, id);
        return memberSchema.parse(await rest.once({ method: 'GET', path })).nick ?? '';
      }),
    ]);
    return (kind, id) => (kind === 'role' ? undefined : names.get(`${guild} ${id}`) || undefined);
  }

  return hear;
}

/** Newest first. */
async function readPage(
  rest: DiscordRest,
  channel: string,
  query: URLSearchParams,
): Promise<readonly Said[]> {
  const path = Routes.channelMessages(channel);
  const page = z.array(saidSchema).parse(await rest.once({ method: 'GET', path, query }));
  return page.map((one) =>
    one.type === MessageType.ThreadStarterMessage ? (one.referenced_message ?? one) : one,
  );
}

/**
 * Reads the message that began a thread: the one in the parent channel that has the thread's id, or the first in a
 * thread that was opened without one, e.g. a post of a forum. Not again if it is in the page.
 */
async function readFirst(
  rest: DiscordRest,
  channel: string,
  thread: string,
  page: readonly Said[],
): Promise<readonly Said[]> {
  if (page.some(({ id }) => id === thread)) return [];
  const path = Routes.channelMessage(channel, thread);
  const opened = await unlessRefused(() => rest.once({ method: 'GET', path }));
  const said = saidSchema.optional().parse(opened);
  if (said && written.has(said.type)) return [said];
  const query = new URLSearchParams({ limit: '1', after: `${BigInt(thread) - 1n}` });
  return readPage(rest, thread, query);
}

/** Follows a chain of replies, within one channel. */
async function readChain(
  rest: DiscordRest,
  channel: string,
  repliesTo: string | undefined,
  page: readonly Said[],
): Promise<{ readonly chain: readonly Said[]; readonly isRefused: boolean }> {
  const chain: Said[] = [];
  let next = repliesTo;
  while (next !== undefined && chain.length < maxReplies) {
    const id = next;
    try {
      const path = Routes.channelMessage(channel, id);
      const said =
        page.find((one) => one.id === id) ??
        saidSchema.parse(await rest.once({ method: 'GET', path }));
      chain.push(said);
      next = replyTargetOf(said, channel);
    } catch (error) {
      if (!(error instanceof DiscordRefusal)) throw error;
      // A deleted message is not a failure.
      return { chain, isRefused: error.status === 403 };
    }
  }
  return { chain, isRefused: false };
}

function replyTargetOf(
  { message_reference: reference }: Said,
  channel: string,
): string | undefined {
  const isReply = reference?.type === MessageReferenceType.Default;
  return isReply && (reference.channel_id ?? channel) === channel
    ? reference.message_id
    : undefined;
}

/** Without the intent, Discord omits everything a person put into a message. */
function isEmpty({ content, components, webhook_id }: Said): boolean {
  return content === '' && components.length === 0 && webhook_id === undefined;
}

const memberSchema = z.object({ nick: z.string().nullish() });
const bits = z.string().transform(BigInt);
const channelSchema = z.object({
  name: z.string(),
  guild_id: z.string(),
  permission_overwrites: z.array(z.object({ id: z.string(), allow: bits, deny: bits })).default([]),
  /** Only threads have it. */
  thread_metadata: z.unknown().optional(),
});
const rolesSchema = z.array(z.object({ id: z.string(), permissions: bits }));

async function readChannel(rest: DiscordRest, id: string) {
  return channelSchema.parse(await rest.once({ method: 'GET', path: Routes.channel(id) }));
}

/** Empty for threads, and if some members of the server can't see the channel. */
async function readPublicName(rest: DiscordRest, id: string): Promise<string> {
  const { name, guild_id, permission_overwrites, thread_metadata } = await readChannel(rest, id);
  if (thread_metadata !== undefined) return '';
  // The role of everyone has the id of the server.
  const isEveryone = (one: { readonly id: string }) => one.id === guild_id;
  const { allow = 0n, deny = 0n } = permission_overwrites.find(isEveryone) ?? {};
  const path = Routes.guildRoles(guild_id);
  const roles = rolesSchema.parse(await rest.once({ method: 'GET', path }));
  const permissions = ((roles.find(isEveryone)?.permissions ?? 0n) & ~deny) | allow;
  return (permissions & PermissionFlagsBits.ViewChannel) === 0n ? '' : name;
}

/** The hosts of attachments. Their URLs need no token and expire. */
const fileOrigins = ['https://cdn.discordapp.com', 'https://media.discordapp.net'];

/** As `Platform.openFile`. @param api - Absent: Discord's own. */
export function openAttachment(
  address: string,
  api: string | undefined,
  signal: AbortSignal,
): Promise<OpenedFile> {
  const origins = [...fileOrigins, originOf(api)];
  return openFile(address, { origins, whyElsewhere: 'Discord does not keep it' }, signal);
}

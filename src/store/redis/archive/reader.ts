/** Goes through everything on a server: workspace by workspace threads and spending, then claims and settings. */

import { z } from 'zod';
import type { Archive, ArchiveRecord, Portion, Standing } from '../../archive.ts';
import { parseRecord } from '../../records.ts';
import { type Clock, type Commands, pairsOf } from '../commands.ts';
import { claimsSlot, scopeOfKey, settingsPattern, threadOfKey, workspaceOfKey } from '../keys.ts';
import { readGroup, readPlacedMessage, readShard, readVector } from '../records.ts';
import { storeScripts } from '../scripts.ts';
import { settingsReader } from '../store-over.ts';
import type { Workspaces } from '../workspaces.ts';

const script = storeScripts('archive/read');
const scripts = {
  threads: script('threads'),
  spending: script('spending'),
  forgotten: script('forgotten'),
  claims: script('claims'),
} as const;

/** How much of the whole each part is taken for. */
const workspacesShare = 0.92;
const claimsShare = 0.95;

const workspace = z.object({
  workspace: z.string(),
  number: z.number(),
  before: z.number(),
  count: z.number(),
});
const cursorSchema = z.discriminatedUnion('at', [
  workspace.extend({
    at: z.literal('threads'),
    place: z.tuple([z.number(), z.string(), z.number(), z.number()]),
  }),
  workspace.extend({ at: z.literal('spending'), offset: z.number() }),
  z.object({ at: z.literal('claims'), offset: z.number() }),
  workspace.extend({ at: z.literal('forgotten') }),
  z.object({ at: z.literal('settings'), scan: z.string().exactOptional() }),
]);
type Cursor = z.infer<typeof cursorSchema>;
type At<Part extends Cursor['at']> = Extract<Cursor, { at: Part }>;

interface Found {
  readonly records: readonly ArchiveRecord[];
  readonly next?: Cursor;
  readonly share: Portion['share'];
}

const threads = z.tuple([
  z.array(z.array(z.unknown())),
  z.tuple([z.number(), z.string(), z.number(), z.number()]),
  z.number(),
]);
const spending = z.array(z.tuple([z.string(), z.array(z.string())]));
const claims = z.tuple([z.number(), z.array(z.tuple([z.string(), z.coerce.number()]))]);
const forgotten = z.array(z.string());

export function archiveReader(
  commands: Commands,
  workspaces: Workspaces,
  clock: Clock,
): Archive['read'] {
  const readSettings = settingsReader(commands, clock);

  /** The workspace behind a number; claims behind the last. */
  async function following(number: number): Promise<Cursor> {
    const next = await workspaces.next(number);
    if (next === undefined) return { at: 'claims', offset: 0 };
    return { at: 'threads', ...next, place: [0, 'turns', 0, 0] };
  }

  async function readThreads(cursor: At<'threads'>, limit: number): Promise<Found> {
    const values = [...cursor.place, limit].map(String);
    const reply = await commands.run(scripts.threads, cursor.workspace, values);
    const [items, place, count] = threads.parse(reply);
    const isLast = place[1] === 'end';
    const { place: _, ...here } = cursor;
    return {
      records: items.map(readThreadItem),
      next: isLast ? { ...here, at: 'spending', offset: 0 } : { ...here, at: 'threads', place },
      share: shareOf(cursor, isLast ? 1 : place[0] / count),
    };
  }

  async function readSpending(cursor: At<'spending'>, limit: number): Promise<Found> {
    const values = [cursor.offset, limit].map(String);
    const reply = spending.parse(await commands.run(scripts.spending, cursor.workspace, values));
    const { offset, ...here } = cursor;
    return {
      records: reply.flatMap(([scope, days]) =>
        pairsOf(days).map(([day, sum]) => ({
          kind: 'spending' as const,
          scope,
          day: Number(day),
          costUsd: Number(sum),
        })),
      ),
      next:
        reply.length === 0
          ? { ...here, at: 'forgotten' }
          : { ...cursor, offset: offset + reply.length },
      share: shareOf(cursor, 1),
    };
  }

  /** All at once: there are those of a day. */
  async function readForgotten(cursor: At<'forgotten'>): Promise<Found> {
    const values = [String(clock.now())];
    const reply = forgotten.parse(await commands.run(scripts.forgotten, cursor.workspace, values));
    const workspace = workspaceOfKey(cursor.workspace);
    return {
      records: pairsOf(reply).map(([eventId, expiresAt]) => ({
        ...({ kind: 'forgotten', workspace, eventId, expiresAt: Number(expiresAt) } as const),
      })),
      next: await following(cursor.number),
      share: shareOf(cursor, 1),
    };
  }

  async function readClaims(offset: number, limit: number): Promise<Found> {
    const values = [clock.now(), offset, limit].map(String);
    const reply = await commands.run(scripts.claims, claimsSlot, values);
    const [looked, found] = claims.parse(reply);
    return {
      records: found.map(([key, expiresAt]) => ({ kind: 'claim', key, expiresAt })),
      next: looked === 0 ? { at: 'settings' } : { at: 'claims', offset: offset + looked },
      share: claimsShare,
    };
  }

  async function readScopes(scan: string | undefined, limit: number): Promise<Found> {
    const { keys, next, share } = await commands.scan(scan, settingsPattern, limit);
    const scopes = new Set(keys.flatMap((key) => scopeOfKey(key) ?? []));
    const kept = (await readSettings([...scopes])).flat();
    return {
      records: kept.map((one) => ({ kind: 'setting', ...one })),
      ...(next !== undefined && { next: { at: 'settings', scan: next } }),
      share: claimsShare + (1 - claimsShare) * share,
    };
  }

  function readAt(cursor: Cursor, limit: number): Promise<Found> {
    switch (cursor.at) {
      case 'threads':
        return readThreads(cursor, limit);
      case 'spending':
        return readSpending(cursor, limit);
      case 'claims':
        return readClaims(cursor.offset, limit);
      case 'forgotten':
        return readForgotten(cursor);
      case 'settings':
        return readScopes(cursor.scan, limit);
    }
  }

  return async (cursor, limit) => {
    const from = cursor === undefined ? await following(0) : cursorSchema.parse(JSON.parse(cursor));
    const { records, next, share } = await readAt(from, limit);
    return { records, ...(next !== undefined && { next: JSON.stringify(next) }), share };
  };
}

/** @param part - How much of the workspace is read. */
function shareOf({ before, count }: z.infer<typeof workspace>, part: number): number {
  return (workspacesShare * (before + part)) / count;
}

const standing = z.tuple([z.coerce.number(), z.number(), z.number()]).nullable();
const text = z.string();
const textOrNone = z.string().nullable();
const turnItem = z.tuple([z.literal('turn'), text, z.number(), z.array(text)]);
const placedMessage = z.tuple([text, text, text]);
const messageItem = z.tuple([
  z.literal('message'),
  text,
  z.number(),
  placedMessage,
  textOrNone,
  standing,
  textOrNone,
]);
const shardItem = z.tuple([z.literal('shard'), z.array(text), standing, textOrNone]);
const item = z.union([turnItem, messageItem, shardItem]);

function readThreadItem(stored: unknown): ArchiveRecord {
  const read = parseRecord(item, stored, 'A record of a thread');
  switch (read[0]) {
    case 'turn': {
      const [, turnId, rank, fields] = read;
      const { messages: _, ...turn } = readGroup(turnId, fields);
      const event = fields.find((_, at) => at % 2 === 1 && fields[at - 1] === 'event');
      const eventId = parseRecord(text, event, `The event of turn ${turn.turnId}`);
      return { kind: 'turn', rank, turn: { ...turn, eventId } };
    }
    case 'message': {
      const [, thread, rank, placed, shardId, remembered, vector] = read;
      const { message } = readPlacedMessage(placed, threadOfKey(thread));
      return {
        kind: 'message',
        rank,
        message,
        isImported: !placed[1].startsWith('t'),
        ...(shardId !== null && { shardId }),
        ...rememberedAs(remembered, vector),
      };
    }
    case 'shard': {
      const [, shard, remembered, vector] = read;
      return { kind: 'shard', shard: readShard(shard), ...rememberedAs(remembered, vector) };
    }
  }
}

function rememberedAs(remembered: z.infer<typeof standing>, vector: string | null) {
  const [, model = '', base64 = ''] = /^(.*) (\S*)$/s.exec(vector ?? '') ?? [];
  return {
    ...(remembered !== null && { standing: standingOf(remembered) }),
    ...(vector !== null && { vector: readVector(model, base64) }),
  };
}

function standingOf([change, isOpen, isPrivate]: readonly [number, number, number]): Standing {
  return { change, isOpen: isOpen === 1, isChannelPrivate: isPrivate === 1 };
}

/** Goes through everything on a server: workspace by workspace threads and spending, then claims and settings. */

import { z } from 'zod';
import type { Archive, ArchiveRecord, Standing } from '../../archive.ts';
import { parseRecord } from '../../checks.ts';
import { type Clock, type Commands, pairsOf } from '../commands.ts';
import { claimsSlot, scopeOfKey, settingsPattern, threadOfKey, workspaceOfKey } from '../keys.ts';
import { readGroup, readPlacedMessage, readShard, readVector } from '../records.ts';
import { storeScripts } from '../scripts.ts';
import { settingsReader } from '../store-over.ts';
import type { ListedWorkspace, Workspaces } from '../workspaces.ts';

const script = storeScripts('archive/read');
const scripts = {
  threads: script('threads'),
  spending: script('spending'),
  forgotten: script('forgotten'),
  claims: script('claims'),
} as const;

/** How much of the whole workspaces are taken for. */
const workspacesShare = 0.95;

type Records = AsyncGenerator<readonly ArchiveRecord[]>;

const threads = z.tuple([
  z.array(z.array(z.unknown())),
  z.tuple([z.number(), z.string(), z.number(), z.number()]),
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

  async function* readThreads(workspace: string, limit: number): Records {
    let place: readonly (number | string)[] = [0, 'turns', 0, 0];
    while (place[1] !== 'end') {
      const values = [...place, limit].map(String);
      const reply = await commands.run(scripts.threads, workspace, values);
      const [items, next] = threads.parse(reply);
      yield items.map(readThreadItem);
      place = next;
    }
  }

  async function* readSpending(workspace: string, limit: number): Records {
    for (let offset = 0, found = limit; found === limit; offset += limit) {
      const values = [offset, limit].map(String);
      const reply = spending.parse(await commands.run(scripts.spending, workspace, values));
      yield reply.flatMap(([scope, days]) =>
        pairsOf(days).map(([day, sum]) => ({
          ...{ kind: 'spending' as const, scope, day: Number(day), costUsd: Number(sum) },
        })),
      );
      found = reply.length;
    }
  }

  /** All at once: there are those of a day. */
  async function* readForgotten(slot: string): Records {
    const reply = await commands.run(scripts.forgotten, slot, [String(clock.now())]);
    const workspace = workspaceOfKey(slot);
    yield pairsOf(forgotten.parse(reply)).map(([eventId, expiresAt]) => ({
      ...({ kind: 'forgotten', workspace, eventId, expiresAt: Number(expiresAt) } as const),
    }));
  }

  async function* readClaims(limit: number): Records {
    for (let offset = 0, found = limit; found === limit; offset += limit) {
      const values = [clock.now(), offset, limit].map(String);
      const reply = await commands.run(scripts.claims, claimsSlot, values);
      const [looked, lasting] = claims.parse(reply);
      yield lasting.map(([key, expiresAt]) => ({ kind: 'claim', key, expiresAt }));
      found = looked;
    }
  }

  async function* readAllSettings(limit: number): Records {
    for await (const keys of commands.scan(settingsPattern, limit)) {
      const scopes = new Set(keys.flatMap((key) => scopeOfKey(key) ?? []));
      const kept = (await readSettings([...scopes])).flat();
      yield kept.map((one) => ({ kind: 'setting', ...one }));
    }
  }

  return async function* read(limit) {
    const listed: ListedWorkspace[] = [];
    for await (const portion of workspaces.portions()) listed.push(...portion);
    for (const [at, { workspace }] of listed.entries()) {
      const share = (workspacesShare * at) / listed.length;
      for await (const records of readThreads(workspace, limit)) yield { records, share };
      for await (const records of readSpending(workspace, limit)) yield { records, share };
      for await (const records of readForgotten(workspace)) yield { records, share };
    }
    for await (const records of readClaims(limit)) yield { records, share: workspacesShare };
    for await (const records of readAllSettings(limit)) yield { records, share: workspacesShare };
    yield { records: [], share: 1 };
  };
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

/** Reads and writes a whole Redis store, for copying. */

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { parseRecord } from './checks.ts';
import { type Dump, type DumpRecord, type Remembered, rankCounter } from './copy.ts';
import { type Clock, type Commands, clockOf, pairsOf, storeScripts } from './redis/commands.ts';
import { type ConnectionOptions, connect } from './redis/connection.ts';
import {
  claimsSlot,
  scopeOfKey,
  settingsPattern,
  slotOfScope,
  slotOfThread,
  threadKey,
  threadOfKey,
  workspaceKey,
  workspaceOfKey,
} from './redis/keys.ts';
import {
  importedOwner,
  messageValues,
  readGroup,
  readPlacedMessage,
  readShard,
  readVector,
  shardText,
  stepValues,
  usageValues,
  vectorText,
} from './redis/records.ts';
import { storeOver } from './redis/store-over.ts';
import { settingsReader, type Workspaces, workspacesOf } from './redis/upkeep.ts';
import type { RetentionOptions } from './store.ts';
import { type RestOptions, rest } from './upstash.ts';

type Timed = Pick<RetentionOptions, 'now'>;

/** Throws like `openRedisStore`. */
export async function openRedisDump(options: ConnectionOptions & Timed): Promise<Dump> {
  return dumpOver(await connect(options), options);
}

/** Throws like `openUpstashStore`. */
export function openUpstashDump(options: RestOptions & Timed): Dump {
  return dumpOver(rest(options), options);
}

function dumpOver(commands: Commands, { now }: Timed): Dump {
  const clock = clockOf(now === undefined ? {} : { now });
  const workspaces = workspacesOf(commands, clock);
  return {
    store: storeOver(commands, clock),
    read: dumpReader(commands, workspaces, clock),
    write: dumpWriter(commands, workspaces, clock),
  };
}

const script = storeScripts('dump');
const claim = storeScripts('upkeep')('claim');
const writeSettings = storeScripts('upkeep')('write-settings');

type Records = AsyncGenerator<readonly DumpRecord[]>;

const threads = z.tuple([z.array(z.unknown()), z.array(z.number()).nullable()]);
const spending = z.array(z.tuple([z.string(), z.array(z.string())]));
const expiring = z.array(z.string());

/** Reads each workspace's threads, spending and forgotten events, then claims and settings. */
function dumpReader(commands: Commands, workspaces: Workspaces, clock: Clock): Dump['read'] {
  const readSettings = settingsReader(commands, clock);

  async function* readThreads(workspace: string, limit: number): Records {
    const rankIn = rankCounter();
    for (let cursor: readonly number[] | null = [0, 1, 0]; cursor !== null; ) {
      const values: readonly string[] = [...cursor, limit].map(String);
      const reply = await commands.run(script('read-threads'), workspace, values);
      const [items, next] = threads.parse(reply);
      yield items.map((stored) => readThreadItem(stored, rankIn));
      cursor = next;
    }
  }

  async function* readSpending(workspace: string, limit: number): Records {
    for (let offset = 0, found = limit; found === limit; offset += limit) {
      const values = [offset, limit].map(String);
      const reply = spending.parse(await commands.run(script('read-spending'), workspace, values));
      yield reply.flatMap(([scope, days]) =>
        pairsOf(days).map(([day, sum]) => ({
          kind: 'spending' as const,
          scope,
          day: Number(day),
          costUsd: Number(sum),
        })),
      );
      found = reply.length;
    }
  }

  /** Reads what has not expired yet of a set, in pages. */
  async function* readExpiring(
    slot: string,
    set: string,
    limit: number,
    recordOf: (name: string, expiresAt: number) => DumpRecord,
  ): Records {
    const now = clock.now();
    for (let offset = 0, found = limit; found === limit; offset += limit) {
      const values = [set, ...[now, offset, limit].map(String)];
      const reply = await commands.run(script('read-expiring'), slot, values);
      const page = pairsOf(expiring.parse(reply));
      yield page.map(([name, expiresAt]) => recordOf(name, Number(expiresAt)));
      found = page.length;
    }
  }

  async function* readWorkspace(slot: string, limit: number): Records {
    yield* readThreads(slot, limit);
    yield* readSpending(slot, limit);
    const workspace = workspaceOfKey(slot);
    yield* readExpiring(slot, 'forgotten', limit, (eventId, expiresAt) => ({
      kind: 'forgotten',
      workspace,
      eventId,
      expiresAt,
    }));
  }

  async function* readOthers(limit: number): Records {
    yield* readExpiring(claimsSlot, 'expiry', limit, (key, expiresAt) => ({
      kind: 'claim',
      key,
      expiresAt,
    }));
    const known = new Set<string>();
    for await (const keys of commands.scan(settingsPattern, limit)) {
      const listed = new Set(keys.flatMap((key) => scopeOfKey(key) ?? []));
      const scopes = [...listed].filter((scope) => !known.has(scope));
      for (const scope of scopes) known.add(scope);
      const kept = (await readSettings(scopes)).flat();
      yield kept.map((one) => ({ kind: 'setting', ...one }));
    }
  }

  return async function* read(limit) {
    const listed: string[] = [];
    for await (const page of workspaces.pages()) listed.push(...page);
    for (const [at, workspace] of listed.entries()) {
      const share = at / listed.length;
      for await (const records of readWorkspace(workspace, limit)) yield { records, share };
    }
    for await (const records of readOthers(limit)) yield { records, share: 1 };
  };
}

const memoryEntry = z.tuple([z.coerce.number(), z.number(), z.number()]).nullable();
const text = z.string();
const textOrNone = z.string().nullable();
const turnItem = z.tuple([z.literal('turn'), text, text, z.array(text)]);
const placedMessage = z.tuple([text, text, text]);
const messageItem = z.tuple([
  z.literal('message'),
  text,
  placedMessage,
  textOrNone,
  memoryEntry,
  textOrNone,
]);
const shardItem = z.tuple([z.literal('shard'), z.array(text), memoryEntry, textOrNone]);
const item = z.union([turnItem, messageItem, shardItem]);

function readThreadItem(stored: unknown, rankIn: (group: string) => number): DumpRecord {
  const read = parseRecord(item, stored, 'A record of a thread');
  switch (read[0]) {
    case 'turn': {
      const [, thread, turnId, fields] = read;
      const { messages: _, ...turn } = readGroup(turnId, fields);
      const event = new Map(pairsOf(fields)).get('event');
      const eventId = parseRecord(text, event, `The event of turn ${turnId}`);
      const rank = rankIn(`turns of ${thread}`);
      return { kind: 'turn', rank, turn: { ...turn, eventId } };
    }
    case 'message': {
      const [, thread, placed, shardId, entry, vector] = read;
      const rank = rankIn(`messages of ${thread}`);
      const { message } = readPlacedMessage(placed, threadOfKey(thread));
      return {
        kind: 'message',
        rank,
        message,
        isImported: !placed[1].startsWith('t'),
        ...(shardId !== null && { shardId }),
        ...readRemembered(entry, vector),
      };
    }
    case 'shard': {
      const [, shard, entry, vector] = read;
      return { kind: 'shard', shard: readShard(shard), ...readRemembered(entry, vector) };
    }
  }
}

function readRemembered(entry: z.infer<typeof memoryEntry>, vector: string | null): Remembered {
  const [change = 0, isOpen, isPrivate] = entry ?? [];
  const [, model = '', base64 = ''] = /^(.*) (\S*)$/s.exec(vector ?? '') ?? [];
  return {
    ...(entry !== null && {
      memory: { change, isOpen: isOpen === 1, isChannelPrivate: isPrivate === 1 },
    }),
    ...(vector !== null && { vector: readVector(model, base64) }),
  };
}

/** Runs one script per record, pipelined. */
function dumpWriter(commands: Commands, workspaces: Workspaces, clock: Clock): Dump['write'] {
  return async (records) => {
    const calls = records.map((record) => writingOf(record, clock.now()));
    // List workspaces first, so an interrupted copy's records can be found.
    const slots = new Set(calls.map(([, slot]) => slot).filter((slot) => slot !== claimsSlot));
    await Promise.all(Array.from(slots, (slot) => workspaces.enlist(slot)));
    await Promise.all(calls.map((call) => commands.run(...call)));
  };
}

/** The call that writes a record. */
function writingOf(record: DumpRecord, now: number): Parameters<Commands['run']> {
  switch (record.kind) {
    case 'turn': {
      const { turnId, threadId, eventId, steps, usage, ...turn } = record.turn;
      const values = [
        ...[turnId, eventId, `${turn.createdAt}`, JSON.stringify(turn.request)],
        ...[placeOf(record.rank), turn.status, `${turn.attempt}`],
        ...[turn.outcome ?? '', `${turn.endedAt ?? ''}`, threadKey(threadId), turn.askedBy ?? ''],
        ...[`${steps.length}`, ...stepValues(steps)],
        ...usageValues(usage),
      ];
      return [script('write-turn'), slotOfThread(threadId), values];
    }
    case 'message': {
      const { message, rank, isImported, shardId = '' } = record;
      const { threadId } = message;
      const [id, ...facts] = messageValues(message);
      const owner = isImported ? importedOwner(message) : `t${message.turnId}`;
      const values = [
        ...[randomUUID(), id, owner, ...facts, placeOf(rank), shardId],
        ...[...rememberedValues(record), threadKey(threadId)],
      ];
      return [script('write-message'), slotOfThread(threadId), values];
    }
    case 'shard': {
      const { id, threadId, agesFrom } = record.shard;
      const values = [
        ...[randomUUID(), id, `- ${shardText(record.shard)}`, `${agesFrom}`],
        ...[...rememberedValues(record), threadKey(threadId)],
      ];
      return [script('write-shard'), slotOfThread(threadId), values];
    }
    case 'setting': {
      const { scope, name, kind: _kind, ...setting } = record;
      const expires = `${setting.expiresAt ?? ''}`;
      const values = [scope, `${now}`, expires, '', '', name, JSON.stringify(setting)];
      return [writeSettings, slotOfScope(scope), values];
    }
    case 'claim':
      return [claim, claimsSlot, [`${now}`, randomUUID(), record.key, `${record.expiresAt}`]];
    case 'forgotten': {
      const { workspace, eventId, expiresAt } = record;
      const values = [eventId, `${expiresAt}`, `${expiresAt - now}`];
      return [script('write-forgotten'), workspaceKey(workspace), values];
    }
    case 'spending': {
      const { scope, day, costUsd } = record;
      return [script('write-spending'), slotOfScope(scope), [scope, `${day}`, `${costUsd}`]];
    }
  }
}

/** The number in a thread's order, with a fixed width. */
function placeOf(rank: number): string {
  return String(rank).padStart(15, '0');
}

/** Change, whether open, whether the channel is private, vector; absent values are empty. */
function rememberedValues({ memory, vector }: Remembered): readonly string[] {
  const flag = (is: boolean) => (is ? '1' : '0');
  const entry = memory
    ? [`${memory.change}`, flag(memory.isOpen), flag(memory.isChannelPrivate)]
    : ['', '', ''];
  return [...entry, vector === undefined ? '' : vectorText(vector)];
}

/** Reads and writes a whole Redis store, for copying. */

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { parseRecord } from './checks.ts';
import type { Dump, DumpRecord, Remembered } from './copy.ts';
import {
  type Clock,
  type Commands,
  clockOf,
  pairsOf,
  type RetentionOptions,
  type Script,
  storeScripts,
} from './redis/commands.ts';
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

/** The share of the progress to assign to workspaces. */
const workspacesShare = 0.95;

type Records = AsyncGenerator<readonly DumpRecord[]>;

const threads = z.tuple([
  z.array(z.array(z.unknown())),
  z.tuple([z.number(), z.string(), z.number(), z.number()]),
]);
const spending = z.array(z.tuple([z.string(), z.array(z.string())]));
const claims = z.tuple([z.number(), z.array(z.tuple([z.string(), z.coerce.number()]))]);
const forgotten = z.array(z.string());

/** Reads each workspace's threads, spending and forgotten events, then claims and settings. */
function dumpReader(commands: Commands, workspaces: Workspaces, clock: Clock): Dump['read'] {
  const readSettings = settingsReader(commands, clock);

  async function* readThreads(workspace: string, limit: number): Records {
    let cursor: readonly (number | string)[] = [0, 'turns', 0, 0];
    while (cursor[1] !== 'end') {
      const values = [...cursor, limit].map(String);
      const reply = await commands.run(script('read-threads'), workspace, values);
      const [items, next] = threads.parse(reply);
      yield items.map(readThreadItem);
      cursor = next;
    }
  }

  async function* readSpending(workspace: string, limit: number): Records {
    for (let offset = 0, found = limit; found === limit; offset += limit) {
      const values = [offset, limit].map(String);
      const reply = spending.parse(await commands.run(script('read-spending'), workspace, values));
      yield reply.flatMap(([scope, days]) =>
        pairsOf(days).map(([day, sum]) => ({
          ...{ kind: 'spending' as const, scope, day: Number(day), costUsd: Number(sum) },
        })),
      );
      found = reply.length;
    }
  }

  /** Reads all at once: they expire after a day. */
  async function* readForgotten(slot: string): Records {
    const reply = await commands.run(script('read-forgotten'), slot, [String(clock.now())]);
    const workspace = workspaceOfKey(slot);
    yield pairsOf(forgotten.parse(reply)).map(([eventId, expiresAt]) => ({
      ...({ kind: 'forgotten', workspace, eventId, expiresAt: Number(expiresAt) } as const),
    }));
  }

  async function* readClaims(limit: number): Records {
    for (let offset = 0, found = limit; found === limit; offset += limit) {
      const values = [clock.now(), offset, limit].map(String);
      const [checked, lasting] = claims.parse(
        await commands.run(script('read-claims'), claimsSlot, values),
      );
      yield lasting.map(([key, expiresAt]) => ({ kind: 'claim', key, expiresAt }));
      found = checked;
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
    const listed: string[] = [];
    for await (const page of workspaces.pages()) listed.push(...page);
    for (const [at, workspace] of listed.entries()) {
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

const memoryEntry = z.tuple([z.coerce.number(), z.number(), z.number()]).nullable();
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
  memoryEntry,
  textOrNone,
]);
const shardItem = z.tuple([z.literal('shard'), z.array(text), memoryEntry, textOrNone]);
const item = z.union([turnItem, messageItem, shardItem]);

function readThreadItem(stored: unknown): DumpRecord {
  const read = parseRecord(item, stored, 'A record of a thread');
  switch (read[0]) {
    case 'turn': {
      const [, turnId, rank, fields] = read;
      const { messages: _, ...turn } = readGroup(turnId, fields);
      const event = new Map(pairsOf(fields)).get('event');
      const eventId = parseRecord(text, event, `The event of turn ${turnId}`);
      return { kind: 'turn', rank, turn: { ...turn, eventId } };
    }
    case 'message': {
      const [, thread, rank, placed, shardId, entry, vector] = read;
      const { message } = readPlacedMessage(placed, threadOfKey(thread));
      return {
        ...{ kind: 'message', rank, message, isImported: !placed[1].startsWith('t') },
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
    const slots = new Set(calls.flatMap(({ slot, isFoundByKey }) => (isFoundByKey ? [] : [slot])));
    await Promise.all(Array.from(slots, (slot) => workspaces.enlist(slot)));
    await Promise.all(calls.map(({ script, slot, values }) => commands.run(script, slot, values)));
  };
}

/** The call that writes a record. */
interface Writing {
  readonly script: Script;
  readonly slot: string;
  readonly values: readonly string[];
  /** Readers find it without the list of workspaces. */
  readonly isFoundByKey?: true;
}

function writingOf(record: DumpRecord, now: number): Writing {
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
      return { script: script('write-turn'), slot: slotOfThread(threadId), values };
    }
    case 'message': {
      const { message, rank, isImported, shardId = '' } = record;
      const { threadId, turnId } = message;
      const imported = turnId === undefined ? 'i' : `x${turnId}`;
      const owner = isImported ? imported : `t${turnId}`;
      const [id, ...facts] = messageValues(message);
      const values = [
        ...[randomUUID(), id, owner, ...facts, placeOf(rank), shardId],
        ...[...rememberedValues(record), threadKey(threadId)],
      ];
      return { script: script('write-message'), slot: slotOfThread(threadId), values };
    }
    case 'shard': {
      const { id, threadId, agesFrom } = record.shard;
      const values = [
        ...[randomUUID(), id, `- ${shardText(record.shard)}`, `${agesFrom}`],
        ...[...rememberedValues(record), threadKey(threadId)],
      ];
      return { script: script('write-shard'), slot: slotOfThread(threadId), values };
    }
    case 'setting': {
      const { scope, name, setting, expiresAt } = record;
      const values = [scope, `${now}`, name, JSON.stringify({ ...setting, expiresAt })];
      const slot = slotOfScope(scope);
      return { script: writeSettings, slot, values, isFoundByKey: true };
    }
    case 'claim': {
      const values = [`${now}`, randomUUID(), record.key, `${record.expiresAt}`];
      return { script: claim, slot: claimsSlot, values, isFoundByKey: true };
    }
    case 'forgotten': {
      const { workspace, eventId, expiresAt } = record;
      const values = [eventId, `${expiresAt}`, `${expiresAt - now}`];
      return { script: script('write-forgotten'), slot: workspaceKey(workspace), values };
    }
    case 'spending': {
      const { scope, day, costUsd } = record;
      const values = [scope, `${day}`, `${costUsd}`];
      return { script: script('write-spending'), slot: slotOfScope(scope), values };
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

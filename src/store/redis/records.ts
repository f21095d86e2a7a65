/** Converts records to and from their form in Redis. */

import { z } from 'zod';
import { parseRecord, readJson, readJsonObject } from '../checks.ts';
import { shardSchema } from '../memory-store.ts';
import type {
  MemoryKey,
  Message,
  RememberedMessage,
  Shard,
  Step,
  StoredVector,
  TurnHeader,
  TurnRecord,
  UsageEvent,
} from '../store.ts';
import { messageSchema, turnHeaderSchema, usageSchema } from '../turn-store.ts';
import { pairsOf } from './commands.ts';
import { threadOfKey } from './keys.ts';

const storedMessage = z.tuple([z.string(), z.string(), z.string()]);

const stepKey = z.tuple([z.string(), z.string()]);

/** Fields of a turn group. */
type TurnFields = Readonly<Record<string, string | null | undefined>>;

/** A message as the scripts take it: id, role with status and privacy, time, and the rest as JSON. */
export function messageValues(message: Message): readonly [string, string, string, string] {
  const {
    id,
    role,
    status,
    createdAt,
    threadId: _thread,
    turnId: _turn,
    isPrivate,
    ...body
  } = message;
  const roleAndStatus = `${role === 'human' ? 'h' : 'a'}${status === 'pending' ? 'p' : 'c'}${privacyOf(isPrivate)}`;
  return [id, roleAndStatus, String(createdAt), JSON.stringify(body)];
}

/** A letter for the privacy: `o` open to the workspace, `x` private, empty if unknown. */
export function privacyOf(isPrivate: boolean | undefined): string {
  if (isPrivate === undefined) return '';
  return isPrivate ? 'x' : 'o';
}

/** The kind and turn of an imported message, as the scripts take them. */
export function importedOwner({ turnId }: Message): string {
  return turnId === undefined ? 'i' : `x${turnId}`;
}

/** A message and its number in the order of storing. */
interface PlacedMessage {
  readonly message: Message;
  readonly position: number;
}

/** @param stored - Id, kind and turn, value, as the scripts return a message. */
export function readPlacedMessage(stored: unknown, threadId: string): PlacedMessage {
  const [id, owner, value] = parseRecord(storedMessage, stored, `A message of thread ${threadId}`);
  const record = `Message ${id} of thread ${threadId}`;
  const [, role, status, privacy, created, position, json] =
    /^([ha])([pc])([ox]?) (\S+) (\d+) (.*)$/s.exec(value) ?? [];
  const fields = {
    ...readJsonObject(json, record),
    id,
    threadId,
    ...(owner !== 'i' && { turnId: owner.slice(1) }),
    role: role === 'h' ? 'human' : 'ai',
    status: status === 'p' ? 'pending' : 'complete',
    createdAt: Number(created),
    ...(privacy && { isPrivate: privacy === 'x' }),
  };
  return { message: parseRecord(messageSchema, fields, record), position: Number(position) };
}

/** Sorts messages in the thread's order. */
export function inOrder(messages: readonly PlacedMessage[]): readonly Message[] {
  return messages
    .toSorted(
      (one, other) =>
        one.message.createdAt - other.message.createdAt || one.position - other.position,
    )
    .map(({ message }) => message);
}

/** @param fields - As the scripts name them; absent ones may be `null`. */
export function readTurnHeader(
  turnId: string,
  { thread, status, attempt, created, outcome, ended, asked_by }: TurnFields,
): TurnHeader {
  const header = {
    turnId,
    threadId: thread && threadOfKey(thread),
    status,
    attempt: Number(attempt),
    ...(typeof outcome === 'string' && { outcome }),
    ...(typeof asked_by === 'string' && { askedBy: asked_by }),
    createdAt: Number(created),
    ...(typeof ended === 'string' && { endedAt: Number(ended) }),
  };
  return parseRecord(turnHeaderSchema, header, `Turn ${turnId}`);
}

/** The name of a step's field. It begins with the kind, by which a script finds the verdict. */
function stepField({ kind, key }: Pick<Step, 'kind' | 'key'>): string {
  return `s:${JSON.stringify([kind, key])}`;
}

/** The prefix of the fields of a kind's steps. */
export function stepsOfKind(kind: string): string {
  return stepField({ kind, key: '' }).slice(0, -'""]'.length);
}

/** Field and JSON of each step, as the scripts take them. */
export function stepValues(steps: readonly Step[]): readonly string[] {
  return steps.flatMap((one) => [stepField(one), JSON.stringify(one.data)]);
}

/** Field and JSON of each model call, without the turn and thread of the group. */
export function usageValues(usage: readonly UsageEvent[]): readonly string[] {
  return usage.flatMap(({ turnId: _turn, threadId: _thread, ...body }) => [
    ...[`u:${body.id}`, JSON.stringify(body)],
  ]);
}

/** @param flat - Alternating names and values of all fields. */
export function readGroup(turnId: string, flat: readonly string[]): TurnRecord {
  const fields = new Map(pairsOf(flat));
  const header = readTurnHeader(turnId, Object.fromEntries(fields));
  const { threadId } = header;
  const named = (prefix: string) => [...fields].filter(([name]) => name.startsWith(prefix));
  return {
    ...header,
    request: readJsonObject(fields.get('request'), `The request of turn ${turnId}`),
    messages: inOrder(
      named('m:').map(([name, value]) =>
        readPlacedMessage([name.slice(2), `t${turnId}`, value], threadId),
      ),
    ),
    steps: stepsIn(named('s:'), turnId),
    usage: asStored(named('u:')).map(([, json]) => readUsage(json, header)),
  };
}

/** @param flat - Alternating names and values of step fields. */
export function readSteps(flat: readonly string[], turnId: string): readonly Step[] {
  return stepsIn(pairsOf(flat), turnId);
}

function stepsIn(fields: readonly (readonly [string, string])[], turnId: string): readonly Step[] {
  return asStored(fields).map(([name, json]) => {
    const field = readJson(name.slice(2), `A step of turn ${turnId}`);
    const [kind, key] = parseRecord(stepKey, field, `A step of turn ${turnId}`);
    return { kind, key, data: readJsonObject(json, `Step ${kind} ${key} of turn ${turnId}`) };
  });
}

function readUsage(json: string, { turnId, threadId }: TurnHeader): UsageEvent {
  const record = `The usage of turn ${turnId}`;
  const body = parseRecord(usageSchema, readJson(json, record), record);
  return { turnId, threadId, ...body };
}

/** Sorts fields in the order they were first stored, by the number at the start of their values. */
function asStored(
  fields: readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] {
  return fields
    .map(([name, value]) => {
      const end = value.indexOf(' ');
      return { name, order: Number(value.slice(0, end)), json: value.slice(end + 1) };
    })
    .toSorted((one, other) => one.order - other.order)
    .map(({ name, json }) => [name, json] as const);
}

const storedRemembered = z.tuple([
  z.string(),
  z.unknown(),
  z.coerce.number(),
  z.string().nullable(),
  z.string().nullable(),
]);
const storedShard = z.tuple([z.string(), z.string(), z.string()]);

/** @param stored - Thread key, message, the time it ages from, shard, verdict, as the script returns them. */
export function readRemembered(stored: unknown): RememberedMessage {
  const [thread, message, agesFrom, shardId, verdict] = parseRecord(
    storedRemembered,
    stored,
    'A remembered message',
  );
  return {
    ...readPlacedMessage(message, threadOfKey(thread)),
    agesFrom,
    ...(shardId !== null && { shardId }),
    ...(verdict !== null && { verdict: readJsonObject(verdict, 'A remembered verdict') }),
  };
}

/** A shard's JSON, without the id and thread, which are in the names of the key and the field. */
export function shardText({ id: _id, threadId: _thread, supersededAt: _, ...body }: Shard): string {
  return JSON.stringify(body);
}

/** @param stored - Thread key, id, value, as the script returns them. */
export function readShard(stored: unknown): Shard {
  const [thread, id, value] = parseRecord(storedShard, stored, 'A shard');
  const threadId = threadOfKey(thread);
  const record = `Shard ${id} of thread ${threadId}`;
  const [, supersededAt, json] = /^(\S+) (.*)$/s.exec(value) ?? [];
  const fields = {
    ...readJsonObject(json, record),
    id,
    threadId,
    ...(supersededAt !== '-' && { supersededAt: Number(supersededAt) }),
  };
  return parseRecord(shardSchema, fields, record);
}

/** The name of a vector's field. */
export function vectorField({ kind, id }: MemoryKey): string {
  return `${kind === 'message' ? 'm' : 's'}:${id}`;
}

/** Encodes a vector as text, because HTTP doesn't carry bytes. */
export function vectorText({ model, values }: StoredVector): string {
  return `${model} ${Buffer.from(values.buffer, values.byteOffset, values.length).toString('base64')}`;
}

export function readVector(model: string, base64: string): StoredVector {
  const values = Int8Array.from(Buffer.from(base64, 'base64'));
  return { model, dimensions: values.length, values };
}

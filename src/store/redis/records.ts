/** How records look in Redis, and what is read back of them. */

import { z } from 'zod';
import type { Json, Message, Step, TurnHeader, TurnRecord, UsageEvent } from '../store.ts';
import { contentOf, parseRecord, readJson, readJsonObject } from '../stored-json.ts';
import { threadOfKey } from './keys.ts';

const messageBody = z.object({
  type: z.enum(['user_query', 'sage_output']),
  sage: z.string().exactOptional(),
  author: z.string().exactOptional(),
  content: z.custom<Json>((value) => value !== undefined).transform(contentOf),
  parentId: z.string().exactOptional(),
  platformMessageId: z.string().exactOptional(),
});

const usageBody = z.object({
  id: z.string(),
  user: z.string(),
  sageName: z.string().exactOptional(),
  stage: z.string(),
  model: z.string(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  reasoningTokens: z.number(),
  costUsd: z.number().exactOptional(),
  estimated: z.boolean(),
  outcome: z.string(),
  latencyMs: z.number(),
  createdAt: z.number(),
});

const storedMessage = z.tuple([z.string(), z.string(), z.string()]);

const stepPlace = z.tuple([z.string(), z.string()]);

const headerFields = z.object({
  thread: z.string(),
  status: z.enum(['queued', 'running', 'ended']),
  attempt: z.coerce.number(),
  created: z.coerce.number(),
  outcome: z.string().nullish(),
  asked_by: z.string().nullish(),
  ended: z.coerce.number().nullish(),
});

/** What the scripts are given of a message: its id, role with status and privacy, time, and the rest as JSON. */
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

/** By a letter: `o` open to the workspace, `x` private, nothing where nobody knows. */
export function privacyOf(isPrivate: boolean | undefined): string {
  if (isPrivate === undefined) return '';
  return isPrivate ? 'x' : 'o';
}

/** A message, and its number in the order in which the thread's messages were stored. */
interface PlacedMessage {
  readonly message: Message;
  readonly place: number;
}

/** @param stored - Id, kind and turn, value, as the scripts give a message. */
export function readPlacedMessage(stored: unknown, threadId: string): PlacedMessage {
  const [id, owner, value] = parseRecord(storedMessage, stored, `A message of thread ${threadId}`);
  const record = `Message ${id} of thread ${threadId}`;
  const [, role, status, privacy, created, place, json] =
    /^([ha])([pc])([ox]?) (\S+) (\d+) (.*)$/s.exec(value) ?? [];
  const { type, sage, author, content, ...links } = parseRecord(
    messageBody,
    readJson(json, record),
    record,
  );
  const message: Message = {
    id,
    threadId,
    ...(owner !== 'i' && { turnId: owner.slice(1) }),
    role: role === 'h' ? 'human' : 'ai',
    type,
    status: status === 'p' ? 'pending' : 'complete',
    ...(sage !== undefined && { sage }),
    ...(author !== undefined && { author }),
    content,
    createdAt: Number(created),
    ...(privacy && { isPrivate: privacy === 'x' }),
    ...links,
  };
  return { message, place: Number(place) };
}

/** Messages in the order of their thread. */
export function inOrder(messages: readonly PlacedMessage[]): readonly Message[] {
  return messages
    .toSorted(
      (one, other) => one.message.createdAt - other.message.createdAt || one.place - other.place,
    )
    .map(({ message }) => message);
}

/** @param fields - Thread key, status, attempt, time of making, outcome, time of ending, who asked. */
export function readTurnHeader(turnId: string, fields: unknown): TurnHeader {
  const header = parseRecord(headerFields, fields, `Turn ${turnId}`);
  return {
    turnId,
    threadId: threadOfKey(header.thread),
    status: header.status,
    attempt: header.attempt,
    ...(typeof header.outcome === 'string' && { outcome: header.outcome }),
    ...(typeof header.asked_by === 'string' && { askedBy: header.asked_by }),
    createdAt: header.created,
    ...(typeof header.ended === 'number' && { endedAt: header.ended }),
  };
}

/** The name of a step's field; its JSON begins with the kind, by which a script finds the verdict. */
export function stepField({ kind, key }: Step): string {
  return `s:${JSON.stringify([kind, key])}`;
}

export function usageField({ id }: UsageEvent): string {
  return `u:${id}`;
}

/** What is kept of a model call; its turn is that of the group. */
export function usageText({ turnId: _turn, threadId: _thread, ...body }: UsageEvent): string {
  return JSON.stringify(body);
}

/** @param flat - Names and values of all fields, in turn. */
export function readGroup(turnId: string, flat: readonly string[]): TurnRecord {
  const fields = new Map<string, string>();
  for (let at = 0; at < flat.length; at += 2) fields.set(flat[at] ?? '', flat[at + 1] ?? '');
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
    steps: asStored(named('s:')).map(([name, json]) => readStep(name, json, turnId)),
    usage: asStored(named('u:')).map(([, json]) => readUsage(json, header)),
  };
}

function readStep(name: string, json: string, turnId: string): Step {
  const place = readJson(name.slice(2), `A step of turn ${turnId}`);
  const [kind, key] = parseRecord(stepPlace, place, `A step of turn ${turnId}`);
  return { kind, key, data: readJsonObject(json, `Step ${kind} ${key} of turn ${turnId}`) };
}

function readUsage(json: string, { turnId, threadId }: TurnHeader): UsageEvent {
  const record = `The usage of turn ${turnId}`;
  const { id, ...body } = parseRecord(usageBody, readJson(json, record), record);
  return { id, turnId, threadId, ...body };
}

/** Fields in the order in which each was first stored: the number that their values begin with. */
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

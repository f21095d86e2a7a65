import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { assertLimit } from '../limits.ts';
import { assertOwnMessage, assertOwnUsage, takenId } from '../ownership.ts';
import {
  type Checkpoint,
  type NewTurn,
  SupersededError,
  type TurnHeader,
  type TurnStore,
} from '../store.ts';
import { type Clock, utcDay } from './clock.ts';
import type { Commands } from './commands.ts';
import { groupFinder } from './group-finder.ts';
import {
  eventKey,
  groupKey,
  spendingKey,
  spentKey,
  threadKey,
  threadsKey,
  turnKey,
  turnOfGroup,
  unfinishedKey,
} from './keys.ts';
import {
  messageValues,
  readGroup,
  readTurnHeader,
  stepField,
  usageField,
  usageText,
} from './records.ts';
import { scripts } from './scripts.ts';

const mostListed = 100;

const begun = z.union([
  z.tuple([z.enum(['begun', 'known']), z.string()]),
  z.tuple([z.enum(['forgotten', 'turn is taken', 'message is taken'])]),
]);
const written = z.union([z.enum(['written', 'superseded']), z.tuple([z.string()])]);
const remarked = z.enum(['written', 'absent']);
const fields = z.array(z.string()).nullable();
const text = z.string().nullable();
const headers = z.array(z.tuple([z.string(), text, text, text, text, text, text]));

/** The turns of a server. Every verb that writes is one script. */
export function redisTurnStore(commands: Commands, clock: Clock): TurnStore {
  const groups = groupFinder(commands);

  async function begin(turn: NewTurn) {
    const { turnId, threadId, eventId, question } = turn;
    assertOwnMessage(turn, question);
    const [id, roleAndStatus, asked, json] = messageValues(question);
    const reply = begun.parse(
      await commands.run(
        scripts.begin,
        [threadKey(threadId), eventKey(eventId), turnKey(turnId), unfinishedKey, threadsKey],
        [
          ...[clock.keptSince(), randomUUID(), turnId, eventId, String(turn.createdAt)],
          ...[JSON.stringify(turn.request), id, roleAndStatus, asked, json, turn.askedBy ?? ''],
        ],
      ),
    );
    const [outcome, group] = reply;
    if (outcome === 'forgotten') return { turnId, isNew: false };
    if (outcome === 'message is taken') throw takenId(question);
    if (group === undefined) {
      throw new RangeError(`Turn id ${turnId} is taken. Give every turn an id of its own.`);
    }
    const found = turnOfGroup(group);
    groups.remember(found.turnId, group);
    return { turnId: found.turnId, isNew: outcome === 'begun' };
  }

  async function checkpoint(step: Checkpoint): Promise<void> {
    const group = await groups.find(step.turnId);
    if (group === undefined) throw new SupersededError(step.turnId);
    const owner = turnOfGroup(group);
    for (const message of step.messages ?? []) assertOwnMessage(owner, message);
    for (const event of step.usage ?? []) assertOwnUsage(owner, event);
    const scopes = [...new Set(step.spendScopes ?? [])];
    const reply = written.parse(
      await commands.run(
        scripts.checkpoint,
        [group, unfinishedKey, spendingKey, ...scopes.map(spentKey)],
        [clock.keptSince(), randomUUID(), ...checkpointValues(step), ...scopes],
      ),
    );
    if (reply === 'superseded') throw new SupersededError(step.turnId);
    if (reply === 'written') return;
    const [taken] = reply;
    throw takenId({ id: taken, threadId: owner.threadId });
  }

  return {
    begin: async (turn) => begin(turn),
    take: async (turnId) => {
      const group = await groups.find(turnId);
      if (group === undefined) return undefined;
      const values = [clock.keptSince(), randomUUID()];
      const taken = fields.parse(await commands.run(scripts.take, [group], values));
      return taken === null ? undefined : readGroup(group, taken);
    },
    checkpoint: async (step) => checkpoint(step),
    remark: async (turnId, step) => {
      const group = await groups.find(turnId);
      if (group === undefined) return false;
      const values = [clock.keptSince(), stepField(step), JSON.stringify(step.data)];
      return remarked.parse(await commands.run(scripts.remark, [group], values)) === 'written';
    },
    read: async (turn) => {
      const group = await (typeof turn === 'string'
        ? groups.find(turn)
        : groups.findByEvent(turn.eventId));
      if (group === undefined) return undefined;
      const found = fields.parse(
        await commands.run(scripts.readGroup, [group], [clock.keptSince()]),
      );
      return found === null ? undefined : readGroup(group, found);
    },
    list: async (threadId, { limit, before = Number.MAX_SAFE_INTEGER }) => {
      assertLimit(limit, mostListed);
      const values = [clock.keptSince(), String(before), String(limit)];
      return readHeaders(await commands.run(scripts.listTurns, [threadKey(threadId)], values));
    },
    unfinished: async (limit) => {
      assertLimit(limit, Number.MAX_SAFE_INTEGER);
      const values = [clock.keptSince(), String(limit)];
      const found = readHeaders(await commands.run(scripts.unfinished, [unfinishedKey], values));
      for (const { threadId, turnId } of found) {
        groups.remember(turnId, groupKey(threadId, turnId));
      }
      return found;
    },
  };
}

/** From the attempt on, as the script reads them: lists come after their length. */
function checkpointValues(step: Checkpoint): readonly string[] {
  const { messages = [], steps = [], usage = [], end } = step;
  return [
    ...[String(step.attempt), end?.outcome ?? '', end === undefined ? '' : String(end.endedAt)],
    ...[String(messages.length), ...messages.flatMap(messageValues)],
    ...[
      String(steps.length),
      ...steps.flatMap((one) => [stepField(one), JSON.stringify(one.data)]),
    ],
    String(usage.length),
    ...usage.flatMap((event) => [
      usageField(event),
      usageText(event),
      String(utcDay(event.createdAt)),
      event.costUsd === undefined ? '' : String(event.costUsd),
    ]),
  ];
}

function readHeaders(reply: unknown): readonly TurnHeader[] {
  return headers
    .parse(reply)
    .map(([group, status, attempt, created, outcome, ended, asked_by]) =>
      readTurnHeader(group, { status, attempt, created, outcome, ended, asked_by }),
    );
}

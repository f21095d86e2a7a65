import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  assertOwnCheckpoint,
  assertOwnMessage,
  mostAnswers,
  readJsonObject,
  takenId,
} from '../checks.ts';
import {
  type Checkpoint,
  type Interaction,
  type Message,
  type MessageStore,
  type NewTurn,
  SupersededError,
  type TurnHeader,
  type TurnStore,
} from '../store.ts';
import { type Clock, type Commands, storeScripts } from './commands.ts';
import { slotOfThread, threadKey, threadOfKey, threadsOfPlace } from './keys.ts';
import {
  importedOwner,
  inOrder,
  messageValues,
  readGroup,
  readPlacedMessage,
  readSteps,
  readTurnHeader,
  stepsOfKind,
  stepValues,
  usageValues,
} from './records.ts';
import type { Workspaces } from './upkeep.ts';

const script = storeScripts('turns');

const begun = z.union([
  z.tuple([z.enum(['begun', 'known']), z.string()]).rest(z.string()),
  z.tuple([z.enum(['forgotten', 'turn is taken', 'message is taken'])]),
]);
const written = z.union([z.enum(['written', 'superseded']), z.tuple([z.string()])]);
const remarked = z.enum(['written', 'absent']);
const group = z.tuple([z.string(), z.array(z.string())]).nullable();
const text = z.string().nullable();
const stepPage = z.tuple([
  text,
  z.number(),
  z.array(z.tuple([z.string(), z.string(), z.string(), z.array(z.string())])),
]);
const headers = z.array(z.tuple([z.string(), z.string(), text, text, text, text, text, text]));

/** How many threads one script looks through for steps. */
const threadsAtOnce = 500;

/** Every method is one script, except `unfinished`, which queries all workspaces. */
export function redisTurnStore(
  commands: Commands,
  workspaces: Workspaces,
  clock: Clock,
): TurnStore {
  async function begin(turn: NewTurn) {
    const { turnId, threadId, eventId, question } = turn;
    assertOwnMessage(turn, question);
    const [id, roleAndStatus, asked, json] = messageValues(question);
    const reply = begun.parse(
      await workspaces.store(script('begin'), slotOfThread(threadId), [
        ...[clock.retention(), randomUUID(), threadKey(threadId), turnId, eventId],
        ...[String(turn.createdAt), JSON.stringify(turn.request), id, roleAndStatus, asked, json],
        turn.askedBy ?? '',
        ...stepValues(turn.steps ?? []),
      ]),
    );
    const [outcome, found, ...earlier] = reply;
    if (outcome === 'forgotten') return { turnId, isNew: false, earlier };
    if (outcome === 'message is taken') throw takenId(question);
    if (found === undefined) {
      throw new RangeError(`Turn id ${turnId} is taken. Give every turn an id of its own.`);
    }
    return { turnId: found, isNew: outcome === 'begun', earlier };
  }

  async function checkpoint(step: Checkpoint): Promise<void> {
    const { turnId, threadId } = step;
    assertOwnCheckpoint(step);
    const reply = written.parse(
      await commands.run(script('checkpoint'), slotOfThread(threadId), [
        ...[threadKey(threadId), turnId, clock.retention(), randomUUID()],
        ...checkpointValues(step),
      ]),
    );
    if (reply === 'superseded') throw new SupersededError(turnId);
    if (reply === 'written') return;
    const [taken] = reply;
    throw takenId({ id: taken, threadId });
  }

  async function unfinishedIn(workspace: string, limit: number): Promise<readonly TurnHeader[]> {
    const values = [clock.retention(), String(limit)];
    return readHeaders(await commands.run(script('unfinished'), workspace, values));
  }

  return {
    begin: async (turn) => begin(turn),
    take: async ({ turnId, threadId }) => {
      const values = [clock.retention(), randomUUID(), turnId];
      const taken = group.parse(await commands.run(script('take'), slotOfThread(threadId), values));
      return taken === null ? undefined : readGroup(...taken);
    },
    checkpoint: async (step) => checkpoint(step),
    remark: async ({ turnId, threadId }, step) => {
      const values = [clock.retention(), turnId, ...stepValues([step])];
      const reply = await commands.run(script('remark'), slotOfThread(threadId), values);
      return remarked.parse(reply) === 'written';
    },
    read: async (turn) => {
      const named = 'turnId' in turn ? ['turn', turn.turnId] : ['event', turn.eventId];
      const values = [clock.retention(), ...named];
      const reply = await commands.run(script('read'), slotOfThread(turn.threadId), values);
      const found = group.parse(reply);
      return found === null ? undefined : readGroup(...found);
    },
    list: async (threadId, { limit, before = Number.MAX_SAFE_INTEGER }) => {
      const values = [threadKey(threadId), clock.retention(), String(before), String(limit)];
      return readHeaders(await commands.run(script('list'), slotOfThread(threadId), values));
    },
    steps: async (place, { kinds, since, limit, after }) => {
      const { slot, first, last } = threadsOfPlace(place);
      const [, seen = '0', from = first] = /^(\d+) (.*)$/s.exec(after ?? '') ?? [];
      const bounds = [since, limit, threadsAtOnce].map(String);
      const values = [clock.retention(), from, last, seen, ...bounds, ...kinds.map(stepsOfKind)];
      const reply = await commands.run(script('steps'), slot, values);
      const [next, checked, found] = stepPage.parse(reply);
      return {
        turns: found.map(([turnId, thread, created, fields]) => ({
          turnId,
          threadId: threadOfKey(thread),
          createdAt: Number(created),
          steps: readSteps(fields, turnId),
        })),
        ...(next !== null && { next: `${checked} ${next}` }),
      };
    },
    unfinished: async (limit) => {
      let oldest: readonly TurnHeader[] = [];
      for await (const page of workspaces.pages()) {
        const found = await Promise.all(page.map((workspace) => unfinishedIn(workspace, limit)));
        oldest = [...oldest, ...found.flat()]
          .toSorted((one, other) => one.createdAt - other.createdAt)
          .slice(0, limit);
      }
      return oldest;
    },
  };
}

/** The script's arguments from the attempt on; each list follows its length. */
function checkpointValues(step: Checkpoint): readonly string[] {
  const { messages = [], steps = [], usage = [], end } = step;
  return [
    ...[String(step.attempt), end?.outcome ?? '', end === undefined ? '' : String(end.endedAt)],
    ...[String(messages.length), ...messages.flatMap(messageValues)],
    ...[String(steps.length), ...stepValues(steps)],
    ...[String(usage.length), ...usageValues(usage)],
  ];
}

function readHeaders(reply: unknown): readonly TurnHeader[] {
  return headers
    .parse(reply)
    .map(([turnId, thread, status, attempt, created, outcome, ended, asked_by]) =>
      readTurnHeader(turnId, { thread, status, attempt, created, outcome, ended, asked_by }),
    );
}

const messageScript = storeScripts('messages');

const page = z.array(z.unknown());
const threads = z.tuple([z.string().nullable(), z.array(z.string())]);
const interactions = z.array(z.tuple([z.unknown(), z.string().nullable(), z.array(z.unknown())]));

/** Every method is one script; `append` runs one per thread. */
export function redisMessageStore(
  commands: Commands,
  workspaces: Workspaces,
  clock: Clock,
): MessageStore {
  return {
    append: async (messages) => {
      const byThread = Map.groupBy(messages, ({ threadId }) => threadId);
      await Promise.all(
        [...byThread].map(([threadId, own]) =>
          workspaces.store(messageScript('append'), slotOfThread(threadId), [
            ...[threadKey(threadId), randomUUID(), ...own.flatMap(appended)],
          ]),
        ),
      );
    },
    recent: async (threadId, { limit, exceptTurnId, before = Number.MAX_SAFE_INTEGER }) => {
      const excepted = exceptTurnId === undefined ? ['0', ''] : ['1', exceptTurnId];
      const values = [threadKey(threadId), clock.retention(), `${limit}`, `${mostAnswers}`];
      const reply = await commands.run(messageScript('recent'), slotOfThread(threadId), [
        ...[...values, ...excepted, `${before}`],
      ]);
      return interactions
        .parse(reply)
        .map(([question, verdict, others]) => interaction(threadId, question, verdict, others))
        .reverse();
    },
    page: async (threadId, { limit, before = Number.MAX_SAFE_INTEGER }) => {
      const values = [threadKey(threadId), clock.retention(), String(before), String(limit)];
      const reply = await commands.run(messageScript('page'), slotOfThread(threadId), values);
      return page.parse(reply).map((stored) => readPlacedMessage(stored, threadId).message);
    },
    threads: async (place, { limit, after }) => {
      const { slot, first, last } = threadsOfPlace(place);
      const from = after === undefined ? first : `(${after}`;
      const values = [clock.retention(), from, last, String(limit)];
      const [next, found] = threads.parse(
        await commands.run(messageScript('threads'), slot, values),
      );
      return { threadIds: found.map(threadOfKey), ...(next !== null && { next }) };
    },
  };
}

function appended(message: Message): readonly string[] {
  const [id, roleAndStatus, created, json] = messageValues(message);
  return [id, importedOwner(message), roleAndStatus, created, json];
}

function interaction(
  threadId: string,
  question: unknown,
  verdict: string | null,
  others: readonly unknown[],
): Interaction {
  const { message } = readPlacedMessage(question, threadId);
  const { turnId } = message;
  const answers = inOrder(others.map((stored) => readPlacedMessage(stored, threadId))).filter(
    ({ role, status }) => role === 'ai' && status === 'complete',
  );
  return {
    ...(turnId !== undefined && { turnId }),
    question: message,
    answers: answers.slice(0, mostAnswers),
    ...(verdict !== null && { verdict: readJsonObject(verdict, `The verdict of turn ${turnId}`) }),
  };
}

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { assertLimit, most, mostAnswers, readJsonObject } from '../checks.ts';
import type { Interaction, Message, MessageStore } from '../store.ts';
import { type Clock, type Commands, storeScripts } from './commands.ts';
import { slotOfThread, threadKey, threadOfKey, threadsOfPlace } from './keys.ts';
import { inOrder, messageValues, readPlacedMessage } from './records.ts';
import type { Workspaces } from './workspaces.ts';

const script = storeScripts('messages');

const page = z.array(z.unknown());
const threads = z.tuple([z.string().nullable(), z.array(z.string())]);
const interactions = z.array(z.tuple([z.unknown(), z.string().nullable(), z.array(z.unknown())]));

/** The messages of a server. Every verb is one script; `append` one for each thread. */
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
          workspaces.store(script('append'), slotOfThread(threadId), [
            ...[threadKey(threadId), randomUUID(), ...own.flatMap(appended)],
          ]),
        ),
      );
    },
    recent: async (threadId, { limit, exceptTurnId }) => {
      assertLimit(limit, most.interactions);
      const excepted = exceptTurnId === undefined ? ['0', ''] : ['1', exceptTurnId];
      const values = [threadKey(threadId), clock.keeping(), `${limit}`, `${mostAnswers}`];
      const reply = await commands.run(script('recent'), slotOfThread(threadId), [
        ...values,
        ...excepted,
      ]);
      return interactions
        .parse(reply)
        .map(([question, verdict, others]) => interaction(threadId, question, verdict, others))
        .reverse();
    },
    page: async (threadId, { limit, before = Number.MAX_SAFE_INTEGER }) => {
      assertLimit(limit, most.messages);
      const values = [threadKey(threadId), clock.keeping(), String(before), String(limit)];
      const reply = await commands.run(script('page'), slotOfThread(threadId), values);
      return page.parse(reply).map((stored) => readPlacedMessage(stored, threadId).message);
    },
    threads: async (place, { limit, after }) => {
      assertLimit(limit, most.threads);
      const { slot, first, last } = threadsOfPlace(place);
      const from = after === undefined ? first : `(${after}`;
      const values = [clock.keeping(), from, last, String(limit)];
      const [next, found] = threads.parse(await commands.run(script('threads'), slot, values));
      return { threadIds: found.map(threadOfKey), ...(next !== null && { next }) };
    },
  };
}

function appended(message: Message): readonly string[] {
  const [id, roleAndStatus, created, json] = messageValues(message);
  const owner = message.turnId === undefined ? 'i' : `x${message.turnId}`;
  return [id, owner, roleAndStatus, created, json];
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

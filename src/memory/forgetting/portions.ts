/** Finds what a subject consists of, a portion at a time, even while some of it is forgotten. */

import { z } from 'zod';
import { stepSchemas } from '../../domain/stored-turn.ts';
import { turnRequestSchema } from '../../domain/turn.ts';
import {
  type Message,
  mostForgotten,
  type Shard,
  type Store,
  type TurnHeader,
} from '../../store/store.ts';
import { changesOf, inPortions, messagePages, turnPages } from '../pages.ts';
import { type ForgetSubject, isPartial } from './notes.ts';

/** As much of one thread as may be forgotten in one step. */
export interface ForgetPortion {
  readonly threadId: string;
  readonly turns: readonly TurnHeader[];
  /** Imported ones, of no turn here. */
  readonly messageIds: readonly string[];
}

export type ReadStore = Pick<Store, 'turns' | 'messages' | 'memories'>;

const pageOf = { threads: 100, memories: 100 } as const;

/**
 * Each turn and each imported message comes once, and before a turn those that go deeper from it: they
 * quote it, and after a death would not be found any more. Throws what the store throws.
 */
export async function* portionsOf(
  store: ReadStore,
  subject: ForgetSubject,
): AsyncGenerator<ForgetPortion> {
  for await (const portion of foundOf(store, subject)) {
    const deeper = isPartial(subject) ? await deeperThan(store, portion) : [];
    if (deeper.length > 0) yield { ...portion, turns: deeper, messageIds: [] };
    yield portion;
  }
}

/** Turns that go on from those of a portion, and are not in it; each after those that go on from it. */
async function deeperThan(
  store: ReadStore,
  portion: ForgetPortion,
): Promise<readonly TurnHeader[]> {
  const { turns } = store;
  const records = await Promise.all(portion.turns.map((turn) => turns.read(turn)));
  const named = records.flatMap((record) =>
    (record?.steps ?? []).flatMap(({ kind, data }) => {
      const deepened = kind === 'deepened' ? stepSchemas.deepened.safeParse(data).data : undefined;
      return deepened?.turnId ?? [];
    }),
  );
  const others = named.filter((id) => portion.turns.every(({ turnId }) => turnId !== id));
  const { threadId } = portion;
  const read = await Promise.all(others.map((turnId) => turns.read({ turnId, threadId })));
  const found = read.filter((turn) => turn !== undefined);
  if (found.length === 0) return [];
  return [...(await deeperThan(store, { ...portion, turns: found })), ...found];
}

async function* foundOf(store: ReadStore, subject: ForgetSubject): AsyncGenerator<ForgetPortion> {
  switch (subject.kind) {
    case 'turn': {
      const turn = await store.turns.read(subject);
      const { threadId } = subject;
      if (turn?.threadId === threadId) yield { threadId, turns: [turn], messageIds: [] };
      return;
    }
    case 'message':
      yield* portionsOfMessages(store, subject.threadId, new Set([subject.messageId]));
      return;
    case 'shard':
      yield* portionsOfMessages(store, subject.threadId, await sourcesOf(store, subject));
      return;
    case 'person':
      for await (const threadId of threadsOf(store, subject.workspace)) {
        for await (const turns of turnPages(store.turns, threadId)) {
          const theirs = await askedBy(store, turns, subject.personId);
          if (theirs.length > 0) yield { threadId, turns: theirs, messageIds: [] };
        }
        const isTheirs = ({ content }: Message) => content.askedBy === subject.personId;
        yield* portionsOfImported(threadId, await importedWith(store, threadId, isTheirs));
      }
      return;
    case 'post':
      // It is no turn's: what turns have heard of it is emptied.
      return;
    case 'thread':
      yield* portionsOfThread(store, subject.threadId);
      return;
    case 'channel':
    case 'workspace': {
      const place = subject.kind === 'channel' ? subject.channel : subject.workspace;
      for await (const threadId of threadsOf(store, place))
        yield* portionsOfThread(store, threadId);
    }
  }
}

async function* portionsOfThread(
  store: ReadStore,
  threadId: string,
): AsyncGenerator<ForgetPortion> {
  const known = new Set<string>();
  for await (const turns of turnPages(store.turns, threadId)) {
    for (const { turnId } of turns) known.add(turnId);
    yield { threadId, turns, messageIds: [] };
  }
  const isImported = ({ turnId }: Message) => turnId === undefined || !known.has(turnId);
  for await (const messages of messagePages(store.messages, threadId)) {
    const ids = messages.filter(isImported).map(({ id }) => id);
    yield* portionsOfImported(threadId, ids);
  }
}

/** Of messages that are named: their turns, and those that are of none. */
async function* portionsOfMessages(
  store: ReadStore,
  threadId: string,
  wanted: ReadonlySet<string>,
): AsyncGenerator<ForgetPortion> {
  const found: Message[] = [];
  for await (const messages of messagePages(store.messages, threadId)) {
    found.push(...messages.filter(({ id }) => wanted.has(id)));
    if (found.length === wanted.size) break;
  }
  const turns = new Map<string, TurnHeader>();
  const imported = new Set<string>();
  for (const { id, turnId } of found) {
    const turn =
      turnId === undefined
        ? undefined
        : (turns.get(turnId) ?? (await store.turns.read({ turnId, threadId })));
    if (turn?.threadId === threadId) turns.set(turn.turnId, turn);
    else imported.add(id);
  }
  for (const some of inPortions([...turns.values()], mostForgotten)) {
    yield { threadId, turns: some, messageIds: [] };
  }
  if (imported.size === 0) return;
  const ids = await importedWith(store, threadId, ({ id }) => imported.has(id));
  yield* portionsOfImported(threadId, ids);
}

/**
 * Imported messages that are wanted, a question with the answers to it, which quote it: those of its
 * turn, which was never here, or where it names none, what follows up to the next question.
 */
async function importedWith(
  store: ReadStore,
  threadId: string,
  isWanted: (message: Message) => boolean,
): Promise<readonly string[]> {
  const ids = new Set<string>();
  const answers = new Map<string | undefined, string[]>();
  // The newest first: what follows a question is known by then.
  for await (const messages of messagePages(store.messages, threadId)) {
    for (const message of messages) {
      const { id, role, turnId } = message;
      const following = answers.get(turnId) ?? [];
      if (isWanted(message)) {
        ids.add(id);
        if (role === 'human') for (const answer of following) ids.add(answer);
      }
      if (role === 'ai') answers.set(turnId, [...following, id]);
      else for (const ended of [turnId, undefined]) answers.delete(ended);
    }
  }
  return [...ids];
}

function portionsOfImported(threadId: string, ids: readonly string[]): readonly ForgetPortion[] {
  return inPortions(ids, mostForgotten).map((messageIds) => ({ threadId, turns: [], messageIds }));
}

/** The threads of a workspace or channel in which anything was said, a page at a time. */
export async function* threadsOf(
  { messages }: Pick<Store, 'messages'>,
  place: string,
): AsyncGenerator<string> {
  let after: string | undefined;
  do {
    const options = { limit: pageOf.threads, ...(after !== undefined && { after }) };
    const page = await messages.threads(place, options);
    yield* page.threadIds;
    after = page.next;
  } while (after !== undefined);
}

const asked = z.object({ author: turnRequestSchema.shape.author.pick({ id: true }) });

/** Headers of an older store do not say who asked: then the turn itself does. */
async function askedBy(
  { turns }: ReadStore,
  headers: readonly TurnHeader[],
  personId: string,
): Promise<readonly TurnHeader[]> {
  const found: TurnHeader[] = [];
  for (const header of headers) {
    const asker = header.askedBy ?? (await askerIn(turns, header));
    if (asker === personId) found.push({ ...header, askedBy: asker });
  }
  return found;
}

async function askerIn(turns: Store['turns'], header: TurnHeader): Promise<string | undefined> {
  const parsed = asked.safeParse((await turns.read(header))?.request);
  return parsed.data?.author.id;
}

/** None for a shard that is not there, or so old that it is not remembered. */
async function sourcesOf(
  store: ReadStore,
  { threadId, shardId }: Extract<ForgetSubject, { kind: 'shard' }>,
): Promise<ReadonlySet<string>> {
  for await (const shards of shardPages(store, threadId)) {
    const shard = shards.find(({ id }) => id === shardId);
    if (shard) return new Set(shard.sourceIds);
  }
  return new Set();
}

/** The shards of a thread that are remembered; one that has changed meanwhile comes again. */
export async function* shardPages(
  { memories }: ReadStore,
  threadId: string,
): AsyncGenerator<readonly Shard[]> {
  const scope = { threadId, reach: 'thread' } as const;
  for await (const { shards } of changesOf(memories, scope, pageOf.memories)) yield shards;
}

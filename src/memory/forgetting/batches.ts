/** Finds a subject's turns and messages, batch by batch, even while batches are being deleted. */

import { z } from 'zod';
import { stepSchemas } from '../../domain/stored-turn.ts';
import { turnRequestSchema } from '../../domain/turn.ts';
import { type Message, mostForgotten, type Store, type TurnHeader } from '../../store/store.ts';
import { inBatches, messagePages, rememberedIn, turnPages } from '../pages.ts';
import { type ForgetSubject, isPartial } from './notes.ts';

/** Records of one thread that the store can forget in one step. */
export interface ForgetBatch {
  readonly threadId: string;
  readonly turns: readonly TurnHeader[];
  /** Imported messages without a stored turn. */
  readonly messageIds: readonly string[];
}

export type ReadStore = Pick<Store, 'turns' | 'messages' | 'memories'>;

/** Threads per page. */
const pageSize = 100;

/**
 * Yields each turn and each imported message. Turns that deepen another, or ask one of its sages again, come
 * before it: they quote it, and could not be found after a crash that follows its deletion. Throws what the
 * store throws.
 */
export async function* batchesOf(
  store: ReadStore,
  subject: ForgetSubject,
): AsyncGenerator<ForgetBatch> {
  for await (const batch of ownBatches(store, subject)) {
    const repeats = isPartial(subject) ? await repeatsOf(store, batch) : [];
    if (repeats.length > 0) yield { ...batch, turns: repeats, messageIds: [] };
    yield batch;
  }
}

/** Turns outside a batch that put its questions again, directly or not; each after those that repeat it. */
async function repeatsOf(
  store: ReadStore,
  { threadId, turns }: ForgetBatch,
  known = new Set(turns.map(({ turnId }) => turnId)),
): Promise<readonly TurnHeader[]> {
  const records = await Promise.all(turns.map((turn) => store.turns.read(turn)));
  const named = records.flatMap((record) =>
    (record?.steps ?? []).flatMap(({ kind, data }) => {
      const isRepeat = kind === 'deepened' || (kind === 'followed' && data.sage !== undefined);
      return (isRepeat && stepSchemas.deepened.safeParse(data).data?.turnId) || [];
    }),
  );
  const others = named.filter((id) => !known.has(id));
  const read = await Promise.all(others.map((turnId) => store.turns.read({ turnId, threadId })));
  const found = read.filter((turn) => turn !== undefined);
  if (found.length === 0) return [];
  const batch = { threadId, turns: found, messageIds: [] };
  return [...(await repeatsOf(store, batch, new Set([...known, ...others]))), ...found];
}

async function* ownBatches(store: ReadStore, subject: ForgetSubject): AsyncGenerator<ForgetBatch> {
  switch (subject.kind) {
    case 'turn': {
      const turn = await store.turns.read(subject);
      const { threadId } = subject;
      if (turn?.threadId === threadId) yield { threadId, turns: [turn], messageIds: [] };
      return;
    }
    case 'message':
      yield* batchesOfMessages(store, subject.threadId, new Set([subject.messageId]));
      return;
    case 'shard':
      yield* batchesOfMessages(store, subject.threadId, await sourcesOf(store, subject));
      return;
    case 'person':
      for await (const threadId of threadsOf(store, subject.workspace)) {
        for await (const turns of turnPages(store.turns, threadId)) {
          const theirs = await askedBy(store, turns, subject.personId);
          if (theirs.length > 0) yield { threadId, turns: theirs, messageIds: [] };
        }
        const isTheirs = ({ content }: Message) => content.askedBy === subject.personId;
        yield* batchesOfImported(threadId, await withAnswers(store, threadId, isTheirs));
      }
      return;
    case 'post':
      // A post belongs to no turn; it is removed from the turns that overheard it.
      return;
    case 'thread':
      yield* batchesOfThread(store, subject.threadId);
      return;
    case 'channel':
    case 'workspace': {
      const place = subject.kind === 'channel' ? subject.channel : subject.workspace;
      for await (const threadId of threadsOf(store, place)) yield* batchesOfThread(store, threadId);
    }
  }
}

async function* batchesOfThread(store: ReadStore, threadId: string): AsyncGenerator<ForgetBatch> {
  const known = new Set<string>();
  for await (const turns of turnPages(store.turns, threadId)) {
    for (const { turnId } of turns) known.add(turnId);
    yield { threadId, turns, messageIds: [] };
  }
  const isImported = ({ turnId }: Message) => turnId === undefined || !known.has(turnId);
  for await (const messages of messagePages(store.messages, threadId)) {
    yield* batchesOfImported(threadId, messages.filter(isImported));
  }
}

/** The turns of the wanted messages, and the wanted messages without a turn. */
async function* batchesOfMessages(
  store: ReadStore,
  threadId: string,
  wanted: ReadonlySet<string>,
): AsyncGenerator<ForgetBatch> {
  const found = await withAnswers(store, threadId, ({ id }) => wanted.has(id));
  const turnIds = [...new Set(found.flatMap(({ turnId }) => turnId ?? []))];
  const read = await Promise.all(turnIds.map((turnId) => store.turns.read({ turnId, threadId })));
  const turns = read.flatMap((turn) => (turn?.threadId === threadId ? [turn] : []));
  for (const some of inBatches(turns, mostForgotten)) {
    yield { threadId, turns: some, messageIds: [] };
  }
  const known = new Set(turns.map(({ turnId }) => turnId));
  const imported = found.filter(({ turnId = '' }) => !known.has(turnId));
  yield* batchesOfImported(threadId, imported);
}

/** Without its text: a long thread would not fit into memory. */
type MessageName = Pick<Message, 'id'> & { readonly turnId: string | undefined };

/**
 * The wanted messages, and with a question its answers, which quote it: the answers of its turn,
 * or if it names none, the answers up to the next question.
 */
async function withAnswers(
  store: ReadStore,
  threadId: string,
  isWanted: (message: Message) => boolean,
): Promise<readonly MessageName[]> {
  const found: MessageName[][] = [];
  const answers = new Map<string | undefined, MessageName[]>();
  // Newest first, so the answers are known before their question.
  for await (const messages of messagePages(store.messages, threadId)) {
    for (const message of messages) {
      const { id, role, turnId } = message;
      const following = answers.get(turnId) ?? [];
      if (isWanted(message)) found.push([{ id, turnId }, ...(role === 'human' ? following : [])]);
      if (role === 'ai') {
        following.push({ id, turnId });
        answers.set(turnId, following);
      } else for (const ended of [turnId, undefined]) answers.delete(ended);
    }
  }
  return found.flat();
}

function batchesOfImported(
  threadId: string,
  messages: readonly Pick<Message, 'id'>[],
): readonly ForgetBatch[] {
  const ids = new Set(messages.map(({ id }) => id));
  return inBatches([...ids], mostForgotten).map((messageIds) => ({
    threadId,
    turns: [],
    messageIds,
  }));
}

/** The ids of a workspace's or channel's threads that have messages, read page by page. */
export async function* threadsOf(
  { messages }: Pick<Store, 'messages'>,
  place: string,
): AsyncGenerator<string> {
  let after: string | undefined;
  do {
    const options = { limit: pageSize, ...(after !== undefined && { after }) };
    const page = await messages.threads(place, options);
    yield* page.threadIds;
    after = page.next;
  } while (after !== undefined);
}

const asked = z.object({ author: turnRequestSchema.shape.author.pick({ id: true }) });

/** The turns that a person asked. Headers of turns that 0.1.0 imported lack the asker, so the turn is read instead. */
async function askedBy(
  { turns }: ReadStore,
  headers: readonly TurnHeader[],
  personId: string,
): Promise<readonly TurnHeader[]> {
  const found: TurnHeader[] = [];
  for (const header of headers) {
    const asker =
      header.askedBy ?? asked.safeParse((await turns.read(header))?.request).data?.author.id;
    if (asker === personId) found.push({ ...header, askedBy: asker });
  }
  return found;
}

/** The sources of a shard; none if it doesn't exist or has expired. */
async function sourcesOf(
  { memories }: ReadStore,
  { threadId, shardId }: Extract<ForgetSubject, { kind: 'shard' }>,
): Promise<ReadonlySet<string>> {
  const { shards } = await rememberedIn(memories, { threadId, reach: 'thread' });
  return new Set(shards.find(({ id }) => id === shardId)?.sourceIds);
}

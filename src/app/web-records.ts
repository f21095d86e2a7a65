/** What the web platform reads of the store, and keeps in it. */

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { TurnLinks } from '../bot/parts.ts';
import { scoredTurnsIn } from '../bot/places/scored-turns.ts';
import { readPastTurn } from '../council/past-turn.ts';
import { partsOf, recordedThread, workspaceOf } from '../domain/thread-id.ts';
import type { ArchivedMessage, ArchivedThread } from '../memory/export/archive.ts';
import { bringBack } from '../memory/export/bring-back.ts';
import { changesOf } from '../memory/pages.ts';
import { ShardNotes } from '../memory/shards/notes.ts';
import type { KeyRecords } from '../platforms/web/caller.ts';
import { awayError } from '../platforms/web/taken.ts';
import {
  type Ingested,
  type IngestedMessage,
  type ReadBy,
  type ShareRecords,
  sharedPath,
  type ThreadsPage,
  type WebRecords,
  type WebThread,
  type WebTurn,
} from '../platforms/web/web-council.ts';
import type { Settings } from '../settings/file-table.ts';
import { Notes } from '../store/notes.ts';
import {
  type Message,
  type SettingsStore,
  type Store,
  StoreError,
  type TurnKey,
  type TurnRecord,
} from '../store/store.ts';

/** Messages that are read of a channel at once. */
const pageSize = 500;
/** Turns of a conversation that are told with it. */
const mostTurns = 50;
const askedForm = { type: 'user_query' } as const;

type Read = Pick<Store, 'turns' | 'memories'>;
type Kept = Read & Pick<Store, 'messages' | 'settings'>;

export function webRecords(store: Kept): WebRecords {
  return {
    turn: (workspace, turnId) => orAway(readTurn(store, workspace, turnId)),
    threads: (channel, page) => orAway(readThreads(store, channel, page)),
    turnIds: async (threadId, page) =>
      (await orAway(store.turns.list(threadId, page))).map(({ turnId }) => turnId),
    scoredTurns: (threadId, since) =>
      orAway(scoredTurnsIn(store.turns, { threadId }, { reach: 'channel', since })),
    ingest: (channel, messages) => orAway(ingest(store, channel, messages)),
  };
}

/** The keys in a store, as the web asks for them. */
export function webCallers(keys: KeyRecords): KeyRecords {
  return {
    find: (secret) => orAway(keys.find(secret)),
    named: (keyId) => orAway(keys.named(keyId)),
    any: () => keys.any(),
  };
}

/** The web knows no store: what fails of one is said in its own terms. */
async function orAway<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof StoreError ? awayError() : error;
  }
}

/** Recorded councils belong to no workspace, and everyone may look at them. */
async function readTurn(
  { turns }: Pick<Store, 'turns'>,
  workspace: string,
  turnId: string,
): Promise<WebTurn | undefined> {
  const recorded = recordedThread('');
  const record =
    (await turns.read({ turnId, threadId: `${workspace}::` })) ??
    (await turns.read({ turnId, threadId: recorded }));
  if (!record || ![workspace, workspaceOf(recorded)].includes(workspaceOf(record.threadId))) {
    return undefined;
  }
  const { deepens } = readPastTurn(record).request;
  const first =
    deepens === undefined
      ? undefined
      : await turns.read({ turnId: deepens, threadId: record.threadId });
  return webTurn(record, first);
}

function webTurn(record: TurnRecord, deepened: TurnRecord | undefined): WebTurn {
  const { turnId, threadId, status, outcome, createdAt, endedAt, usage } = record;
  const past = readPastTurn(record);
  const earlier = deepened && readPastTurn(deepened);
  return {
    ...{ turnId, threadId, status, createdAt, usage },
    ...(outcome === undefined ? {} : { outcome }),
    ...(endedAt === undefined ? {} : { endedAt }),
    past: earlier
      ? { ...past, answers: earlier.answers, reviews: [...earlier.reviews, ...past.reviews] }
      : past,
  };
}

/** Those of the newest 2,000 messages of a channel. What was said privately in it is of a thread that is private to who asked. */
async function readThreads(
  { turns, memories }: Read,
  channel: string,
  { search = '', before = Number.POSITIVE_INFINITY, limit, reader }: ThreadsPage & ReadBy,
): Promise<readonly WebThread[]> {
  const scope = { threadId: `${channel}:`, reach: 'channel' } as const;
  const said = new Map<string, Message[]>();
  for await (const changes of changesOf(memories, scope, pageSize)) {
    if (changes.isAnew) said.clear();
    for (const { message } of changes.messages) {
      const known = said.get(message.threadId);
      if (known) known.push(message);
      else said.set(message.threadId, [message]);
    }
  }
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [...said]
    .filter(([threadId]) => threadId.startsWith(`${channel}:`))
    .filter(([, messages]) => {
      if (words.length === 0) return true;
      const text = messages.map(({ content }) => JSON.stringify(content).toLowerCase()).join('\n');
      return words.every((word) => text.includes(word));
    })
    .map(([threadId, messages]) => ({ threadId, messages, askedAt: lastAsked(messages) }))
    .filter(({ askedAt }) => askedAt < before)
    .toSorted((one, other) => other.askedAt - one.askedAt);
  const known = await Promise.all(
    found.map(async ({ threadId, messages }) => {
      if (!messages.some(({ isPrivate }) => isPrivate)) return true;
      const [newest] = await turns.list(threadId, { limit: 1 });
      return newest?.askedBy === reader;
    }),
  );
  const shown = found.filter((_, index) => known[index]).slice(0, limit);
  const threads = await Promise.all(
    shown.map(async ({ threadId, messages, askedAt }): Promise<readonly WebThread[]> => {
      // What is being forgotten is still among the messages, and not among the turns.
      const headers = await turns.list(threadId, { limit: mostTurns });
      const turnIds = headers.map(({ turnId }) => turnId);
      const first = messages
        .filter(({ turnId, role }) => role === 'human' && turnIds.includes(turnId ?? ''))
        .toSorted((one, other) => one.createdAt - other.createdAt)[0];
      const title = first && titleIn(first);
      const { thread } = partsOf(threadId);
      return title === undefined ? [] : [{ threadId, thread, title, askedAt, turnIds }];
    }),
  );
  return threads.flat();
}

function lastAsked(messages: readonly Message[]): number {
  return Math.max(...messages.map(({ createdAt }) => createdAt));
}

function titleIn({ content }: Message): string | undefined {
  return content.type === askedForm.type && typeof content.text === 'string'
    ? content.text
    : undefined;
}

/** As an import of what is in no turn, so that a summary is made of it in the background. */
async function ingest(
  store: Kept,
  channel: string,
  messages: readonly IngestedMessage[],
): Promise<Ingested> {
  const notes = new ShardNotes(store.settings, Date.now);
  const threads = Array.from(
    Map.groupBy(messages, ({ thread }) => `${channel}:${thread}`),
    ([threadId, said]): ArchivedThread => ({ threadId, turns: [], messages: said.map(ingested) }),
  );
  return bringBack(
    store,
    { threads },
    {
      onProgress: () => undefined,
      onNew: (threadId) => notes.add({ turnId: `imported:${threadId}`, threadId }),
    },
  );
}

/** No id of a message of the bot's own begins like that. */
function ingested({ id, author, text, at }: IngestedMessage): ArchivedMessage {
  return {
    ...{ id: `ingested:${id}`, role: 'human', type: 'user_query', author, createdAt: at },
    content: { type: 'user_query', text },
    isPrivate: false,
  };
}

/** What signs the sessions of the page: made at the first start, and the same from then on. */
export async function webSessionSecret(
  settings: SettingsStore,
  now: () => number,
): Promise<string> {
  const notes = new Notes(settings, 'web:sessions', { now });
  const kept = (await notes.list()).get('secret');
  if (typeof kept === 'string') return kept;
  await notes.put({ secret: randomBytes(32).toString('base64url') });
  // Another process may have made one at the same moment: the store says which one holds.
  return webSessionSecret(settings, now);
}

const turnSchema = z.object({ turnId: z.string(), threadId: z.string() });
const secretForm = /^[\w-]{32}$/;

/** Links by which others read a turn: who has one needs no key. Kept are ids alone, so that a forgotten turn is gone there too. */
export function webShares(store: Kept, now: () => number): ShareRecords {
  /** The secrets of a workspace, by the ids of its turns. */
  const byTurn = (threadId: string) =>
    new Notes(store.settings, `shared:${workspaceOf(threadId)}`, { now });
  /** The turn of a secret. */
  const bySecret = (secret: string) => new Notes(store.settings, `link:share:${secret}`, { now });
  const read = async ({ turnId, threadId }: TurnKey) =>
    z
      .string()
      .optional()
      .parse((await byTurn(threadId).list()).get(turnId));

  return {
    of: read,
    async make(turn) {
      const known = await read(turn);
      if (known !== undefined) return known;
      const { turnId, threadId } = turn;
      const secret = randomBytes(24).toString('base64url');
      await bySecret(secret).put({ turn: { turnId, threadId } });
      await byTurn(threadId).put({ [turnId]: secret });
      return secret;
    },
    async withdraw(turn) {
      const secret = await read(turn);
      if (secret === undefined) return;
      await bySecret(secret).clear();
      await byTurn(turn.threadId).drop([turn.turnId]);
    },
    async find(secret) {
      if (!secretForm.test(secret)) return undefined;
      const found = turnSchema.safeParse((await bySecret(secret).list()).get('turn'));
      if (!found.success) return undefined;
      const { turnId, threadId } = found.data;
      return webRecords(store).turn(workspaceOf(threadId), turnId);
    },
  };
}

/** The same as whole addresses, for chats; absent where the page is reached from this machine alone. */
export function turnLinks(
  { port, publicUrl }: Settings['web'],
  store: Store,
): TurnLinks | undefined {
  if (port === undefined || publicUrl === undefined) return undefined;
  const shares = webShares(store, Date.now);
  return {
    make: async (turn) => new URL(sharedPath(await shares.make(turn)), publicUrl).href,
    withdraw: (turn) => shares.withdraw(turn),
  };
}

/** What the web platform reads of the store, and keeps in it. */

import { randomBytes } from 'node:crypto';
import { scoredTurnsIn } from '../bot/places/scored-turns.ts';
import { readPastTurn } from '../council/past-turn.ts';
import { partsOf, recordedThread, workspaceOf } from '../domain/thread-id.ts';
import type { ArchivedMessage, ArchivedThread } from '../memory/export/archive.ts';
import { bringBack } from '../memory/export/bring-back.ts';
import { changesOf } from '../memory/pages.ts';
import { ShardNotes } from '../memory/shards/notes.ts';
import type {
  Ingested,
  IngestedMessage,
  ReadBy,
  ThreadsPage,
  WebRecords,
  WebThread,
  WebTurn,
} from '../platforms/web/web-council.ts';
import { Notes } from '../store/notes.ts';
import type { Message, SettingsStore, Store, TurnRecord } from '../store/store.ts';

/** Messages that are read of a channel at once. */
const pageSize = 500;
/** Turns of a conversation that are told with it. */
const mostTurns = 50;
const askedForm = { type: 'user_query' } as const;

type Read = Pick<Store, 'turns' | 'memories'>;
type Kept = Read & Pick<Store, 'messages' | 'settings'>;

export function webRecords(store: Kept): WebRecords {
  return {
    turn: (workspace, turnId) => readTurn(store, workspace, turnId),
    threads: (channel, page) => readThreads(store, channel, page),
    turnIds: async (threadId, page) =>
      (await store.turns.list(threadId, page)).map(({ turnId }) => turnId),
    scoredTurns: (threadId, since) =>
      scoredTurnsIn(store.turns, { threadId }, { reach: 'channel', since }),
    ingest: (channel, messages) => ingest(store, channel, messages),
  };
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

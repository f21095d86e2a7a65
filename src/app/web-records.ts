/** What the web platform reads of the store, and keeps in it. */

import { randomBytes } from 'node:crypto';
import { scoredTurnsIn } from '../bot/places/scored-turns.ts';
import { readPastTurn } from '../council/past-turn.ts';
import { recordedThread, workspaceOf } from '../domain/thread-id.ts';
import type { ArchivedMessage, ArchivedThread } from '../memory/export/archive.ts';
import { bringBack } from '../memory/export/bring-back.ts';
import { ShardNotes } from '../memory/shards/notes.ts';
import type {
  Ingested,
  IngestedMessage,
  WebRecords,
  WebTurn,
} from '../platforms/web/web-council.ts';
import { Notes } from '../store/notes.ts';
import type { SettingsStore, Store, TurnRecord } from '../store/store.ts';
import { WebThreads } from './web-threads.ts';

type Kept = Pick<Store, 'turns' | 'memories' | 'messages' | 'settings'>;

export function webRecords(store: Kept): WebRecords {
  const threads = new WebThreads(store);
  return {
    turn: (workspace, turnId) => readTurn(store, workspace, turnId),
    threads: (channel, page) => threads.list(channel, page),
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

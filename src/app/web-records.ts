/** What the web platform reads of the store, and keeps in it. */

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { TurnLinks } from '../bot/parts.ts';
import { scoredTurnsIn } from '../bot/places/turns-of-place.ts';
import { readPastTurn } from '../council/past-turn.ts';
import { recordedThread, workspaceOf } from '../domain/thread-id.ts';
import type { ExportedMessage, ExportedThread } from '../memory/export/export.ts';
import { importThreads } from '../memory/export/import-threads.ts';
import { ShardNotes } from '../memory/shards/notes.ts';
import {
  type Ingested,
  type IngestedMessage,
  type ShareRecords,
  sharedPath,
  type WebRecords,
  type WebTurn,
} from '../platforms/web/web-council.ts';
import type { Settings } from '../settings/file-table.ts';
import {
  Notes,
  type SettingsStore,
  type Store,
  type TurnKey,
  type TurnRecord,
} from '../store/store.ts';
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
    ([threadId, said]): ExportedThread => ({ threadId, turns: [], messages: said.map(ingested) }),
  );
  return importThreads(
    store,
    { threads },
    {
      onProgress: () => undefined,
      onNew: (threadId) => notes.add({ turnId: `imported:${threadId}`, threadId }),
    },
  );
}

/** No id of a message of the bot's own begins like that. */
function ingested({ id, author, text, at }: IngestedMessage): ExportedMessage {
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

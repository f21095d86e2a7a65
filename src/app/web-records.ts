/** The data of the web platform: turns that it reads from the store, and its shared links, keys and session secret. */

import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { TurnLinks } from '../bot/parts.ts';
import { scoredTurnsIn, withPast } from '../bot/places/turns-of-place.ts';
import type { Log } from '../domain/log.ts';
import { recordedThread, workspaceOf } from '../domain/thread-id.ts';
import type { ExportedMessage } from '../memory/export/export.ts';
import { importThreads } from '../memory/export/import-threads.ts';
import { ShardNotes } from '../memory/shards/notes.ts';
import { type KeptKeys, WebKeys } from '../platforms/web/keys.ts';
import type { Ingested, PlacedMessage } from '../platforms/web/question-fields.ts';
import {
  type ShareRecords,
  sharedPath,
  type WebRecords,
  type WebTurn,
} from '../platforms/web/web-council.ts';
import type { Settings } from '../settings/file-table.ts';
import type { Config } from '../settings/load.ts';
import { Notes, type SettingsStore, type Store, StoreError, type TurnKey } from '../store/store.ts';
import { chooseStore, openStore, type StoreChoice } from './store.ts';
import { WebThreads } from './web-threads.ts';
import { replaceFiles } from './whole-file.ts';

type WebStore = Pick<Store, 'turns' | 'memories' | 'messages' | 'settings'>;

export function webRecords(store: WebStore): WebRecords {
  const threads = new WebThreads(store);
  return {
    turn: (workspace, turnId) => readTurn(store, workspace, turnId),
    threads: (channel, page, reader) => threads.list(channel, page, reader),
    async turnIds(threadId, { limit, before }) {
      const page = { limit, ...(before !== undefined && { before }) };
      return (await store.turns.list(threadId, page)).map(({ turnId }) => turnId);
    },
    scoredTurns: (threadId, since) =>
      scoredTurnsIn(store.turns, { threadId }, { reach: 'channel', since }),
    ingest: (channel, messages) => ingest(store, channel, messages),
  };
}

/** Reads a turn of a workspace, or a recorded council, which every workspace may see. */
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
  return withPast(turns, record);
}

/** Imports messages that belong to no turn; they are summarised in the background. */
async function ingest(
  store: WebStore,
  channel: string,
  messages: readonly PlacedMessage[],
): Promise<Ingested> {
  const notes = new ShardNotes(store.settings, Date.now);
  const byThread = Map.groupBy(messages, ({ thread }) => `${channel}:${thread}`);
  const threads = Array.from(byThread, ([threadId, sent]) => ({
    threadId,
    turns: [],
    messages: sent.map(ingested),
  }));
  const options = {
    onProgress: () => undefined,
    onNew: (threadId: string) => notes.add({ turnId: `imported:${threadId}`, threadId }),
  };
  return importThreads(store, { threads }, options);
}

/** The prefix keeps the ids apart from those of the bot's own messages. */
function ingested({ id, author, text, at, isPrivate }: PlacedMessage): ExportedMessage {
  return {
    id: `ingested:${id}`,
    role: 'human',
    type: 'user_query',
    author,
    createdAt: at,
    content: { type: 'user_query', text },
    isPrivate,
  };
}

/** Returns the secret that signs the page's sessions. It is made at the first start. */
export async function webSessionSecret(
  settings: SettingsStore,
  now: () => number,
): Promise<string> {
  const notes = new Notes(settings, 'web:sessions', { now });
  const [stored] = (await notes.list()).values();
  if (typeof stored === 'string') return stored;
  const secret = randomBytes(32).toString('base64url');
  // Under a name of its own, so that of several processes only the first stores one.
  await notes.putUpTo(1, { [secret]: secret });
  return webSessionSecret(settings, now);
}

const turnSchema = z.object({ turnId: z.string(), threadId: z.string() });
const secretForm = /^[\w-]{32}$/;

/**
 * Shared links to turns, which work without a key. Only ids are stored; forgetting a turn withdraws its link.
 *
 * @param retentionDays - After how many days turns expire, and their links too.
 */
export function webShares(
  store: WebStore,
  now: () => number,
  retentionDays?: number,
): ShareRecords {
  const options = { now, retentionDays };
  /** Secrets of a workspace by turn id. */
  const byTurn = (threadId: string) =>
    new Notes(store.settings, `shared:${workspaceOf(threadId)}`, options);
  const bySecret = (secret: string) => new Notes(store.settings, `link:share:${secret}`, options);
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
      // Of two links made at the same moment, only the one that can be withdrawn works.
      if (!found.success || (await read(found.data)) !== secret) return undefined;
      const { turnId, threadId } = found.data;
      return webRecords(store).turn(workspaceOf(threadId), turnId);
    },
  };
}

/** Shared links as whole addresses, for chats; `undefined` if the page has no public address. */
export function turnLinks(
  { web: { port, publicUrl }, memory }: Pick<Settings, 'web' | 'memory'>,
  store: Store,
): TurnLinks | undefined {
  if (port === undefined || publicUrl === undefined) return undefined;
  const shares = webShares(store, Date.now, memory.retentionDays);
  return {
    make: async (turn) => new URL(sharedPath(await shares.make(turn)), publicUrl).href,
    withdraw: (turn) => shares.withdraw(turn),
  };
}

/**
 * Where the keys of a store are: in its settings, or in a file beside a SQLite store. A running bot locks that
 * store, so the shell could not change them there.
 */
export function keptKeys(choice: StoreChoice, settings: SettingsStore): KeptKeys {
  if (choice.kind === 'sqlite') return keysBeside(choice.path);
  return new Notes(settings, 'web:keys', { now: Date.now });
}

/** The keys, for the shell while a bot may be running. @throws {StoreError} if they can't be read. */
export async function openWebKeys(
  config: Config,
  log: Log,
): Promise<{ readonly keys: WebKeys; readonly close: () => Promise<void> }> {
  const choice = chooseStore(config);
  if (choice.kind === 'sqlite') {
    return { keys: new WebKeys(keysBeside(choice.path)), close: async () => undefined };
  }
  const store = await openStore(config, log);
  return { keys: new WebKeys(keptKeys(choice, store.settings)), close: () => store.close() };
}

const fileSchema = z.record(z.string(), z.unknown());

function keysBeside(storePath: string): KeptKeys {
  const path = `${storePath}-keys`;
  const list = async () => new Map(Object.entries(await readKeys(path)));
  const write = async (keys: Readonly<Record<string, unknown>>) => {
    try {
      await mkdir(dirname(path), { recursive: true });
      const text = `${JSON.stringify(keys, undefined, 2)}\n`;
      replaceFiles([{ path, text, mode: 0o600 }]);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new StoreError(`The keys can't be written: ${reason}.`, { reason: 'read_only', cause });
    }
  };
  return {
    list,
    put: async (keys) => write({ ...Object.fromEntries(await list()), ...keys }),
    async drop(ids) {
      const stored = await list();
      for (const id of ids) stored.delete(id);
      await write(Object.fromEntries(stored));
    },
  };
}

async function readKeys(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return fileSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'ENOENT') return {};
    const advice = code
      ? `Give the bot’s user the right to read it (${code}).`
      : 'Put back a backup of it, or delete it and make new keys.';
    throw new StoreError(`The keys in ${path} can't be read. ${advice}`, {
      reason: 'corrupt',
      cause,
    });
  }
}

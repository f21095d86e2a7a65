/** Where the keys of the web are kept: in the store, or beside one that serves a single process. */

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Log } from '../domain/log.ts';
import { WebKeys } from '../platforms/web/keys.ts';
import type { Config } from '../settings/load.ts';
import { Notes, type SettingsStore, StoreError } from '../store/store.ts';
import { chooseStore, openStore } from './store.ts';

/** The keys as a bot reads them that has opened its store. */
export function webKeys(config: Config, settings: SettingsStore): WebKeys {
  const choice = chooseStore(config);
  return choice.kind === 'sqlite' ? keysBeside(choice.path) : keysIn(settings);
}

/**
 * The same for a shell, beside a bot that may run.
 *
 * Throws `StoreError` when they can't be read.
 */
export async function openWebKeys(
  config: Config,
  log: Log,
): Promise<{ readonly keys: WebKeys; readonly close: () => Promise<void> }> {
  const choice = chooseStore(config);
  if (choice.kind === 'sqlite') {
    return { keys: keysBeside(choice.path), close: async () => undefined };
  }
  const store = await openStore(config, log);
  return { keys: keysIn(store.settings), close: () => store.close() };
}

/** The keys in a store that several processes open. */
export function keysIn(settings: SettingsStore): WebKeys {
  return new WebKeys(new Notes(settings, 'web:keys', { now: Date.now }));
}

const fileSchema = z.record(z.string(), z.unknown());

/**
 * The keys in a file beside that of a store. A bot has the store's file to itself: a shell could change no key in
 * it while the bot runs.
 */
export function keysBeside(storePath: string): WebKeys {
  const path = `${storePath}-keys`;
  const list = async () => new Map(Object.entries(await readKeys(path)));
  const write = async (keys: Readonly<Record<string, unknown>>) => {
    await mkdir(dirname(path), { recursive: true });
    // Whoever reads meanwhile finds the keys before or after, and never a half.
    const whole = `${path}.${process.pid}`;
    await writeFile(whole, `${JSON.stringify(keys, undefined, 2)}\n`, { mode: 0o600 });
    await rename(whole, path);
  };
  return new WebKeys({
    list,
    put: async (keys) => write({ ...Object.fromEntries(await list()), ...keys }),
    async drop(ids) {
      const kept = await list();
      for (const id of ids) kept.delete(id);
      await write(Object.fromEntries(kept));
    },
  });
}

async function readKeys(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return fileSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return {};
    throw new StoreError(
      `The keys in ${path} can't be read. Put back a backup of it, or delete it and make new keys.`,
      { reason: 'corrupt', cause },
    );
  }
}

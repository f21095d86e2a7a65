/** Maintenance tasks: `store` copies a store or checks that it can be read; `keys` manages keys for the web. */

import type { Writable } from 'node:stream';
import type { WebKey } from '../../platforms/web/keys.ts';
import { CopyError, copyStore, type Digest, type Dump, digest } from '../../store/copy.ts';
import { openLog } from '../operator/log.ts';
import { progressOn, type ShowProgress } from '../operator/progress.ts';
import { chooseStore, openDump, type StoreChoice, storeAddress, storeAt } from '../store.ts';
import { keptKeys, openWebKeys } from '../web-records.ts';
import type { KeysTask, StoreTask, TaskContext } from './task.ts';

type StoreAction<Action extends StoreTask['action']> = Extract<StoreTask, { action: Action }>;

/** @returns 0; 1 if the copy failed or was interrupted. Throws the store's errors. */
export async function storeTask(context: TaskContext, task: StoreTask): Promise<number> {
  const progress = progressOn(context.errors);
  // The first Ctrl-C aborts `ending`, which stops the task in order.
  context.onInterrupt(() => undefined);
  try {
    const result = await (task.action === 'copy'
      ? copy(context, task, progress)
      : check(context, task, progress));
    context.output.write(result);
    return 0;
  } catch (error) {
    if (context.ending.aborted) {
      context.errors.write('Interrupted before it was done. Run the same command again.\n');
      return 1;
    }
    if (!(error instanceof CopyError)) throw error;
    context.errors.write(`${error.message}\n`);
    return 1;
  }
}

/** @returns What to tell people. */
async function copy(
  context: TaskContext,
  task: StoreAction<'copy'>,
  progress: ShowProgress,
): Promise<string> {
  const { config, folder, ending: signal } = context;
  const source = storeAt(task.from, config, folder);
  const target = storeAt(task.to, config, folder);
  const [from, to] = [storeAddress(source), storeAddress(target)];
  if (from === to) throw new CopyError(`${from} can't be copied into itself.`);
  await warnOfDangers(context, target);
  await using dumps = new AsyncDisposableStack();
  const sourceDump = dumps.adopt(await openDump(source, true), close);
  const targetDump = dumps.adopt(await openDump(target, false), close);
  const copied = await copyStore(sourceDump, targetDump, {
    from,
    to,
    signal,
    now: Date.now,
    onProgress: ({ stage, share, records }) => progress(stage, share, `${records} records`),
  });
  const keys = await keptKeys(source, sourceDump.store.settings).list();
  const copies = keptKeys(target, targetDump.store.settings);
  if (keys.size > 0) await copies.put(Object.fromEntries(keys));
  // A file that was copied from a server has that one's keys among its records, withdrawn ones too.
  if (target.kind !== 'sqlite') {
    await copies.drop([...(await copies.list()).keys()].filter((id) => !keys.has(id)));
  }
  const counts = `${digestLines(copied)}  API key: ${keys.size}\n`;
  return `${to} has the same records as ${from}, by counts and checksums:\n${counts}`;
}

/** Reads every record. @returns What to tell people. Throws the store's error for one that can't be read. */
async function check(
  { config, folder, ending: signal }: TaskContext,
  { store }: StoreAction<'check'>,
  progress: ShowProgress,
): Promise<string> {
  const choice = store === undefined ? chooseStore(config) : storeAt(store, config, folder);
  await using dumps = new AsyncDisposableStack();
  const dump = dumps.adopt(await openDump(choice, true), close);
  const found = await digest(dump, 'reading', {
    signal,
    keptUntil: Number.NEGATIVE_INFINITY,
    onProgress: ({ stage, share, records }) => progress(stage, share, `${records} records`),
  });
  return `${storeAddress(choice)} can be read completely:\n${digestLines(found)}`;
}

function digestLines(records: Digest): string {
  return Object.entries(records)
    .map(([kind, { count, checksum }]) => `  ${kind}: ${count} (${checksum.slice(0, 12)})\n`)
    .join('');
}

/** Warns about unsafe Redis settings before any data goes there. */
async function warnOfDangers({ errors }: TaskContext, choice: StoreChoice): Promise<void> {
  if (choice.kind !== 'redis') return;
  const { inspectRedis } = await import('../../store/redis.ts');
  const { dangers } = await inspectRedis(choice);
  for (const danger of dangers) errors.write(`Warning: ${storeAddress(choice)}: ${danger}\n`);
}

function close({ store }: Dump): Promise<void> {
  return store.close();
}

/** @returns 0; 1 if there is no such key. */
export async function keysTask(context: TaskContext, task: KeysTask): Promise<number> {
  const { config, output, errors } = context;
  const { keys, close } = await openWebKeys(config, openLog(context, true));
  try {
    switch (task.action) {
      case 'list':
        writeKeys(output, await keys.list());
        return 0;
      case 'make': {
        const { id, secret } = await keys.make(task.key, Date.now());
        output.write(`${secret}\n`);
        errors.write(
          `Key ${id} for the workspace “${task.key.workspace}”. Keep it: it is not shown again.\n`,
        );
        return 0;
      }
      case 'withdraw': {
        const isKnown = await keys.withdraw(task.id);
        const text = isKnown ? `Key ${task.id} is withdrawn.` : `There is no key ${task.id}.`;
        (isKnown ? output : errors).write(`${text}\n`);
        return isKnown ? 0 : 1;
      }
    }
  } finally {
    await close();
  }
}

function writeKeys(output: Writable, keys: readonly WebKey[]): void {
  if (keys.length === 0) {
    output.write('There are no keys. `npm run council -- keys make NAME` makes one.\n');
  }
  for (const key of keys) {
    const { usdPerDay, openQuestions } = key.limits;
    const facts = [
      `workspace ${key.workspace}`,
      `may ${key.scopes.join(', ')}`,
      ...(usdPerDay === undefined ? [] : [`$${usdPerDay.toFixed(2)} a day`]),
      ...(openQuestions === undefined ? [] : [`${openQuestions} at once`]),
      `${key.requestsPerMinute} requests a minute`,
      `made ${new Date(key.madeAt).toISOString().slice(0, 10)}`,
    ];
    output.write(`${key.id}  ${key.name}\n  ${facts.join('; ')}\n`);
  }
}

/** Maintenance tasks: `store` copies or checks a store; `person` finds a person; `keys` manages keys for the web. */

import type { Writable } from 'node:stream';
import { workspaceOf, workspaceOfScope } from '../../domain/thread-id.ts';
import { turnRequestSchema } from '../../domain/turn.ts';
import { counted } from '../../domain/words.ts';
import { plainName } from '../../platforms/terminal/terminal-text.ts';
import type { WebKey } from '../../platforms/web/keys.ts';
import { CopyError, copyStore, type Digest, type Dump, digest } from '../../store/copy.ts';
import { openLog } from '../operator/log.ts';
import { progressOn, type ShowProgress } from '../operator/progress.ts';
import { chooseStore, openDump, type StoreChoice, storeAddress, storeAt } from '../store.ts';
import { keptKeys, openWebKeys } from '../web-records.ts';
import { runCommandTask } from './ask.ts';
import { exportTask } from './records.ts';
import type { KeysTask, StoreTask, TaskContext, TaskOf } from './task.ts';

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

const askedSchema = turnRequestSchema.pick({ author: true, threadId: true });

/** @returns 0; 1 if the store has no such person, only a name was given, or nothing could be exported. */
export async function personTask(context: TaskContext, task: TaskOf<'person'>): Promise<number> {
  const { output, errors } = context;
  const { who, action, isConfirmed: confirm, ...files } = task;
  const all = await findPerson(context, who);
  for (const { workspace, personId, name, questions } of all) {
    const line = `${personId}  ${name}  ${workspace}  ${counted(questions, 'question')}\n`;
    (action === 'find' ? output : errors).write(line);
  }
  if (action === 'find' && all.length > 0) return 0;
  const found = all.filter(({ personId }) => personId === who);
  if (found.length === 0) {
    const unknown = `Nothing is stored of a person whose id or shown name is ${who}.\n`;
    const unsure = 'Anyone can take a name: make sure who it is, and give the id.\n';
    errors.write(all.length === 0 ? unknown : unsure);
    return 1;
  }
  const codes: number[] = [];
  for (const { workspace, personId } of found) {
    const person = { workspace, personId };
    const options = { do: 'forget', what: `person ${personId}`, confirm };
    const thread = `${workspace}:-:-`;
    const done =
      action === 'export'
        ? exportTask(context, { ...files, task: 'export', scope: 'thread', thread, person })
        : runCommandTask(context, { task: 'command', command: 'memory', options, thread });
    codes.push(await done);
  }
  return action === 'export' ? Math.min(...codes) : Math.max(...codes);
}

/** Where a person asked or was overheard, by id; or asked, by part of a name. Reads the whole store. */
async function findPerson({ config, errors }: TaskContext, who: string) {
  const progress = progressOn(errors);
  const isWho = (name: string) => name.toLowerCase().includes(who.toLowerCase());
  const found = new Map<
    string,
    { workspace: string; personId: string; name: string; questions: number }
  >();
  await using dumps = new AsyncDisposableStack();
  const dump = dumps.adopt(await openDump(chooseStore(config), true), close);
  for await (const { records, share } of dump.read(100)) {
    progress('searching', share, 'the whole store');
    for (const record of records) {
      if (record.kind === 'setting') {
        const workspace = workspaceOfScope(record.scope);
        const key = `${workspace}:${who}`;
        if (record.scope !== `heard-of:${key}` || found.has(key)) continue;
        found.set(key, { workspace, personId: who, name: '(overheard)', questions: 0 });
      }
      const request = record.kind === 'turn' ? record.turn.request : undefined;
      const asked = askedSchema.safeParse(request).data;
      if (!asked || (asked.author.id !== who && !isWho(asked.author.name))) continue;
      const { id: personId, name } = asked.author;
      const workspace = workspaceOf(asked.threadId);
      const key = `${workspace}:${personId}`;
      const questions = 1 + (found.get(key)?.questions ?? 0);
      found.set(key, { workspace, personId, name: plainName(name), questions });
    }
  }
  return [...found.values()];
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

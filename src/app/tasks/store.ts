/** The task `store`: carries a store elsewhere, and looks whether one is whole. */

import { CopyError, copyStore } from '../../store/archive/copy.ts';
import type { Archive } from '../../store/archive.ts';
import { type Progress, showProgress } from '../operator/progress.ts';
import type { Surroundings } from '../session.ts';
import { chooseStore, openArchive, type StoreChoice, shownPlace, storeAt } from '../store.ts';
import type { StoreTask } from './task.ts';

/** How many orphans are named; of the others, how many there are. */
const mostNamed = 100;

type Of<Action extends StoreTask['action']> = Extract<StoreTask, { action: Action }>;

/** @returns 0 when all is well; 1 when it was not copied, or orphans are left. */
export async function storeTask(around: Surroundings, task: StoreTask): Promise<number> {
  const progress = showProgress(around.errors);
  // The first Ctrl-C ends it in order, so that the next run can resume it.
  around.onInterrupt(() => undefined);
  try {
    return await (task.action === 'copy'
      ? copy(around, task, progress)
      : check(around, task, progress));
  } catch (error) {
    progress.end();
    if (around.ending.aborted) {
      around.errors.write('Ended before it was done. Run the same again to go on.\n');
      return 1;
    }
    if (!(error instanceof CopyError)) throw error;
    around.errors.write(`${error.message}\n`);
    return 1;
  }
}

async function copy(around: Surroundings, task: Of<'copy'>, progress: Progress): Promise<number> {
  const { config, output, ending: signal } = around;
  const source = storeAt(task.from, config);
  const target = storeAt(task.to, config);
  const [from, to] = [shownPlace(source), shownPlace(target)];
  if (from === to) throw new CopyError(`${from} can't be copied into itself.`);
  await warn(around, target);
  await using stores = new AsyncDisposableStack();
  const here = stores.adopt(await openArchive(source, true), close);
  const there = stores.adopt(await openArchive(target, false), close);
  const digest = await copyStore(here, there, {
    ...{ from, to, signal, now: Date.now },
    onProgress: ({ stage, share, copied }) => progress.show(stage, share, `${copied} records`),
  });
  progress.end();
  const counts = Object.entries(digest).map(([kind, { count }]) => `  ${kind}: ${count}\n`);
  output.write(`${to} holds what ${from} holds, by counts and checksums:\n${counts.join('')}`);
  return 0;
}

async function check(around: Surroundings, task: Of<'check'>, progress: Progress): Promise<number> {
  const { config, output, ending } = around;
  const { mends } = task;
  const choice = task.store === undefined ? chooseStore(config) : storeAt(task.store, config);
  await using stores = new AsyncDisposableStack();
  const archive = stores.adopt(await openArchive(choice, true), close);
  const problems = new Map<string, number>();
  const named: string[] = [];
  let count = 0;
  for (let cursor: string | undefined; ; ) {
    ending.throwIfAborted();
    const { orphans, next, share } = await archive.examine(cursor, { mends });
    for (const { problem, record } of orphans) {
      count += 1;
      problems.set(problem, (problems.get(problem) ?? 0) + 1);
      if (named.length < mostNamed) named.push(`${problem}: ${record}\n`);
    }
    progress.show('checking', share, `${count} orphans`);
    cursor = next;
    if (cursor === undefined) break;
  }
  progress.end();
  for (const line of named) output.write(line);
  if (count > named.length) {
    output.write('In all:\n');
    for (const [problem, times] of problems) output.write(`  ${problem}: ${times}\n`);
  }
  output.write(summary(shownPlace(choice), count, mends));
  return count === 0 || mends ? 0 : 1;
}

function summary(name: string, count: number, mends: boolean): string {
  if (count === 0) return `${name} is whole.\n`;
  const orphans = count === 1 ? 'One orphan' : `${count} orphans`;
  return mends
    ? `${orphans} mended in ${name}.\n`
    : `${orphans} in ${name}. Nothing was changed; --mend mends.\n`;
}

/** What is dangerous about a server is said before it is entrusted with anything. */
async function warn({ errors }: Surroundings, choice: StoreChoice): Promise<void> {
  if (choice.kind !== 'redis') return;
  const { inspectRedis } = await import('../../store/redis.ts');
  const { dangers } = await inspectRedis(choice);
  for (const danger of dangers) errors.write(`Mind: ${shownPlace(choice)}: ${danger}\n`);
}

function close({ store }: Archive): Promise<void> {
  return store.close();
}

/** The task `queue`: shows the turns of the fleet; retries or drops those that failed for good. */

import type { TurnStep } from '../../council/past-turn.ts';
import { agoInWords, counted } from '../../domain/words.ts';
import type { DeadTurn } from '../../queue/bullmq/inboxes.ts';
import type { QueueAdmin, QueueView } from '../../queue/bullmq/queue-admin.ts';
import { type Coordination, unservedText } from '../../queue/coordination.ts';
import type { Store } from '../../store/store.ts';
import { openSharedQueue } from '../coordination.ts';
import { openLog } from '../operator/log.ts';
import { canShareQueue, chooseStore, openStore } from '../store.ts';
import type { QueueTask, TaskContext } from './task.ts';

const mostThreads = 50;

/** @returns 0; 1 if there is no shared queue or no such turn. */
export async function queueTask(context: TaskContext, task: QueueTask): Promise<number> {
  const { config, output, errors } = context;
  const choice = chooseStore(config);
  if (!canShareQueue(choice)) {
    errors.write(
      'Without the address of a Redis server in REDIS_URL there is no queue to look at: turns wait in the process that runs them.\n',
    );
    return 1;
  }
  const store = await openStore(config, openLog(context, true));
  // Loaded on demand: it takes a good part of a start's time.
  const { QueueAdmin } = await import('../../queue/bullmq/queue-admin.ts');
  const admin = await QueueAdmin.open(choice.url);
  const print = (value: object, text: string) =>
    output.write(task.isJson ? `${JSON.stringify(value, null, 2)}\n` : text);
  try {
    switch (task.action) {
      case 'look': {
        const view = await admin.view(mostThreads);
        print(view, viewText(view, Date.now()));
        return 0;
      }
      case 'dead': {
        const dead = await admin.dead();
        print(dead, deadText(dead, Date.now()));
        return 0;
      }
      case 'retry':
      case 'drop': {
        const act = task.action === 'retry' ? retry : drop;
        const changed: string[] = [];
        await using shared = await openSharedQueue(choice, config, openLog(context, true));
        // Those that failed first come first.
        for (const dead of (await admin.dead()).toReversed()) {
          if (task.turn !== 'all' && task.turn !== dead.turnId) continue;
          if (await act({ store, admin, shared }, dead)) changed.push(dead.turnId);
        }
        const state = task.action === 'retry' ? 'queued again' : 'dropped';
        const text = changed.map((turnId) => `${turnId} is ${state}.\n`).join('');
        print({ [task.action]: changed }, text || (task.turn === 'all' ? noneDead : ''));
        if (changed.length > 0 || task.turn === 'all') return 0;
        errors.write(
          `No turn ${task.turn} has failed for good. \`npm run council -- queue dead\` lists those that have.\n`,
        );
        return 1;
      }
    }
  } finally {
    await admin.close();
    await store.close();
  }
}

interface OpenQueue {
  readonly store: Store;
  readonly admin: QueueAdmin;
  readonly shared: Coordination;
}

/** Queues a turn again. @returns Whether it was on the dead list. */
async function retry({ admin, shared }: OpenQueue, dead: DeadTurn): Promise<boolean> {
  if (!(await admin.drop(dead.turnId))) return false;
  // Should this process die in between, the turn is found in the store.
  await shared.queue.add(dead);
  return true;
}

/** Ends a turn, so that no process resumes it. @returns Whether it was on the dead list. */
async function drop({ store, admin, shared }: OpenQueue, dead: DeadTurn): Promise<boolean> {
  const { turnId, threadId } = dead;
  const record = await store.turns.take(dead);
  if (record) {
    const explanation = 'The operator dropped it.';
    const data = { explanation, stagesMs: {}, interactionsRemembered: 0 };
    const step: TurnStep = { kind: 'ended', key: '', data };
    const end = { outcome: 'failed', endedAt: Date.now() };
    const { attempt } = record;
    await store.turns.checkpoint({ turnId, threadId, attempt, steps: [step], end });
  }
  await shared.quotas.release(turnId);
  return admin.drop(turnId);
}

/** @param now - Milliseconds since 1970. */
function viewText(queue: QueueView, now: number): string {
  const { running, pausing, waiting, dead, unserved, threads, threadCount } = queue;
  const lines = [
    `${running} running, ${waiting} waiting, ${pausing} to be retried, ${dead} failed for good.`,
    ...threads.map(
      ({ threadId, turnIds, openSince }) =>
        `  ${threadId}  ${counted(turnIds.length, 'turn')}, became busy ${agoInWords(now - openSince)}, next ${turnIds[0] ?? '–'}`,
    ),
  ];
  const more = threadCount - threads.length;
  if (more > 0) lines.push(`  and ${counted(more, 'more thread')}`);
  if (unserved.length > 0) lines.push(`Some ${unservedText(unserved)}.`);
  if (dead > 0) lines.push('`npm run council -- queue dead` says why they failed.');
  return `${lines.join('\n')}\n`;
}

const noneDead = 'No turn has failed for good.\n';

/** @param now - Milliseconds since 1970. */
function deadText(dead: readonly DeadTurn[], now: number): string {
  if (dead.length === 0) return noneDead;
  const lines = dead.map(
    ({ turnId, threadId, reason, starts, diedAt }) =>
      `${turnId}  ${threadId}\n  ${agoInWords(now - diedAt)}, after ${counted(starts, 'run')}: ${reason}`,
  );
  return `${lines.join('\n')}\n\`npm run council -- queue retry ID\` runs one again, and \`queue drop ID\` ends it; \`all\` in place of an ID takes all of them.\n`;
}

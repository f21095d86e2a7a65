/** The task `queue`: shows what waits and runs in the fleet; retries or drops turns that were put aside. */

import type { TurnStep } from '../../council/past-turn.ts';
import { counted } from '../../domain/words.ts';
import type { DeadTurn } from '../../queue/bullmq/inboxes.ts';
import type { QueueAdmin, QueueView } from '../../queue/bullmq/queue-admin.ts';
import type { Coordination } from '../../queue/coordination.ts';
import type { Store } from '../../store/store.ts';
import { useShared } from '../coordination.ts';
import { openLog, type Surroundings } from '../session.ts';
import { carriesQueue, chooseStore, openStore } from '../store.ts';
import type { QueueTask } from './task.ts';

const mostThreads = 50;

/** @returns 0; 1 when there is no queue to look at, or no such turn. */
export async function queueTask(around: Surroundings, task: QueueTask): Promise<number> {
  const { config, output, errors } = around;
  const choice = chooseStore(config);
  if (!carriesQueue(choice)) {
    errors.write(
      'Without the address of a Redis server in REDIS_URL there is no queue to look at: turns wait in the process that runs them.\n',
    );
    return 1;
  }
  const store = await openStore(config, openLog(around, true));
  // Loaded where it is used: it would be a good part of the time that a start takes.
  const { QueueAdmin } = await import('../../queue/bullmq/queue-admin.ts');
  const admin = await QueueAdmin.open(choice.url);
  const tell = (value: object, text: string) =>
    output.write(task.isJson ? `${JSON.stringify(value, null, 2)}\n` : text);
  try {
    switch (task.action) {
      case 'look': {
        const view = await admin.view(mostThreads);
        tell(view, viewText(view, Date.now()));
        return 0;
      }
      case 'dead': {
        const dead = await admin.dead();
        tell(dead, deadText(dead, Date.now()));
        return 0;
      }
      case 'retry':
      case 'drop': {
        const end = task.action === 'retry' ? retry : drop;
        const ended = await useShared(choice, config, openLog(around, true), (shared) =>
          end({ store, admin, shared }, task.turn),
        );
        const done = task.action === 'retry' ? 'queued again' : 'dropped';
        tell({ [task.action]: ended }, ended.map((turnId) => `${turnId} is ${done}.\n`).join(''));
        if (ended.length > 0 || task.turn === 'all') return 0;
        errors.write(
          `No turn ${task.turn} has failed for good. \`council queue dead\` lists those that have.\n`,
        );
        return 1;
      }
    }
  } finally {
    await admin.close();
    await store.close();
  }
}

interface Open {
  readonly store: Store;
  readonly admin: QueueAdmin;
  readonly shared: Coordination;
}

/** Queues them again. @returns Those that are queued. */
async function retry({ admin, shared }: Open, turn: string): Promise<readonly string[]> {
  const revived: string[] = [];
  for (const dead of await wanted(admin, turn)) {
    if (await admin.revive(dead, (again) => shared.queue.add(again))) revived.push(dead.turnId);
  }
  return revived;
}

/** Ends them, so that no process resumes them. @returns Those that are dropped. */
async function drop({ store, admin, shared }: Open, turn: string): Promise<readonly string[]> {
  const dropped: string[] = [];
  for (const dead of await wanted(admin, turn)) {
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
    if (await admin.drop(turnId)) dropped.push(turnId);
  }
  return dropped;
}

async function wanted(admin: QueueAdmin, turn: string) {
  const dead = await admin.dead();
  // In the order in which they died, as far as that is known.
  return dead.filter(({ turnId }) => turn === 'all' || turnId === turn).toReversed();
}

/** @param now - Milliseconds since 1970. */
function viewText(queue: QueueView, now: number): string {
  const { running, pausing, waiting, dead, threads, threadCount } = queue;
  const lines = [
    `${running} running, ${waiting} waiting, ${pausing} to be retried, ${dead} failed for good.`,
    ...threads.map(
      ({ threadId, turnIds, openSince }) =>
        `  ${threadId}  ${counted(turnIds.length, 'turn')}, for ${ago(now - openSince)}, next ${turnIds[0] ?? '–'}`,
    ),
  ];
  const more = threadCount - threads.length;
  if (more > 0) lines.push(`  and ${more} more threads`);
  if (dead > 0) lines.push('`council queue dead` says why they failed.');
  return `${lines.join('\n')}\n`;
}

/** @param now - Milliseconds since 1970. */
function deadText(dead: readonly DeadTurn[], now: number): string {
  if (dead.length === 0) return 'No turn has failed for good.\n';
  const lines = dead.map(
    ({ turnId, threadId, reason, starts, diedAt }) =>
      `${turnId}  ${threadId}\n  ${ago(now - diedAt)} ago, after ${counted(starts, 'run')}: ${reason}`,
  );
  return `${lines.join('\n')}\n\`council queue retry ID\` runs one again, \`council queue drop ID\` ends it; \`all\` takes them all.\n`;
}

function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** Names of the keys; `docs/fleet.md` shows them. All are in one slot, because scripts and BullMQ reach several at once. */
import { partsOf } from '../../domain/thread-id.ts';
import type { Client } from './server.ts';

/** What all keys begin with. */
export const prefix = 'council:{queue}';
/** BullMQ's queue of inboxes to drain. */
export const turnsQueue = 'turns';
/** BullMQ's queue of background work. */
export const backgroundQueue = 'background';

export const threadsKey = `${prefix}:threads`;
export const deadKey = `${prefix}:dead`;
export const clockKey = `${prefix}:clock`;
export const pulseKey = `${prefix}:pulse`;
/** Where it is told that a process has looked for turns that no inbox has. The databases of a server share its channels. */
export function adoptingChannel({ options }: Client): string {
  return `council:adopting:${'db' in options ? options.db : 0}`;
}

/** BullMQ's own, of those that wait. */
export const waitingKey = `${prefix}:${turnsQueue}:prioritized`;

/** BullMQ's own: it holds the token of the worker that has the job, for as long as that renews it. */
export function lockKey(job: string): string {
  return `${prefix}:${turnsQueue}:${job}:lock`;
}

export function inboxKey(threadId: string): string {
  return `${prefix}:inbox:${threadId}`;
}

/** The channel and the workspace whose share a turn is taken from: `platform:workspace:channel:thread`. */
export function shareOf(threadId: string): {
  readonly workspace: string;
  readonly channel: string;
} {
  const { platform, workspace, channel } = partsOf(threadId);
  return { workspace: `${platform}:${workspace}`, channel };
}

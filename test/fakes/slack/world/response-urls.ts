import { randomUUID } from 'node:crypto';
import type { Channel, User } from './records.ts';
import type { World } from './world.ts';

/** What a `response_url` answers to. */
export interface ResponseTarget {
  readonly user: User;
  readonly channel: Channel;
  /** The message that was pressed, and the thread that it is in. */
  readonly messageTs: string | undefined;
  readonly threadTs: string | undefined;
}

export interface ResponseUrl extends ResponseTarget {
  readonly openedAtMs: number;
  used: number;
}

/** A url by which the app may answer five times in half an hour. */
export function newResponseUrl(world: World, target: ResponseTarget): string {
  const id = randomUUID();
  world.responseUrls.set(id, { ...target, openedAtMs: world.clock.now(), used: 0 });
  return `${world.origin}/response/${id}`;
}

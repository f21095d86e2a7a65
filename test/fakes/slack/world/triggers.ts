import { randomUUID } from 'node:crypto';
import type { Clock } from '../../discord/world/clock.ts';
import { Refusal } from '../api/refusal.ts';
import type { User } from './records.ts';

/** How long a trigger opens a modal. */
const triggerLivesMs = 3_000;

/** What was just done in the client, by which a modal may be opened. */
export interface Trigger {
  readonly user: User;
  readonly atMs: number;
  /** Whether it was done in a modal; only then may another be put on top. */
  readonly isInModal: boolean;
}

export interface Triggers {
  /** Gives the id of a new trigger. */
  pull(user: User, isInModal: boolean): string;
  /** Uses one up. Throws the Refusal with which Slack answers one that is old, used or made up. */
  exchange(id: string): Trigger;
}

export function createTriggers(clock: Clock): Triggers {
  const triggers = new Map<string, Trigger>();
  const used = new Set<string>();
  return {
    pull: (user, isInModal) => {
      const id = `${clock.now()}.${user.id}.${randomUUID().replaceAll('-', '')}`;
      triggers.set(id, { user, atMs: clock.now(), isInModal });
      return id;
    },
    exchange: (id) => {
      const trigger = triggers.get(id);
      if (trigger === undefined) throw new Refusal('invalid_trigger_id');
      if (used.has(id)) throw new Refusal('exchanged_trigger_id');
      if (clock.now() - trigger.atMs > triggerLivesMs) throw new Refusal('expired_trigger_id');
      used.add(id);
      return trigger;
    },
  };
}

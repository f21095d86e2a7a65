/** A store as a whole, for moving it elsewhere. Changes that a running bot makes meanwhile may be missed. */

import type { Message, Shard, Store, StoredSetting, StoredVector, TurnRecord } from './store.ts';

/** A turn without its messages, which are records of their own. */
export interface DumpedTurn extends Omit<TurnRecord, 'messages'> {
  readonly eventId: string;
}

/** How something that is complete is remembered. */
export interface Standing {
  /** Numbers what was completed or has changed in a workspace, from 1 on. */
  readonly change: number;
  /** Everybody of the workspace may read it. */
  readonly isOpen: boolean;
  /** Its channel is private now. */
  readonly isChannelPrivate: boolean;
}

/** What is known of a message or shard beside itself. */
interface Remembered {
  /** Absent for what is pending, and for what so much came after that it is no longer remembered. */
  readonly standing?: Standing;
  readonly vector?: StoredVector;
}

/** One thing that is stored; none refers to one that is read after it. */
export type DumpRecord =
  /** `rank` counts from 0 in the thread's order, that of the turns; so it does for messages. */
  | { readonly kind: 'turn'; readonly rank: number; readonly turn: DumpedTurn }
  | ({
      readonly kind: 'message';
      readonly rank: number;
      readonly message: Message;
      /** It came from elsewhere; its turn, if it names one, was never here. */
      readonly isImported: boolean;
      /** The shard that it is part of. */
      readonly shardId?: string;
    } & Remembered)
  | ({ readonly kind: 'shard'; readonly shard: Shard } & Remembered)
  | {
      readonly kind: 'setting';
      readonly scope: string;
      readonly name: string;
      readonly setting: StoredSetting;
      /** Milliseconds since 1970; so it is below. */
      readonly expiresAt?: number;
    }
  | { readonly kind: 'claim'; readonly key: string; readonly expiresAt: number }
  /** The event of a turn that was forgotten: it makes no other. */
  | {
      readonly kind: 'forgotten';
      readonly workspace: string;
      readonly eventId: string;
      readonly expiresAt: number;
    }
  | {
      readonly kind: 'spending';
      readonly scope: string;
      /** Days since 1970 in UTC. */
      readonly day: number;
      readonly costUsd: number;
    };

/** Some of what is stored. */
export interface Portion {
  readonly records: readonly DumpRecord[];
  /** How much of the store has been read with it, from 0 to 1. */
  readonly share: number;
}

/** A store whose records can be read and written as they are. */
export interface Dump {
  readonly store: Store;
  /**
   * Reads everything, whatever its age; claims and settings that have expired are left out. A setting
   * may come twice.
   *
   * @param limit - About how many records are read at once.
   */
  read(limit: number): AsyncIterable<Portion>;
  /**
   * Stores records as they are. Those of one source are given in the order in which they were read
   * there; one that was stored before stays.
   */
  write(records: readonly DumpRecord[]): Promise<void>;
}

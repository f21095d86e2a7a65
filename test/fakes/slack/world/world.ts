import type { AdjustableClock } from '../../discord/world/clock.ts';
import type { Store } from '../binary/store.ts';
import type { EventSender } from '../delivery/events.ts';
import type { ViolationLog } from '../schema/violations.ts';
import type { App } from './app.ts';
import type { NextId } from './ids.ts';
import type { State } from './state.ts';

/** What every part of the fake works on. */
export interface World {
  readonly app: App;
  readonly state: State;
  readonly store: Store;
  readonly clock: AdjustableClock;
  readonly nextId: NextId;
  readonly violations: ViolationLog;
  /** e.g. `http://127.0.0.1:40123`. */
  readonly origin: string;
  /** Tells the app of something that happened, if it subscribed to that and may know of it. */
  readonly events: EventSender;
}

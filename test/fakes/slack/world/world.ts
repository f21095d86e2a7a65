import type { AdjustableClock } from '../../discord/world/clock.ts';
import type { ViolationLog } from '../../violation-log.ts';
import type { EventSender } from '../delivery/events.ts';
import type { Interact } from '../delivery/interact.ts';
import type { Violation } from '../schema/violations.ts';
import type { App } from './app.ts';
import type { Assistant } from './assistant.ts';
import type { ChangeSignal } from './change-signal.ts';
import type { Upload } from './files.ts';
import type { NextId } from './ids.ts';
import type { Grant } from './installing.ts';
import type { ResponseUrl } from './response-urls.ts';
import type { State } from './state.ts';
import type { Streams } from './streams.ts';
import type { Triggers } from './triggers.ts';
import type { Views } from './views.ts';

/** What every part of the fake works on. */
export interface World {
  readonly app: App;
  readonly state: State;
  readonly streams: Streams;
  readonly assistant: Assistant;
  readonly views: Views;
  readonly triggers: Triggers;
  readonly responseUrls: Map<string, ResponseUrl>;
  /** By code. */
  readonly grants: Map<string, Grant>;
  /** By the file's id. */
  readonly uploads: Map<string, Upload>;
  readonly clock: AdjustableClock;
  readonly nextId: NextId;
  /** For the next message. */
  readonly nextTs: () => string;
  readonly violations: ViolationLog<Violation>;
  /** e.g. `http://127.0.0.1:40123`. */
  readonly origin: string;
  /** Beaten whenever the app has done something. */
  readonly changes: ChangeSignal;
  /** Tells the app of something that happened, if it subscribed to that and may know of it. */
  readonly events: EventSender;
  /** Asks the app something that cannot wait: a command, a press, a submitted modal. */
  readonly interact: Interact;
}

import type { APIUser } from 'discord-api-types/v10';
import type { ViolationLog } from '../../violation-log.ts';
import type { GatewayEvent } from '../gateway/events.ts';
import type { RateLimits } from '../rest/rate-limits.ts';
import type { Violation } from '../spec/violations.ts';
import type { Clock } from './clock.ts';
import type { State } from './state.ts';

/** What every route and every control of the fake works on. */
export interface World {
  readonly state: State;
  readonly clock: Clock;
  readonly nextId: () => string;
  readonly bot: APIUser;
  readonly applicationId: string;
  /** Who made the application. */
  readonly owner: APIUser;
  /** The application's flags; among them the developer portal's switches for privileged intents. */
  readonly applicationFlags: number;
  /** Whether the developer portal lets the bot read what others write. */
  readonly mayReadContent: boolean;
  /** How many shards a client is told to open. */
  readonly shards: number;
  readonly violations: ViolationLog<Violation>;
  readonly rateLimits: RateLimits;
  /** Address of the server, without a slash at the end. */
  readonly origin: () => string;
  /** Tells every gateway session that may know of it. */
  readonly dispatch: (event: GatewayEvent) => void;
}

/** The time as Discord writes it. */
export function timestamp(world: World): string {
  return new Date(world.clock.now()).toISOString();
}

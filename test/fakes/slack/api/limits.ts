import type { AdjustableClock } from '../../discord/world/clock.ts';
import type { Json } from '../world/records.ts';
import type { Method, Tier } from './method.ts';

/** Calls in a window that begins with the first of them. */
interface Limit {
  readonly calls: number;
  readonly windowMs: number;
}

const minuteMs = 60_000;

/** Slack documents these as a floor ("20+ per minute"); the fake grants no more. */
const tiers: Readonly<Record<Exclude<Tier, 'posting' | 'unlimited'>, Limit>> = {
  1: { calls: 1, windowMs: minuteMs },
  2: { calls: 20, windowMs: minuteMs },
  3: { calls: 50, windowMs: minuteMs },
  4: { calls: 100, windowMs: minuteMs },
};

/** "About one message a second per channel, short bursts above it." How short is not known: two here. */
const perChannel: Limit = { calls: 2, windowMs: 2_000 };
/** "Several hundred messages a minute" in a workspace. */
const perWorkspace: Limit = { calls: 300, windowMs: minuteMs };

export interface Limits {
  isOn: boolean;
  /** How many calls were answered with 429 because of these limits, by method. */
  readonly refused: ReadonlyMap<string, number>;
  /** Counts a call. Gives the seconds until the next try when it comes too early. */
  take(method: Method, team: string, args: Json): number | undefined;
}

export function createLimits(clock: AdjustableClock, isOn: boolean): Limits {
  const windows = new Map<string, { used: number; readonly endsAtMs: number }>();
  const refused = new Map<string, number>();

  /** Milliseconds until the window ends, when it is used up. */
  const waitMs = (key: string, { calls, windowMs }: Limit): number => {
    const now = clock.now();
    const open = windows.get(key);
    const window = open && open.endsAtMs > now ? open : { used: 0, endsAtMs: now + windowMs };
    windows.set(key, window);
    if (window.used >= calls) return window.endsAtMs - now;
    window.used += 1;
    return 0;
  };

  return {
    isOn,
    refused,
    take(method, team, args) {
      if (!this.isOn) return undefined;
      const wait = Math.max(
        ...limitsOf(method, team, args).map(({ key, limit }) => waitMs(key, limit)),
        0,
      );
      if (wait === 0) return undefined;
      refused.set(method.name, (refused.get(method.name) ?? 0) + 1);
      return Math.ceil(wait / 1000);
    },
  };
}

function limitsOf(method: Method, team: string, args: Json) {
  const { name, tier } = method;
  if (tier === 'unlimited') return [];
  if (tier !== 'posting') return [{ key: `${team} ${name}`, limit: tiers[tier] }];
  return [
    { key: `${team} ${name}`, limit: perWorkspace },
    { key: `${team} ${name} ${String(args.channel)}`, limit: perChannel },
  ];
}

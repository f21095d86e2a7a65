import { LRUCache } from 'lru-cache';
import type { SlackApi } from '../api/slack-api.ts';
import { scopeNames } from '../permissions.ts';
import { readIdentity } from './identity.ts';

/** Who the app is in a workspace, as far as what it shows depends on it. */
export interface OwnIdentity {
  /** `B…`: what its messages carry, also those under a sage's name. */
  readonly botId: string;
  /** What it was granted; everything it asks for where Slack does not say. */
  readonly scopes: readonly string[];
}

/** For so long a scope that was granted meanwhile may stay unused. */
const keptMs = 600_000;
/** Workspaces; of more, who the app is there is asked anew. */
const mostKept = 5000;

/** Looks once in a while who the app is, not for each turn. */
export class Identities {
  readonly #api: SlackApi;
  readonly #known: LRUCache<string, Promise<OwnIdentity>>;

  /** @param api - That asks again while nothing is answered: no turn is shown without it. */
  constructor(api: SlackApi, now: () => number) {
    this.#api = api;
    const clock = { perf: { now }, ttlResolution: 0 };
    this.#known = new LRUCache({ max: mostKept, ttl: keptMs, ...clock });
  }

  /** Rejects as {@link readIdentity} does; the next call looks again. */
  of(team: string): Promise<OwnIdentity> {
    const known = this.#known.get(team);
    if (known) return known;
    const identity = readIdentity(this.#api, team).then(({ botId, scopes }) => ({
      botId,
      scopes: scopes ?? scopeNames,
    }));
    this.#known.set(team, identity);
    identity.catch(() => this.#known.delete(team));
    return identity;
  }

  /** It is no longer what it was, e.g. the app was taken out. */
  forget(team: string): void {
    this.#known.delete(team);
  }
}

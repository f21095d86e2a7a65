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

/** Looks once in a while who the app is, not for each turn. */
export class Identities {
  readonly #api: SlackApi;
  readonly #now: () => number;
  readonly #known = new Map<
    string,
    { readonly identity: Promise<OwnIdentity>; readonly readAt: number }
  >();

  /** @param api - That asks again while nothing is answered: no turn is shown without it. */
  constructor(api: SlackApi, now: () => number) {
    this.#api = api;
    this.#now = now;
  }

  /** Rejects as {@link readIdentity} does; the next call looks again. */
  of(team: string): Promise<OwnIdentity> {
    const known = this.#known.get(team);
    if (known && this.#now() - known.readAt < keptMs) return known.identity;
    const identity = readIdentity(this.#api, team).then(({ botId, scopes }) => ({
      botId,
      scopes: scopes ?? scopeNames,
    }));
    this.#known.set(team, { identity, readAt: this.#now() });
    identity.catch(() => this.#known.delete(team));
    return identity;
  }

  /** It is no longer what it was, e.g. the app was taken out. */
  forget(team: string): void {
    this.#known.delete(team);
  }
}

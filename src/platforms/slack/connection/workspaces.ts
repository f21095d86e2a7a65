/** Whose events come in, and in whose name they are answered: one workspace, or all that add the app, for as long as they keep it. */

import type { Authorize, Receiver } from '@slack/bolt';
import type { Log } from '../../../domain/log.ts';
import type { ConnectionHealth, Ingress } from '../../platform.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { platformName } from '../place.ts';
import { type SlackSetupError, SlackTokenWithdrawn } from '../slack-error.ts';
import type { ScopeGap } from './identity.ts';

/** How events come from Slack: over a socket that is opened from here, or as requests that come in. */
export interface Connection {
  /** Hands what comes in to Bolt. */
  readonly receiver: Receiver;
  /** For so many milliseconds Slack repeats what it could not deliver. */
  readonly redeliveredForMs: number;
  /** The port that requests come to; `undefined` with a socket, and while none come. */
  readonly listeningOn: number | undefined;
  /** @throws {SlackSetupError} for what the operator has to change; `SlackUnanswered` when Slack can't be reached. */
  open(): Promise<void>;
  health(): ConnectionHealth;
  /** Takes in nothing more. Also for a connection that was never opened, or that is just being made. */
  close(): Promise<void>;
}

/** What was found at the start. */
export interface FoundWorkspaces {
  /** Names for people. */
  readonly names: readonly string[];
  /** Ids of all of them. */
  readonly teams: readonly string[];
  /** Ids of those that Slack was not asked about: the app may have been taken out. */
  readonly unverified: readonly string[];
  readonly gaps: readonly ScopeGap[];
  /** Names of those whose token was kept under another key, so that the app cannot answer there. */
  readonly unreadable: readonly string[];
  /** Path or address at which the app is added to a workspace; absent where one is all there is. */
  readonly installAt?: string;
}

export interface ConnectionOptions {
  readonly apiUrl: string;
  readonly log: Log;
  /** How long the first connection may take before Slack counts as out of reach. */
  readonly openWithinMs: number;
  /** The connection has ended for good; called at most once, and not before it was open. */
  readonly onFatal: (error: SlackSetupError) => void;
  /**
   * The connection is back after it was lost; events in between may be missing.
   *
   * @param lastEventAt - When anything last came, in milliseconds since 1970.
   */
  readonly onReconnect: (lastEventAt: number) => void;
}

export interface Workspaces {
  /** A fingerprint of the credentials, useless to a thief: it recognises a token for which Slack names no workspace. */
  readonly fingerprint: string;
  /** The bot's token there; rejects with `SlackSetupError` where there is none. */
  tokenOf(team: string): string | Promise<string>;
  /** @throws {SlackSetupError} for what the operator has to change; `SlackUnanswered` when Slack can't be reached. */
  examine(api: SlackApi): Promise<FoundWorkspaces>;
  /** Call {@link examine} first. `authorize` is absent where the receiver installs the app itself. */
  connect(options: ConnectionOptions): {
    readonly connection: Connection;
    readonly authorize?: Authorize<boolean>;
  };
  /** Whether the app is in a workspace at the moment. Throws when Slack does not tell. */
  isIn(team: string, api: SlackApi): Promise<boolean>;
  /** The app was taken out of a workspace: nothing more comes from there. */
  removed(team: string): Promise<void>;
}

export interface MembershipOptions {
  readonly workspaces: Workspaces;
  readonly api: SlackApi;
  readonly ingress: Pick<Ingress, 'left' | 'memberships'>;
  readonly log: Log;
  readonly isStopping: () => boolean;
}

export class Membership {
  readonly #options: MembershipOptions;

  constructor(options: MembershipOptions) {
    this.#options = options;
  }

  /**
   * Looks where the app is, and hands it in. Slack says of a token that is withdrawn, and not of which
   * workspace it was: that is the one where this very token was good before, and no other.
   *
   * @throws As {@link Workspaces.examine} does.
   */
  async examine(): Promise<FoundWorkspaces> {
    const { workspaces, api } = this.#options;
    const found = await workspaces.examine(api).catch(async (error: unknown) => {
      if (error instanceof SlackTokenWithdrawn) await this.#tell([]);
      throw error;
    });
    await this.#tell(found.teams);
    return found;
  }

  /** The word may be old: the app may have been added again since. */
  async heard(team: string): Promise<void> {
    const isIn = await this.#isIn(team);
    // What can't be told yet is looked at again when it is due.
    if (!isIn) await this.#left(team, isIn);
  }

  /** Asks Slack about each workspace: it does not repeat what happened while the app was away. Never throws. */
  async look(teams: readonly string[]): Promise<void> {
    for (const team of teams) {
      if (this.#options.isStopping()) return;
      const isIn = await this.#isIn(team);
      if (isIn === false) await this.#left(team, isIn).catch((error) => this.#failed(error));
    }
  }

  async #tell(teams: readonly string[]): Promise<void> {
    const { ingress, workspaces } = this.#options;
    const as = workspaces.fingerprint;
    const told = { platform: platformName, as, workspaces: teams, wouldName: () => true };
    await ingress.memberships(told).catch((error: unknown) => this.#failed(error));
  }

  async #left(team: string, isIn: boolean | undefined): Promise<void> {
    const { ingress, workspaces } = this.#options;
    // First what is not told again, should the process end here.
    await ingress.left({ platform: platformName, workspace: team });
    if (isIn === false) await workspaces.removed(team);
  }

  /** @returns Nothing when Slack does not tell. */
  async #isIn(team: string): Promise<boolean | undefined> {
    const { workspaces, api, log } = this.#options;
    try {
      return await workspaces.isIn(team, api);
    } catch (error) {
      log.warn({ team, error }, 'it is not known yet whether the app was removed');
      return undefined;
    }
  }

  #failed(error: unknown): void {
    this.#options.log.error({ error }, 'the workspaces that removed the app could not be noted');
  }
}

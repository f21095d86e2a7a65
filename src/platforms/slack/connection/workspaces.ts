/** The workspaces that the app serves, one or many, and how it learns that one has removed it. */

import type { Authorize, Receiver } from '@slack/bolt';
import type { Log } from '../../../domain/log.ts';
import type { SetupError } from '../../chat/pacing/platform-error.ts';
import type { ConnectionHealth, Ingress } from '../../platform.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { platformName } from '../place.ts';
import { SlackTokenWithdrawn } from '../slack-error.ts';
import type { ScopeGap } from './identity.ts';

/** How events arrive from Slack: over an outgoing socket, or as incoming requests. */
export interface Connection {
  /** Passes events to Bolt. */
  readonly receiver: Receiver;
  /** For how many milliseconds Slack retries an event that it could not deliver. */
  readonly redeliveredForMs: number;
  /** The port for requests; `undefined` with a socket, and while not listening. */
  readonly listeningOn: number | undefined;
  /** @throws {SetupError} if the operator has to change something; `UnansweredError` if Slack can't be reached. */
  open(): Promise<void>;
  health(): ConnectionHealth;
  /** Stops receiving events. Also works before and during {@link open}. */
  close(): Promise<void>;
}

/** The workspaces at startup. */
export interface FoundWorkspaces {
  readonly names: readonly string[];
  readonly gaps: readonly ScopeGap[];
  /** Names of those whose token was encrypted under another key; the app can't answer there. */
  readonly unreadable: readonly string[];
  /** Path or address at which a workspace adds the app; absent when serving one workspace. */
  readonly installAt?: string;
}

export interface ConnectionOptions {
  readonly apiUrl: string;
  readonly log: Log;
  /** How long the first connection may take before Slack counts as unreachable. */
  readonly openWithinMs: number;
  /** The connection has failed permanently; called only after it was open. */
  readonly onFatal: (error: SetupError) => void;
  /** The connection is back after an outage; events in between may be missing. */
  readonly onReconnect: () => void;
}

export interface Workspaces {
  /** Identifies the credentials without revealing them. A revoked token names no workspace; this still does. */
  readonly fingerprint: string;
  /** Returns a workspace's bot token; rejects with `SetupError` where there is none. */
  tokenOf(team: string): string | Promise<string>;
  /** @throws {SetupError} if the operator has to change something; `UnansweredError` if Slack can't be reached. */
  examine(api: SlackApi): Promise<FoundWorkspaces>;
  /** Ids of the workspaces, as they are now. Call {@link examine} first. Throws what the store throws. */
  teams(): Promise<readonly string[]>;
  /** Call {@link examine} first. `authorize` is absent if the receiver also handles installation. */
  connect(options: ConnectionOptions): {
    readonly connection: Connection;
    readonly authorize?: Authorize<boolean>;
  };
  /** Whether the app is currently installed in a workspace. Throws if Slack does not answer. */
  isIn(team: string, api: SlackApi): Promise<boolean>;
  /** The app was removed from a workspace: no more events will come from it. */
  removed(team: string): Promise<void>;
}

interface MembershipOptions {
  readonly workspaces: Workspaces;
  readonly api: SlackApi;
  readonly ingress: Pick<Ingress, 'left' | 'memberships'>;
  readonly log: Log;
  readonly isStopping: () => boolean;
}

/** Finds out which workspaces have removed the app, and reports it to the bot. */
export function membershipOf({ workspaces, api, ingress, log, isStopping }: MembershipOptions) {
  const failed = (error: unknown) =>
    log.error({ error }, 'the workspaces that removed the app could not be stored');

  /** None if the store fails. */
  const teams = () =>
    workspaces.teams().catch((error: unknown): readonly string[] => {
      log.error({ error }, 'the workspaces with the app could not be read');
      return [];
    });

  const report = async (teams: readonly string[]) => {
    const as = workspaces.fingerprint;
    const memberships = { platform: platformName, as, workspaces: teams, wouldName: () => true };
    await ingress.memberships(memberships).catch(failed);
  };

  /** @returns `undefined` if Slack does not answer. */
  const isIn = async (team: string) => {
    try {
      return await workspaces.isIn(team, api);
    } catch (error) {
      log.warn({ team, error }, 'it is not known yet whether the app was removed');
      return undefined;
    }
  };

  const left = (team: string) => ingress.left({ platform: platformName, workspace: team });

  return {
    teams,

    /**
     * Finds the workspaces and reports them. For a revoked token Slack does not name the workspace; it is the
     * one in which the same credentials worked before.
     *
     * @throws As {@link Workspaces.examine} does.
     */
    async examine(): Promise<FoundWorkspaces> {
      const found = await workspaces.examine(api).catch(async (error: unknown) => {
        if (error instanceof SlackTokenWithdrawn) await report([]);
        throw error;
      });
      await report(await workspaces.teams());
      return found;
    },

    /** Handles Slack's event that the app was removed. It may be outdated: the app may have been added again since. */
    async onRemoved(team: string): Promise<void> {
      const isThere = await isIn(team);
      if (isThere) return;
      // If that is unknown, the bot checks again before it deletes anything.
      await left(team);
      if (isThere === false) await workspaces.removed(team);
    },

    /** Asks Slack about all workspaces or some, because removals during an outage are not redelivered. Never throws. */
    async check(some?: readonly string[]): Promise<void> {
      for (const team of some ?? (await teams())) {
        if (isStopping()) return;
        if ((await isIn(team)) !== false) continue;
        // First, because no later event would repeat it if the process ended here.
        await left(team)
          .then(() => workspaces.removed(team))
          .catch(failed);
      }
    },
  };
}

/** Whose events come in, and in whose name they are answered: one workspace, or all that add the app. */

import type { Authorize, Receiver } from '@slack/bolt';
import type { Log } from '../../../domain/log.ts';
import type { ConnectionHealth } from '../../platform.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { ScopeGap } from '../permissions.ts';
import type { SlackSetupError } from '../slack-error.ts';

/** How events come from Slack: over a socket that is opened from here, or as requests that come in. */
export interface Connection {
  /** Hands what comes in to Bolt. */
  readonly receiver: Receiver;
  /** For so many milliseconds Slack repeats what it could not deliver. */
  readonly repeatedForMs: number;
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
  readonly unasked: readonly string[];
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
   * @param lastHeardAt - When anything last came, in milliseconds since 1970.
   */
  readonly onBack: (lastHeardAt: number) => void;
}

export interface Workspaces {
  /** A fingerprint of the credentials, useless to a thief: it recognises a token for which Slack names no workspace. */
  readonly knownBy: string;
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

/** Ways to connect to Slack: one workspace over a socket or HTTP requests, or every workspace that adds the app. */

import { createHash } from 'node:crypto';
import type { Log } from '../../../domain/log.ts';
import { reach, SetupError } from '../../chat/pacing/platform-error.ts';
import { createSlackApi } from '../api/slack-api.ts';
import {
  identityUnlessRemoved,
  readIdentity,
  type SlackIdentity,
  scopeGaps,
  scopeNames,
} from './identity.ts';
import {
  createTokenCipher,
  type InstallationRecords,
  Installations,
  stateSecretOf,
} from './installations.ts';
import { requestConnection } from './requests.ts';
import { socketAddress, socketConnection } from './socket-connection.ts';
import type { Connection, ConnectionOptions, Workspaces } from './workspaces.ts';

/** Where the bot listens for Slack's requests. */
interface Address {
  readonly host: string;
  readonly port: number;
}

export type SlackAccess =
  /** One workspace, events over a socket. */
  | { readonly kind: 'socket'; readonly botToken: string; readonly appToken: string }
  /** One workspace, events as signed requests. */
  | ({
      readonly kind: 'requests';
      readonly botToken: string;
      readonly signingSecret: string;
    } & Address)
  /** Every workspace that adds the app, events as signed requests. */
  | ({
      readonly kind: 'several workspaces';
      readonly clientId: string;
      readonly clientSecret: string;
      readonly signingSecret: string;
      /** 32 bytes in base64. */
      readonly encryptionKey: string;
      /** Public base address; absent: Slack redirects to the first redirect URL in the app's settings. */
      readonly publicUrl?: string;
      readonly records: InstallationRecords;
    } & Address);

export function workspacesOf(access: SlackAccess, log: Log, now: () => number): Workspaces {
  if (access.kind === 'several workspaces') return severalWorkspaces(access, log, now);
  return oneWorkspace(access.botToken, (options) =>
    access.kind === 'socket'
      ? socketConnection({ ...options, appToken: access.appToken })
      : requestConnection({ ...access, log }),
  );
}

/**
 * The workspace or organisation of the configured token.
 *
 * @param connectionWith - Creates the connection for its events.
 */
function oneWorkspace(
  botToken: string,
  connectionWith: (options: ConnectionOptions) => Connection,
): Workspaces {
  let identity: SlackIdentity | undefined;
  let onFatal: ConnectionOptions['onFatal'] | undefined;
  return {
    fingerprint: createHash('sha256').update(botToken).digest('base64url'),
    tokenOf: () => botToken,
    async examine(api) {
      identity = await readIdentity(api, 'one');
      const { teamName, scopes } = identity;
      return { names: [teamName], gaps: scopeGaps(teamName, scopes), unreadable: [] };
    },
    teams: async () => (identity ? [identity.team] : []),
    connect(options) {
      if (!identity) throw new Error('Call examine() before connect().');
      onFatal = options.onFatal;
      const { team, isEnterpriseInstall, botId, botUserId } = identity;
      // An organisation's token works in all of its workspaces; the event names the workspace.
      const where = isEnterpriseInstall ? {} : { teamId: team };
      const authorized = { ...where, botId, botUserId, botToken };
      return { connection: connectionWith(options), authorize: async () => authorized };
    },
    async isIn(team, api) {
      const now = await identityUnlessRemoved(api, 'one').catch((error: unknown) => {
        if (error instanceof SetupError) onFatal?.(error);
        throw error;
      });
      // An organisation's token is valid in each of its workspaces.
      return now !== undefined && (now.isEnterpriseInstall || now.team === team);
    },
    async removed() {
      onFatal?.(
        new SetupError(
          'The app was removed from the workspace. To restore it, install it again on its page at api.slack.com/apps, under Install App, and put the new token in SLACK_BOT_TOKEN.',
        ),
      );
    },
  };
}

const installPath = '/slack/install';
const redirectPath = '/slack/oauth_redirect';
/** Few, because a person is waiting in the browser. */
const installRetries = 2;

/** Every workspace that has added the app, over signed requests. */
function severalWorkspaces(
  access: Extract<SlackAccess, { kind: 'several workspaces' }>,
  log: Log,
  now: () => number,
): Workspaces {
  const { clientId, clientSecret, encryptionKey, records } = access;
  const publicUrl = access.publicUrl?.replace(/\/+$/, '');
  const installations = new Installations(records, createTokenCipher(encryptionKey), now);
  return {
    fingerprint: clientId,
    tokenOf: (team) => installations.tokenOf(team),
    async examine() {
      const kept = await installations.list();
      return {
        names: kept.map(({ name }) => name),
        gaps: kept.flatMap(({ name, scopes }) => scopeGaps(name, scopes)),
        unreadable: kept.flatMap(({ name, isReadable }) => (isReadable ? [] : [name])),
        installAt: `${publicUrl ?? ''}${installPath}`,
      };
    },
    teams: async () => (await installations.list()).map(({ team }) => team),
    connect({ apiUrl }) {
      const install = {
        clientId,
        clientSecret,
        scopes: [...scopeNames],
        stateSecret: stateSecretOf(encryptionKey),
        installationStore: installations,
        ...(publicUrl === undefined ? {} : { redirectUri: `${publicUrl}${redirectPath}` }),
        installerOptions: {
          installPath,
          redirectUriPath: redirectPath,
          authorizationUrl: new URL('../oauth/v2/authorize', apiUrl).href,
          clientOptions: { slackApiUrl: apiUrl, retryConfig: { retries: installRetries } },
        },
      };
      return { connection: requestConnection({ ...access, log, install }) };
    },
    async isIn(team, api) {
      if ((await records.read(team)) === undefined) return false;
      // Throws if the token was encrypted under another key: then it can't be tested.
      await installations.tokenOf(team);
      return (await identityUnlessRemoved(api, team)) !== undefined;
    },
    async removed(team) {
      await installations.remove(team);
      log.info({ team }, 'the app was removed from a workspace');
    },
  };
}

const timeoutMs = 10_000;

export interface ExamineOptions {
  readonly apiUrl: string;
  /** Absent when serving several workspaces: their tokens are in the store. */
  readonly botToken: string | undefined;
  /** Absent without Socket Mode. */
  readonly appToken: string | undefined;
}

/**
 * Checks whether the bot could start, without taking events from a running bot.
 *
 * @returns The findings, for the operator.
 * @throws {SetupError} if a token is rejected; `UnansweredError` if Slack can't be reached.
 */
export async function examineSlack(options: ExamineOptions): Promise<string> {
  const { apiUrl, botToken, appToken } = options;
  const apiWith = (token: string) => createSlackApi({ apiUrl, timeoutMs, tokenOf: () => token });
  const found: string[] = [];
  if (botToken === undefined) {
    await reach(apiUrl, 'Slack');
    found.push('Slack can be reached; tokens of workspaces are checked when the bot starts');
  } else {
    const { teamName, scopes } = await readIdentity(apiWith(botToken), 'one');
    const gaps = scopeGaps(teamName, scopes).map(({ scope, lost }) => `it lacks ${scope}: ${lost}`);
    found.push(`the token is accepted, for ${teamName}`, ...gaps);
  }
  if (appToken !== undefined) {
    const address = await socketAddress(apiWith(appToken));
    await reach(address, 'the app token is accepted, but its socket');
    found.push('the app token is accepted, and its socket can be reached');
  }
  return found.join('; ');
}

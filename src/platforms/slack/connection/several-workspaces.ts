import type { Log } from '../../../domain/log.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { scopeGaps, scopeNames } from '../permissions.ts';
import { isTokenGood } from './identity.ts';
import { type InstallationRecords, Installations } from './installations.ts';
import { RequestConnection } from './requests.ts';
import { createTokenCipher, stateSecretOf } from './token-cipher.ts';
import type { ConnectionOptions, FoundWorkspaces, Workspaces } from './workspaces.ts';

export interface SeveralWorkspacesOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly signingSecret: string;
  /** 32 bytes in base64. */
  readonly encryptionKey: string;
  readonly records: InstallationRecords;
  readonly host: string;
  readonly port: number;
  /** What stands before the paths from outside; absent: Slack leads back to the first address that the app's page names. */
  readonly publicUrl?: string;
  readonly log: Log;
  readonly now: () => number;
}

const installPath = '/slack/install';
const redirectPath = '/slack/oauth_redirect';
/** Somebody waits at the browser. */
const installRetries = 2;

/** All workspaces that have added the app, over signed requests. */
export class SeveralWorkspaces implements Workspaces {
  readonly knownBy: string;
  readonly #options: SeveralWorkspacesOptions;
  readonly #installations: Installations;

  constructor(options: SeveralWorkspacesOptions) {
    this.knownBy = options.clientId;
    this.#options = options;
    const cipher = createTokenCipher(options.encryptionKey);
    this.#installations = new Installations(options.records, cipher, options.now);
  }

  tokenOf(team: string): Promise<string> {
    return this.#installations.tokenOf(team);
  }

  async examine(): Promise<FoundWorkspaces> {
    const kept = await this.#installations.list();
    const teams = kept.map(({ team }) => team);
    return {
      names: kept.map(({ name }) => name),
      ...{ teams, unasked: teams },
      gaps: kept.flatMap(({ name, scopes }) => scopeGaps(name, scopes)),
      unreadable: kept.flatMap(({ name, isReadable }) => (isReadable ? [] : [name])),
      installAt: `${this.#publicUrl() ?? ''}${installPath}`,
    };
  }

  connect({ apiUrl, log }: ConnectionOptions) {
    const { signingSecret, host, port, clientId, clientSecret, encryptionKey } = this.#options;
    const publicUrl = this.#publicUrl();
    const connection = new RequestConnection({
      ...{ signingSecret, host, port, log },
      install: {
        ...{ clientId, clientSecret, scopes: [...scopeNames] },
        stateSecret: stateSecretOf(encryptionKey),
        installationStore: this.#installations,
        ...(publicUrl === undefined ? {} : { redirectUri: `${publicUrl}${redirectPath}` }),
        installerOptions: {
          installPath,
          redirectUriPath: redirectPath,
          authorizationUrl: new URL('../oauth/v2/authorize', apiUrl).href,
          clientOptions: { slackApiUrl: apiUrl, retryConfig: { retries: installRetries } },
        },
      },
    });
    return { connection };
  }

  async isIn(team: string, api: SlackApi): Promise<boolean> {
    if (!(await this.#installations.has(team))) return false;
    // Of one that was kept under another key nobody knows: then this rejects.
    await this.#installations.tokenOf(team);
    return isTokenGood(api, team);
  }

  async removed(team: string): Promise<void> {
    await this.#installations.remove(team);
    this.#options.log.info({ team }, 'the app was taken out of a workspace');
  }

  #publicUrl(): string | undefined {
    return this.#options.publicUrl?.replace(/\/+$/, '');
  }
}

import { createHash } from 'node:crypto';
import type { Authorize } from '@slack/bolt';
import type { SlackApi } from '../api/slack-api.ts';
import { scopeGaps } from '../permissions.ts';
import { SlackSetupError, SlackTokenWithdrawn } from '../slack-error.ts';
import type { Connection } from './connection.ts';
import { readIdentity, type SlackIdentity } from './identity.ts';
import type { ConnectionOptions, FoundWorkspaces, Workspaces } from './workspaces.ts';

/** The workspace, or the organisation, whose token is set. */
export class OneWorkspace implements Workspaces {
  readonly knownBy: string;
  readonly #botToken: string;
  readonly #connection: (options: ConnectionOptions) => Connection;
  #identity: SlackIdentity | undefined;
  #onFatal: ((error: SlackSetupError) => void) | undefined;

  /** @param connection - How its events come. */
  constructor(botToken: string, connection: (options: ConnectionOptions) => Connection) {
    this.knownBy = createHash('sha256').update(botToken).digest('base64url');
    this.#botToken = botToken;
    this.#connection = connection;
  }

  tokenOf(): string {
    return this.#botToken;
  }

  async examine(api: SlackApi): Promise<FoundWorkspaces> {
    const identity = await readIdentity(api, 'one');
    this.#identity = identity;
    const { team, teamName, scopes } = identity;
    const gaps = scopes === undefined ? [] : scopeGaps(teamName, scopes);
    return { names: [teamName], teams: [team], unasked: [], gaps, unreadable: [] };
  }

  connect(options: ConnectionOptions) {
    const identity = this.#identity;
    if (!identity) throw new Error('The workspace was not looked at before.');
    this.#onFatal = options.onFatal;
    const { team, isEnterpriseInstall, botId, botUserId } = identity;
    // A token for an organisation answers in each of its workspaces; then the event says which.
    const where = isEnterpriseInstall ? {} : { teamId: team };
    const authorize: Authorize<boolean> = async () => ({
      ...where,
      ...{ botId, botUserId, botToken: this.#botToken },
    });
    return { connection: this.#connection(options), authorize };
  }

  async isIn(team: string, api: SlackApi): Promise<boolean> {
    try {
      const identity = await readIdentity(api, 'one');
      // A token for an organisation is good in each of its workspaces.
      return identity.isEnterpriseInstall || identity.team === team;
    } catch (error) {
      if (error instanceof SlackTokenWithdrawn) return false;
      throw error;
    }
  }

  async removed(): Promise<void> {
    this.#onFatal?.(
      new SlackSetupError(
        'The app was taken out of the workspace. To have it back, install it again on its page at api.slack.com/apps, under Install App, and put the new token into SLACK_BOT_TOKEN.',
      ),
    );
  }
}

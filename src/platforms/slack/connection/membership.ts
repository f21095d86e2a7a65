/** Finds out whether the app was taken out of a workspace, by what is told and by what its token is good for. */

import type { Log } from '../../../domain/log.ts';
import type { Ingress } from '../../platform.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { SlackTokenWithdrawn } from '../slack-error.ts';
import { platformName } from '../thread-id.ts';
import type { FoundWorkspaces, Workspaces } from './workspaces.ts';

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
    const as = workspaces.knownBy;
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
      log.warn({ team, error }, 'whether the app was taken out can not be told yet');
      return undefined;
    }
  }

  #failed(error: unknown): void {
    this.#options.log.error({ error }, 'where the app was taken out could not be noted');
  }
}

/** The workspaces that have added the app, with their tokens, as Bolt's OAuth wants them kept. */

import type { Installation, InstallationQuery, InstallationStore } from '@slack/bolt';
import { z } from 'zod';
import { SlackSetupError } from '../slack-error.ts';
import type { Sealed, TokenCipher } from './token-cipher.ts';

/** What is known of an installation without the key; nothing of it is secret. */
const factsSchema = z.object({
  /** For people. */
  name: z.string(),
  keyId: z.string(),
  scopes: z.array(z.string()),
});

/** What can be read of an installation without the key. */
export type InstallationFacts = z.infer<typeof factsSchema>;

/** Where installations are kept. A `team` is a workspace, `T…`, or a whole organisation, `E…`. */
export interface InstallationRecords {
  /** What was written for a team; `undefined` where there is nothing. */
  read(team: string): Promise<unknown>;
  /** @param by - Id of the person who added the app. */
  write(team: string, sealed: Sealed, facts: InstallationFacts, by: string): Promise<void>;
  remove(team: string): Promise<void>;
  /** The facts of every team that is kept. */
  list(): Promise<ReadonlyMap<string, unknown>>;
}

const named = z.object({ id: z.string(), name: z.string().exactOptional() });

/** What is kept of an installation: no token of a person is ever asked for. */
const keptSchema = z.object({
  team: named.optional(),
  enterprise: named.optional(),
  user: z.object({ id: z.string() }),
  bot: z.object({
    token: z.string(),
    scopes: z.array(z.string()),
    id: z.string(),
    userId: z.string(),
    refreshToken: z.string().exactOptional(),
    expiresAt: z.number().exactOptional(),
  }),
  isEnterpriseInstall: z.boolean().default(false),
});
type Kept = z.infer<typeof keptSchema>;

/** How long a token that was read is used without reading it again; another process may have replaced it. */
const freshForMs = 60_000;

export class Installations implements InstallationStore {
  readonly #records: InstallationRecords;
  readonly #cipher: TokenCipher;
  readonly #now: () => number;
  readonly #tokens = new Map<string, { readonly token: string; readonly until: number }>();

  constructor(records: InstallationRecords, cipher: TokenCipher, now: () => number) {
    this.#records = records;
    this.#cipher = cipher;
    this.#now = now;
  }

  /**
   * The bot's token in a workspace.
   *
   * @throws {SlackSetupError} when the app is not there, or the token was kept under another key.
   */
  async tokenOf(team: string): Promise<string> {
    const known = this.#tokens.get(team);
    if (known && known.until > this.#now()) return known.token;
    const kept = await this.#find(team);
    if (!kept) throw notThere(team);
    this.#tokens.set(team, { token: kept.bot.token, until: this.#now() + freshForMs });
    return kept.bot.token;
  }

  async storeInstallation(installation: Installation): Promise<void> {
    const kept = keptSchema.safeParse(installation);
    if (!kept.success) {
      throw new SlackSetupError(
        'Slack gave no token for a bot. Make the app from config/slack-manifest.yaml, and add it again.',
        { cause: kept.error },
      );
    }
    const owner = ownerOf(kept.data);
    const { scopes } = kept.data.bot;
    const facts = { name: owner.name ?? owner.id, keyId: this.#cipher.keyId, scopes };
    const sealed = this.#cipher.seal(JSON.stringify(kept.data), owner.id);
    await this.#records.write(owner.id, sealed, facts, kept.data.user.id);
    this.#tokens.delete(owner.id);
  }

  async fetchInstallation(query: InstallationQuery<boolean>): Promise<Installation> {
    const { teamId, enterpriseId, isEnterpriseInstall } = query;
    const owners = [isEnterpriseInstall ? undefined : teamId, enterpriseId];
    for (const owner of owners) {
      const kept = owner === undefined ? undefined : await this.#find(owner);
      if (kept) return asInstallation(kept);
    }
    throw notThere(teamId ?? enterpriseId ?? 'without an id');
  }

  async deleteInstallation({
    teamId,
    enterpriseId,
    isEnterpriseInstall,
  }: InstallationQuery<boolean>) {
    const owner = isEnterpriseInstall ? enterpriseId : teamId;
    if (owner !== undefined) await this.remove(owner);
  }

  /** Whether the app is kept as added there; its token may be good or not. */
  async has(team: string): Promise<boolean> {
    return (await this.#records.read(team)) !== undefined;
  }

  async remove(team: string): Promise<void> {
    this.#tokens.delete(team);
    await this.#records.remove(team);
  }

  /** What is known of each workspace, and whether its token can be read with the key at hand. */
  async list(): Promise<
    readonly (InstallationFacts & { readonly team: string; readonly isReadable: boolean })[]
  > {
    const records = await this.#records.list();
    return [...records].map(([team, record]) => {
      const facts = factsSchema.parse(record);
      return { ...facts, team, isReadable: facts.keyId === this.#cipher.keyId };
    });
  }

  async #find(team: string): Promise<Kept | undefined> {
    const sealed = await this.#records.read(team);
    if (sealed === undefined) return undefined;
    return keptSchema.parse(JSON.parse(this.#cipher.open(sealed, team)));
  }
}

function ownerOf({ team, enterprise, isEnterpriseInstall }: Kept): z.infer<typeof named> {
  const owner = isEnterpriseInstall ? enterprise : team;
  if (owner) return owner;
  throw new SlackSetupError('Slack named no workspace that the app was added to. Add it again.');
}

function asInstallation({ team, enterprise, user, ...kept }: Kept): Installation {
  const asker = { ...user, token: undefined, scopes: undefined };
  return { team, enterprise, user: asker, ...kept, authVersion: 'v2', tokenType: 'bot' };
}

function notThere(team: string): SlackSetupError {
  return new SlackSetupError(
    `The app is not in workspace ${team}. A manager of the workspace can add it at /slack/install.`,
  );
}

/** Bolt's store of installations: the workspaces that have added the app, with their encrypted tokens. */

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Installation, InstallationQuery, InstallationStore } from '@slack/bolt';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { SetupError } from '../../chat/pacing/platform-error.ts';

const factsSchema = z.object({
  /** The workspace's name. */
  name: z.string(),
  keyId: z.string(),
  scopes: z.array(z.string()),
});

/** The part of an installation that is stored unencrypted; none of it is secret. */
export type InstallationFacts = z.infer<typeof factsSchema>;

/** Where installations are stored. A `team` is a workspace, `T…`, or a whole organisation, `E…`. */
export interface InstallationRecords {
  /** A team's record as it was written, or `undefined`. */
  read(team: string): Promise<unknown>;
  write(team: string, sealed: Sealed, facts: InstallationFacts): Promise<void>;
  remove(team: string): Promise<void>;
  /** Every team's facts. */
  list(): Promise<ReadonlyMap<string, unknown>>;
}

/** Decrypted, so it is as it was stored. User tokens are never requested. */
const installationSchema = z.custom<Installation>();

/** How long a token is cached; another process may replace it meanwhile. */
const freshForMs = 60_000;
const maxCached = 5000;

export class Installations implements InstallationStore {
  readonly #records: InstallationRecords;
  readonly #cipher: TokenCipher;
  readonly #tokens: LRUCache<string, string>;

  constructor(records: InstallationRecords, cipher: TokenCipher, now: () => number) {
    this.#records = records;
    this.#cipher = cipher;
    this.#tokens = new LRUCache({
      max: maxCached,
      ttl: freshForMs,
      perf: { now },
      ttlResolution: 0,
      ignoreFetchAbort: true,
      fetchMethod: async (team) => (await this.#find(team))?.bot?.token,
    });
  }

  /**
   * Returns the bot token of a workspace.
   *
   * @throws {SetupError} if the app is not installed there, or the token was encrypted under another key.
   */
  async tokenOf(team: string): Promise<string> {
    const token = await this.#tokens.fetch(team);
    if (token === undefined) throw notThere(team);
    return token;
  }

  async storeInstallation(installation: Installation): Promise<void> {
    const { team, enterprise, isEnterpriseInstall, bot } = installation;
    const owner = isEnterpriseInstall ? enterprise : team;
    if (!bot || !owner) {
      throw new SetupError(
        'Slack issued no bot token. Create the app from config/slack-manifest.yaml, and add it again.',
      );
    }
    const { keyId } = this.#cipher;
    const facts = { name: owner.name ?? owner.id, keyId, scopes: bot.scopes };
    const sealed = this.#cipher.seal(JSON.stringify(installation), owner.id);
    await this.#records.write(owner.id, sealed, facts);
    this.#tokens.delete(owner.id);
  }

  async fetchInstallation(query: InstallationQuery<boolean>): Promise<Installation> {
    const { teamId, enterpriseId, isEnterpriseInstall } = query;
    const owners = [isEnterpriseInstall ? undefined : teamId, enterpriseId];
    for (const owner of owners) {
      const kept = owner === undefined ? undefined : await this.#find(owner);
      if (kept) return kept;
    }
    throw notThere(teamId ?? enterpriseId ?? 'without an id');
  }

  async remove(team: string): Promise<void> {
    this.#tokens.delete(team);
    await this.#records.remove(team);
  }

  /** Lists the workspaces, and whether each one's token can be decrypted with this key. */
  async list(): Promise<
    readonly (InstallationFacts & { readonly team: string; readonly isReadable: boolean })[]
  > {
    const records = await this.#records.list();
    return [...records].map(([team, record]) => {
      const facts = factsSchema.parse(record);
      return { ...facts, team, isReadable: facts.keyId === this.#cipher.keyId };
    });
  }

  async #find(team: string): Promise<Installation | undefined> {
    const sealed = await this.#records.read(team);
    if (sealed === undefined) return undefined;
    return installationSchema.parse(JSON.parse(this.#cipher.open(sealed, team)));
  }
}

function notThere(team: string): SetupError {
  return new SetupError(
    `The app is not in workspace ${team}. A manager of the workspace can add it at /slack/install.`,
  );
}

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;

const sealedSchema = z.object({
  /** Identifies the encryption key without revealing it. */
  keyId: z.string(),
  /** This and the next two in base64. */
  nonce: z.base64(),
  tag: z.base64(),
  data: z.base64(),
});

/** An encrypted text as it is stored. */
export type Sealed = z.infer<typeof sealedSchema>;

type TokenCipher = ReturnType<typeof createTokenCipher>;

/** @param key - 32 bytes in base64, e.g. from `openssl rand -base64 32`. */
export function createTokenCipher(key: string) {
  const secret = derived(key, 'council: tokens', keyBytes);
  const keyId = derived(key, 'council: name of the key', 6).toString('hex');
  return {
    /** Identifies this key without revealing it. */
    keyId,
    /** @param owner - Its team, e.g. `T123`; only the same owner can open it. */
    seal(text: string, owner: string): Sealed {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, secret, nonce).setAAD(Buffer.from(owner));
      const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      const base64 = (bytes: Buffer) => bytes.toString('base64');
      return { keyId, nonce: base64(nonce), tag: base64(cipher.getAuthTag()), data: base64(data) };
    },
    /** Throws {@link SetupError} if it was sealed under another key, and an error if it was altered or has another owner. */
    open(sealed: unknown, owner: string): string {
      const { nonce, tag, data, keyId: sealedUnder } = sealedSchema.parse(sealed);
      if (sealedUnder !== keyId) throw otherKey(owner);
      const decipher = createDecipheriv(algorithm, secret, Buffer.from(nonce, 'base64'))
        .setAAD(Buffer.from(owner))
        .setAuthTag(Buffer.from(tag, 'base64'));
      return `${decipher.update(data, 'base64', 'utf8')}${decipher.final('utf8')}`;
    },
  };
}

/** Derives the secret that signs OAuth state, so operators need no second key. */
export function stateSecretOf(key: string): string {
  return derived(key, 'council: state', keyBytes).toString('base64');
}

function derived(key: string, purpose: string, bytes: number): Buffer {
  const root = Buffer.from(key, 'base64');
  if (root.length !== keyBytes) throw new RangeError(`The key must be ${keyBytes} bytes long.`);
  return Buffer.from(hkdfSync('sha256', root, '', purpose, bytes));
}

function otherKey(owner: string): SetupError {
  return new SetupError(
    `The token of workspace ${owner} was encrypted under another COUNCIL_ENCRYPTION_KEY. Restore that key; if it is lost, add the app to the workspace again at /slack/install.`,
  );
}

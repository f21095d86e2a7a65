/** Keys for programs and for signing in. Only hashes are stored: a secret is shown once. */

import { hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { personLimitsSchema } from '../../domain/asking.ts';
import { SetupError } from '../chat/pacing/platform-error.ts';
import { type Caller, type KeyRecords, scopes } from './caller.ts';

const keyFactsSchema = z.object({
  /** For people, e.g. the program that uses it. It is also the name of the asker in prompts. */
  name: z.string(),
  /** Second part of the thread ids that it can reach. */
  workspace: z.string(),
  scopes: z.array(z.enum(scopes)),
  limits: personLimitsSchema,
  requestsPerMinute: z.number(),
  /** Milliseconds since 1970. */
  madeAt: z.number(),
});
const keptKeySchema = keyFactsSchema.extend({
  /** SHA-256 of the secret, as hex. A secret has 256 random bits, so no slower hash is needed. */
  hash: z.string(),
});

/** A key without its hash. */
export type WebKey = z.infer<typeof keyFactsSchema> & { readonly id: string };
export type NewKey = Omit<WebKey, 'id' | 'madeAt'>;

/** Storage of keys, by id. Its errors reach the callers of {@link WebKeys}. */
export interface KeptKeys {
  list(): Promise<ReadonlyMap<string, unknown>>;
  put(keys: Readonly<Record<string, unknown>>): Promise<void>;
  drop(ids: Iterable<string>): Promise<void>;
}

/** Limited because finding one reads them all. */
const mostKeys = 200;

export class WebKeys implements KeyRecords {
  readonly #kept: KeptKeys;

  constructor(kept: KeptKeys) {
    this.#kept = kept;
  }

  /**
   * Creates a key.
   *
   * @param madeAt - Milliseconds since 1970.
   * @returns Its secret, which is not stored.
   * @throws {SetupError} if there are too many.
   */
  async make(
    wished: NewKey,
    madeAt: number,
  ): Promise<{ readonly id: string; readonly secret: string }> {
    if ((await this.#kept.list()).size >= mostKeys) {
      throw new SetupError(
        `There are ${mostKeys} keys, which is the limit. Withdraw one that is no longer used.`,
      );
    }
    const id = randomBytes(5).toString('hex');
    const secret = `ck_live_${randomBytes(32).toString('base64url')}`;
    await this.#kept.put({ [id]: { ...wished, madeAt, hash: hash('sha256', secret) } });
    return { id, secret };
  }

  /** Oldest first. */
  async list(): Promise<readonly WebKey[]> {
    const keys = Array.from(await this.#kept.list(), ([id, kept]) => ({
      id,
      ...keyFactsSchema.parse(kept),
    }));
    return keys.toSorted((one, other) => one.madeAt - other.madeAt);
  }

  /** Withdraws a key and ends its sessions, effective with the next request. Returns `false` if there is no such key. */
  async withdraw(id: string): Promise<boolean> {
    if (!(await this.#kept.list()).has(id)) return false;
    await this.#kept.drop([id]);
    return true;
  }

  async find(secret: string): Promise<Caller | undefined> {
    const wanted = hash('sha256', secret);
    for (const [id, kept] of await this.#kept.list()) {
      const key = keptKeySchema.parse(kept);
      if (key.hash === wanted) return callerOf({ id, ...key });
    }
    return undefined;
  }

  async named(keyId: string): Promise<Caller | undefined> {
    const kept = (await this.#kept.list()).get(keyId);
    return kept === undefined ? undefined : callerOf({ id: keyId, ...keyFactsSchema.parse(kept) });
  }

  async any(): Promise<boolean> {
    return (await this.#kept.list()).size > 0;
  }
}

function callerOf({ id, name, workspace, limits, requestsPerMinute, ...key }: WebKey): Caller {
  return {
    workspace,
    keyId: id,
    requestsPerMinute,
    scopes: new Set(key.scopes),
    person: { id: `key:${id}`, name, limits, isManager: false, isServerManager: false },
  };
}

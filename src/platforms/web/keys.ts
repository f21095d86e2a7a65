/** The keys by which programs call and people sign in. Only their hashes are kept: a secret is shown once. */

import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { personLimitsSchema } from '../../domain/asking.ts';
import type { Caller, KeyRecords } from './caller.ts';

/** What a key may let its bearer do. */
export const scopes = ['ask', 'read', 'ingest'] as const;

const keyFactsSchema = z.object({
  /** For people, e.g. what uses it. The council hears it as the name of the person who asks. */
  name: z.string(),
  /** Second part of all thread ids that it reaches. */
  workspace: z.string(),
  scopes: z.array(z.enum(scopes)),
  limits: personLimitsSchema,
  requestsPerMinute: z.number(),
  /** Milliseconds since 1970. */
  madeAt: z.number(),
});
const keptKeySchema = keyFactsSchema.extend({
  /** SHA-256 of the secret, as hex. It has 256 random bits, so that nothing slower is called for. */
  hash: z.string(),
});
type KeptKey = z.infer<typeof keptKeySchema>;

/** A key as it may be shown. */
export type WebKey = z.infer<typeof keyFactsSchema> & { readonly id: string };
export type NewKey = Omit<WebKey, 'id' | 'madeAt'>;

/** Where keys are kept, by their ids. What a verb throws reaches its caller. */
export interface KeptKeys {
  list(): Promise<ReadonlyMap<string, unknown>>;
  put(keys: Readonly<Record<string, KeptKey>>): Promise<void>;
  drop(ids: Iterable<string>): Promise<void>;
}

/** All of them are read to find one. */
const mostKeys = 200;

/** There are as many keys as there may be. The message is for the operator. */
export class TooManyKeysError extends Error {
  override readonly name = 'TooManyKeysError';
}

export class WebKeys implements KeyRecords {
  readonly #kept: KeptKeys;

  constructor(kept: KeptKeys) {
    this.#kept = kept;
  }

  /**
   * Makes a key.
   *
   * @param madeAt - Milliseconds since 1970.
   * @returns Its secret, which can't be read again.
   * @throws {TooManyKeysError}
   */
  async make(
    wished: NewKey,
    madeAt: number,
  ): Promise<{ readonly id: string; readonly secret: string }> {
    if ((await this.#kept.list()).size >= mostKeys) {
      throw new TooManyKeysError(
        `There are ${mostKeys} keys, as many as there may be. Withdraw one that is not used any more.`,
      );
    }
    const id = randomBytes(5).toString('hex');
    const secret = `ck_live_${randomBytes(32).toString('base64url')}`;
    await this.#kept.put({ [id]: { ...wished, madeAt, hash: hashOf(secret) } });
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

  /** From the next request on, the key and the sessions that it has opened are unknown. @returns Whether there was one. */
  async withdraw(id: string): Promise<boolean> {
    if (!(await this.#kept.list()).has(id)) return false;
    await this.#kept.drop([id]);
    return true;
  }

  async find(secret: string): Promise<Caller | undefined> {
    const hash = hashOf(secret);
    for (const [id, kept] of await this.#kept.list()) {
      const key = keptKeySchema.parse(kept);
      if (key.hash === hash) return callerOf({ id, ...key });
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
    ...{ workspace, keyId: id, requestsPerMinute, scopes: new Set(key.scopes) },
    person: { id: `key:${id}`, name, limits, isManager: false, isServerManager: false },
  };
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Encrypts what is kept of installations, so that a copy of the store gives no token away. */

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { SlackSetupError } from '../slack-error.ts';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;

const sealedSchema = z.object({
  /** Tells which key it was sealed under, and nothing more of it. */
  keyId: z.string(),
  /** These in base64. */
  nonce: z.base64(),
  tag: z.base64(),
  data: z.base64(),
});

/** An encrypted text, as it is stored. */
export type Sealed = z.infer<typeof sealedSchema>;

export interface TokenCipher {
  /** Tells this key from others, and nothing more of it. */
  readonly keyId: string;
  /** @param owner - Whose it is, e.g. `T123`; it opens for the same owner alone. */
  seal(text: string, owner: string): Sealed;
  /**
   * Throws {@link SlackSetupError} when it was sealed under another key, and an error when it was
   * changed since or belongs to another owner.
   */
  open(sealed: unknown, owner: string): string;
}

/** @param key - 32 bytes in base64, as `openssl rand -base64 32` gives them. */
export function createTokenCipher(key: string): TokenCipher {
  const root = Buffer.from(key, 'base64');
  if (root.length !== keyBytes) throw new RangeError(`The key is not of ${keyBytes} bytes.`);
  const derived = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', root, '', purpose, bytes));
  const secret = derived('council: tokens', keyBytes);
  const keyId = derived('council: name of the key', 6).toString('hex');
  return {
    keyId,
    seal(text, owner) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, secret, nonce).setAAD(Buffer.from(owner));
      const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      const base64 = (bytes: Buffer) => bytes.toString('base64');
      return { keyId, nonce: base64(nonce), tag: base64(cipher.getAuthTag()), data: base64(data) };
    },
    open(sealed, owner) {
      const { nonce, tag, data, keyId: sealedUnder } = sealedSchema.parse(sealed);
      if (sealedUnder !== keyId) throw otherKey(owner);
      const decipher = createDecipheriv(algorithm, secret, Buffer.from(nonce, 'base64'))
        .setAAD(Buffer.from(owner))
        .setAuthTag(Buffer.from(tag, 'base64'));
      return `${decipher.update(data, 'base64', 'utf8')}${decipher.final('utf8')}`;
    },
  };
}

/** A secret that signs the state of an installation, derived so that no second key has to be kept. */
export function stateSecretOf(key: string): string {
  const root = Buffer.from(key, 'base64');
  return Buffer.from(hkdfSync('sha256', root, '', 'council: state', keyBytes)).toString('base64');
}

function otherKey(owner: string): SlackSetupError {
  return new SlackSetupError(
    `The token of workspace ${owner} was encrypted under another COUNCIL_ENCRYPTION_KEY. Restore that key; if it is lost, add the app to the workspace again at /slack/install.`,
  );
}

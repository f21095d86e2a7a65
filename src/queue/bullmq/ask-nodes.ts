/** Questions to servers that know where the queue is, each on a connection of its own. */

import { createClient, ErrorReply } from 'redis';
import { encryptionTrouble, nameToShow } from '../../store/redis/encryption.ts';

/** Where a server listens. */
export interface Node {
  readonly host: string;
  readonly port: number;
}

/** How those that know are reached. */
interface Asking {
  readonly username?: string;
  readonly password?: string;
  readonly isEncrypted: boolean;
}

/** One that is slower is passed over, in milliseconds. */
const askMs = 1500;

/**
 * Puts the same question to all of them.
 *
 * @returns The answers of those that gave one; at least one.
 * @throws What the first of them said that refused it, else what is wrong with the encryption of one,
 *   else why the first was not reached.
 */
export async function askNodes(
  nodes: readonly Node[],
  asking: Asking,
  words: readonly string[],
): Promise<readonly { readonly node: Node; readonly reply: unknown }[]> {
  const asked = await Promise.allSettled(
    nodes.map(async (node) => ({ node, reply: await ask(node, asking, words) })),
  );
  const answers = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (answers.length > 0) return answers;
  const reasons = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  const refusal = reasons.find((reason) => reason instanceof ErrorReply);
  throw refusal ?? reasons.find((reason) => encryptionTrouble(reason)) ?? reasons[0];
}

async function ask(
  { host, port }: Node,
  { username, password, isEncrypted }: Asking,
  words: readonly string[],
): Promise<unknown> {
  const client = createClient({
    name: 'council-queue',
    RESP: 2,
    maintNotifications: 'disabled',
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    commandOptions: { timeout: askMs },
    socket: {
      ...{ host, port },
      connectTimeout: askMs,
      reconnectStrategy: false,
      ...(isEncrypted && { tls: true as const, ...nameToShow(host) }),
    },
  });
  // Without a listener, trouble would end the process; it is thrown below.
  client.on('error', () => undefined);
  // Of who takes the connection and says nothing.
  const late = setTimeout(() => client.isOpen && client.destroy(), 2 * askMs);
  try {
    await client.connect();
    return await client.sendCommand([...words]);
  } finally {
    clearTimeout(late);
    if (client.isOpen) client.destroy();
  }
}

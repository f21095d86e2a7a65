/** Finds the server that has the queue: asks all that should know, each on a connection of its own. */

import { createClient, ErrorReply } from '@redis/client';
import { z } from 'zod';
import type { ClusterAddress, SentinelAddress } from '../../store/redis/address.ts';
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
async function askNodes(
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

const watchedSchema = z.object({
  ip: z.string(),
  port: z.coerce.number(),
  'config-epoch': z.coerce.number(),
});

/**
 * Finds the primary that sentinels watch. All of them are asked, because one that was cut off from the
 * others still tells of the primary before: the latest of their decisions counts.
 */
export function primaryFinder(address: SentinelAddress): () => Promise<Node> {
  const { sentinels, name, isEncrypted, sentinelUsername, sentinelPassword } = address;
  const asking = {
    isEncrypted,
    ...(sentinelUsername !== undefined && { username: sentinelUsername }),
    ...(sentinelPassword !== undefined && { password: sentinelPassword }),
  };
  return async () => {
    const answers = await askNodes(sentinels, asking, ['SENTINEL', 'MASTER', name]);
    const [latest] = answers
      .map(({ reply }) => watchedSchema.parse(fieldsOf(reply)))
      .toSorted((one, other) => other['config-epoch'] - one['config-epoch']);
    if (!latest) throw new Error(`No sentinel knows “${name}”.`);
    return { host: latest.ip, port: latest.port };
  };
}

/** Of names and values that alternate. */
function fieldsOf(reply: unknown): Readonly<Record<string, string>> {
  const words = z.array(z.string()).parse(reply);
  return Object.fromEntries(
    words.flatMap((word, index) => (index % 2 === 0 ? [[word, words[index + 1] ?? '']] : [])),
  );
}

/** Of all keys of the queue: the `CLUSTER KEYSLOT` of what is between their braces. */
export const queueSlot = 13011;

/** What `CLUSTER SLOTS` tells: from slot, to slot, who has them, and who follows that one. */
const rangesSchema = z.array(
  z
    .tuple([z.number(), z.number()])
    .rest(z.tuple([z.string().nullable(), z.number()]).rest(z.unknown())),
);

/**
 * Finds the node of a cluster that has the queue. All known nodes are asked, because one that was cut
 * off from the others still tells of what was before: most of them are right. Those that they tell of
 * are asked the next time as well, so that the nodes of the address may be gone by then.
 */
export function slotOwnerFinder({ hosts, ...asking }: ClusterAddress): () => Promise<Node> {
  let known: readonly Node[] = hosts;
  return async () => {
    const answers = await askNodes(known, asking, ['CLUSTER', 'SLOTS']);
    const told = answers.map(({ node, reply }) => {
      const ranges = rangesSchema.parse(reply).map(([from, to, ...places]) => ({
        hasQueue: from <= queueSlot && queueSlot <= to,
        // Without a name of its own it is the one that was asked.
        nodes: places.map(([host, port]) => ({ host: host || node.host, port })),
      }));
      return { ranges, owner: ranges.find(({ hasQueue }) => hasQueue)?.nodes[0] };
    });
    const all = told.flatMap(({ ranges }) => ranges.flatMap((range) => range.nodes));
    known = [...new Map([...hosts, ...all].map((node) => [nameOf(node), node])).values()];
    const owners = told.flatMap(({ owner }) => (owner ? [owner] : []));
    const [[, group = []] = []] = [...Map.groupBy(owners, nameOf)].toSorted(
      ([, one], [, other]) => other.length - one.length,
    );
    const [owner] = group;
    if (!owner) throw new Error(`Nobody in the cluster has slot ${queueSlot} at the moment.`);
    return owner;
  };
}

function nameOf({ host, port }: Node): string {
  return `${host}:${port}`;
}

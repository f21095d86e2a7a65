/** Finds the primary among servers that sentinels watch. */

import { z } from 'zod';
import type { SentinelAddress } from '../../store/redis/address.ts';
import { askNodes, type Node } from './ask-nodes.ts';

const watchedSchema = z.object({
  ip: z.string(),
  port: z.coerce.number(),
  'config-epoch': z.coerce.number(),
});

/**
 * All sentinels are asked, because one that was cut off from the others still tells of the primary
 * before: the latest of their decisions counts.
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

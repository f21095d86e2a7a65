/** Finds the node of a cluster that has the queue. */

import { z } from 'zod';
import type { ClusterAddress } from '../../store/redis/cluster-address.ts';
import { askNodes, type Node } from './ask-nodes.ts';

/** Of all keys of the queue: the `CLUSTER KEYSLOT` of what is between their braces. */
export const queueSlot = 13011;

/** What `CLUSTER SLOTS` tells: from slot, to slot, who has them, and who follows that one. */
const rangesSchema = z.array(
  z
    .tuple([z.number(), z.number()])
    .rest(z.tuple([z.string().nullable(), z.number()]).rest(z.unknown())),
);

/**
 * All known nodes are asked, because one that was cut off from the others still tells of what was
 * before: most of them are right. Those that they tell of are asked the next time as well, so that
 * the nodes of the address may be gone by then.
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

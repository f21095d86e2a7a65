import { afterEach, expect, test } from 'vitest';
import { type RedisCluster, startRedisCluster } from './redis-cluster.ts';

const started: RedisCluster[] = [];

afterEach(async () => {
  for (const cluster of started.splice(0)) await cluster.remove();
});

test('starts nodes that share the slots, and takes a slot from one to another', async () => {
  const cluster = await startRedisCluster();
  started.push(cluster);
  const key = '{council}:one';
  const before = await cluster.ownerOf(key);
  await before.command('SET', key, 'kept');
  const slot = Number(await before.command('CLUSTER', 'KEYSLOT', key));
  const other = cluster.masters.find((node) => node !== before);
  if (other === undefined) throw new Error('There is one node only.');
  await cluster.moveSlot(slot, other);
  expect(await cluster.ownerOf(key)).toBe(other);
  expect(await other.command('GET', key)).toBe('kept');
  await expect(before.command('GET', key)).rejects.toThrow(/^MOVED/);
});

test('has a replica take the place of a node that is gone', async () => {
  const cluster = await startRedisCluster({ replicasOfEach: 1 });
  started.push(cluster);
  const owner = await cluster.ownerOf('key');
  const replica = cluster.replicas[cluster.masters.indexOf(owner)];
  await owner.kill();
  await expect.poll(() => cluster.ownerOf('key')).toBe(replica);
});

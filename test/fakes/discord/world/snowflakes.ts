import type { Clock } from './clock.ts';

/** First millisecond of 2015, from which Discord counts. */
const discordEpochMs = 1_420_070_400_000n;
const idsPerMillisecond = 4096n;

/** Makes ids as Discord does: the time in the upper bits, so that they sort by age; never one twice. */
export function snowflakes(clock: Clock): () => string {
  let last = 0n;
  return () => {
    const first = (BigInt(clock.now()) - discordEpochMs) * 1024n * idsPerMillisecond;
    last = first > last ? first : last + 1n;
    return last.toString();
  };
}

/** Which of `shardCount` shards is told about this guild. */
export function shardOf(guildId: string, shardCount: number): number {
  return Number((BigInt(guildId) >> 22n) % BigInt(shardCount));
}

/** Orders ids from old to new. */
export function byAge(first: { readonly id: string }, second: { readonly id: string }): number {
  return BigInt(first.id) < BigInt(second.id) ? -1 : 1;
}

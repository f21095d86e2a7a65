import { type Client, Events } from 'discord.js';

/**
 * Notices a shard that lost its connection and did not get it back: a RESUME that is never answered
 * leaves the client waiting for ever, and it looks connected all the while.
 */
export class ShardWatch {
  readonly #lost = new Map<number, NodeJS.Timeout>();
  readonly #deaf = new Set<number>();

  /** @param onDeaf - Called once for each shard that is silent for so long. */
  constructor(client: Client, deafAfterMs: number, onDeaf: (shard: number) => void) {
    client.on(Events.ShardReconnecting, (shard) => {
      if (this.#lost.has(shard)) return;
      const timer = setTimeout(() => {
        this.#deaf.add(shard);
        onDeaf(shard);
      }, deafAfterMs);
      this.#lost.set(shard, timer.unref());
    });
    const isBack = (shard: number) => {
      clearTimeout(this.#lost.get(shard));
      this.#lost.delete(shard);
      this.#deaf.delete(shard);
    };
    client.on(Events.ShardResume, isBack);
    client.on(Events.ShardReady, isBack);
  }

  /** Shards that nothing comes in on at the moment. */
  get silentShards(): readonly number[] {
    return [...new Set([...this.#lost.keys(), ...this.#deaf])];
  }

  end(): void {
    for (const timer of this.#lost.values()) clearTimeout(timer);
  }
}

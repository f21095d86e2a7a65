import { type Client, Events } from 'discord.js';

/** Discord lets one shard begin a session at a time; the others wait in line. */
const identifyGapMs = 5000;

/**
 * Notices a shard that lost its connection and did not get it back: a RESUME that is never answered
 * leaves the client waiting for ever, and it looks connected all the while.
 */
export class ShardWatch {
  readonly #lost = new Map<number, NodeJS.Timeout>();

  constructor(
    client: Client,
    deafAfterMs: number,
    on: {
      /** A shard has been silent for so long, and for as long as those lost before it may take. */
      readonly deaf: (shard: number) => void;
      /** Something changed in {@link silentShards}. */
      readonly change: () => void;
    },
  ) {
    client.on(Events.ShardReconnecting, (shard) => {
      if (this.#lost.has(shard)) return;
      const inLine = this.#lost.size * identifyGapMs;
      const timer = setTimeout(() => on.deaf(shard), deafAfterMs + inLine);
      this.#lost.set(shard, timer.unref());
      on.change();
    });
    const isBack = (shard: number) => {
      clearTimeout(this.#lost.get(shard));
      if (this.#lost.delete(shard)) on.change();
    };
    client.on(Events.ShardResume, isBack);
    client.on(Events.ShardReady, isBack);
  }

  /** Shards that nothing comes in on at the moment. */
  get silentShards(): readonly number[] {
    return [...this.#lost.keys()];
  }

  end(): void {
    for (const timer of this.#lost.values()) clearTimeout(timer);
  }
}

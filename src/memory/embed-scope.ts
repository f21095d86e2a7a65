/** Gives what is remembered its vectors: in the background, in batches, from the store where they are. */

import type { Embedder } from '../models/embeddings.ts';
import type { MemoryStore } from '../store/store.ts';
import type { Memory } from './memories.ts';
import { vectorOf } from './retrieval/vector.ts';
import type { ScopeIndex } from './scope-index.ts';

const lookedUpAtOnce = 500;
const embeddedAtOnce = 64;
/** What embedding models read of a text: about 8,000 tokens, in the tightest writing. */
const longestTextChars = 8000;

/**
 * Makes sure that all of a scope has vectors of the model, the newest first. What was done stays done
 * when it breaks off.
 *
 * @throws What the store or the model throws; the signal's reason when it is aborted.
 */
export async function embedScope(
  index: ScopeIndex,
  store: MemoryStore,
  embedder: Embedder,
  signal: AbortSignal,
): Promise<void> {
  const missing = index.withoutVector(embedder.id).toReversed();
  for (const some of inPortions(missing, lookedUpAtOnce)) {
    signal.throwIfAborted();
    const known = await store.vectors(embedder.id, some);
    for (const [at, vector] of known.entries()) {
      const memory = some[at];
      if (memory && vector) index.addVector(memory.key, vector);
    }
    const unknown = some.filter((memory, at) => !known[at] && memory.text.trim() !== '');
    for (const batch of inPortions(unknown, embeddedAtOnce)) {
      await embedBatch(batch, index, store, embedder, signal);
    }
  }
}

async function embedBatch(
  batch: readonly Memory[],
  index: ScopeIndex,
  store: MemoryStore,
  embedder: Embedder,
  signal: AbortSignal,
): Promise<void> {
  const texts = batch.map(({ text }) => text.slice(0, longestTextChars));
  const embedded = await embedder.embed(texts, signal);
  const vectors = embedded.vectors.map((values) => vectorOf(embedder.id, values));
  const made = batch.flatMap((key, at) => {
    const vector = vectors[at];
    return vector ? [{ key, vector }] : [];
  });
  await store.keepVectors(made);
  for (const { key, vector } of made) index.addVector(key.key, vector);
}

function inPortions<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}

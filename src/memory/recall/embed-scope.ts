/** Gives memories their vectors in batches, from the store if it has them, else from the model. */

import { ModelError } from '../../models/chat-model.ts';
import type { Embedder } from '../../models/embeddings.ts';
import type { MemoryStore } from '../../store/store.ts';
import type { Memory } from '../memories.ts';
import { inBatches } from '../pages.ts';
import { vectorOf } from './retrieval/memory-index.ts';
import type { ScopeIndex } from './scope-index.ts';

const lookupBatchSize = 500;
const embeddingBatchSize = 64;
/** Embedding models read about 8,000 tokens; in the densest scripts, a character is a token. */
const maxTextChars = 8000;
/** Failures that may be about a text. */
const refusals: readonly string[] = ['bad_request', 'refused'];
/** A text that every model accepts. */
const harmlessText = 'a';

/** The part of a text that a model is sent. */
export function textToEmbed(text: string): string {
  return text.slice(0, maxTextChars).toWellFormed();
}

export interface EmbedScopeOptions {
  readonly store: MemoryStore;
  readonly embedder: Embedder;
  /** Called for a text that the model refuses; the text is not sent again. */
  readonly onRefused: (error: ModelError) => void;
  readonly signal: AbortSignal;
}

/**
 * Loads a scope's vectors from the store, made by this or another process.
 *
 * @returns The memories without a vector of this model, newest first.
 * @throws What the store throws; the signal's reason when it is aborted.
 */
export async function loadKnownVectors(
  index: ScopeIndex,
  model: string,
  { store, signal }: Pick<EmbedScopeOptions, 'store' | 'signal'>,
): Promise<readonly Memory[]> {
  const unknown: Memory[] = [];
  for (const batch of inBatches(index.withoutVector(model).toReversed(), lookupBatchSize)) {
    signal.throwIfAborted();
    const known = await store.vectors(model, batch);
    for (const [at, memory] of batch.entries()) {
      const vector = known[at];
      if (vector) index.addVector(memory.key, vector);
      else unknown.push(memory);
    }
  }
  return unknown;
}

/**
 * Gives every memory of a scope a vector of the model, newest first. Finished batches stay if a later one
 * fails.
 *
 * @throws What the store or the model throws; the signal's reason when it is aborted.
 */
export async function embedScope(index: ScopeIndex, options: EmbedScopeOptions): Promise<void> {
  const unknown = await loadKnownVectors(index, options.embedder.id, options);
  for (const batch of inBatches(unknown, embeddingBatchSize)) {
    await embedBatch(batch, index, options);
  }
}

/** Halves a refused batch until only the refused text, e.g. one with too many tokens, is left out. */
async function embedBatch(
  batch: readonly Memory[],
  index: ScopeIndex,
  options: EmbedScopeOptions,
  isHalf = false,
): Promise<void> {
  const { store, embedder, onRefused, signal } = options;
  signal.throwIfAborted();
  try {
    const texts = batch.map(({ text }) => textToEmbed(text));
    const { vectors } = await embedder.embed(texts, signal);
    const made = batch.flatMap((key, at) => {
      const values = vectors[at];
      return values ? [{ key, vector: vectorOf(embedder.id, values) }] : [];
    });
    await store.keepVectors(made);
    for (const { key, vector } of made) index.addVector(key.key, vector);
  } catch (error) {
    const isRefused = error instanceof ModelError && refusals.includes(error.failure);
    if (!isRefused) throw error;
    // Throws if the model refuses any text; otherwise it refuses something in this batch.
    if (!isHalf) await embedder.embed([harmlessText], signal);
    const [only, ...more] = batch;
    if (only && more.length === 0) {
      index.markRefused(only.key, embedder.id);
      onRefused(error);
      return;
    }
    for (const half of inBatches(batch, Math.ceil(batch.length / 2))) {
      await embedBatch(half, index, options, true);
    }
  }
}

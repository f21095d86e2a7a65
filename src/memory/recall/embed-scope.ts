/** Gives memories their vectors: in the background, in batches, from the store where it has them. */

import { ModelError } from '../../models/chat-model.ts';
import type { Embedder } from '../../models/embeddings.ts';
import type { MemoryStore } from '../../store/store.ts';
import type { Memory } from '../memories.ts';
import { inBatches } from '../pages.ts';
import { vectorOf } from './retrieval/memory-index.ts';
import type { ScopeIndex } from './scope-index.ts';

const lookedUpAtOnce = 500;
const embeddedAtOnce = 64;
/** What embedding models read of a text: about 8,000 tokens, in the tightest writing. */
const maxTextChars = 8000;
/** What every model makes a vector of. */
const harmlessText = 'a';

/** The part of a text that a model is given. */
export function textToEmbed(text: string): string {
  return text.slice(0, maxTextChars).toWellFormed();
}

export interface EmbedScopeOptions {
  readonly store: MemoryStore;
  readonly embedder: Embedder;
  /** Told of a text that the model refuses; it is not asked for again. */
  readonly onRefused: (error: ModelError) => void;
  readonly signal: AbortSignal;
}

/**
 * Gives a scope the vectors that the store has already, made here or by another process.
 *
 * @returns What has none of this model yet, the newest first.
 * @throws What the store throws; the signal's reason when it is aborted.
 */
export async function takeKnownVectors(
  index: ScopeIndex,
  {
    store,
    model,
    signal,
  }: Pick<EmbedScopeOptions, 'store' | 'signal'> & { readonly model: string },
): Promise<readonly Memory[]> {
  const unknown: Memory[] = [];
  for (const some of inBatches(index.withoutVector(model).toReversed(), lookedUpAtOnce)) {
    signal.throwIfAborted();
    const known = await store.vectors(model, some);
    for (const [at, memory] of some.entries()) {
      const vector = known[at];
      if (vector) index.addVector(memory.key, vector);
      else unknown.push(memory);
    }
  }
  return unknown;
}

/**
 * Makes sure that all of a scope has vectors of the model, the newest first. What was done stays done
 * when it breaks off.
 *
 * @throws What the store or the model throws; the signal's reason when it is aborted.
 */
export async function embedScope(index: ScopeIndex, options: EmbedScopeOptions): Promise<void> {
  const { store, embedder, signal } = options;
  const unknown = await takeKnownVectors(index, { store, signal, model: embedder.id });
  const sayable = unknown.filter(({ text }) => text.trim() !== '');
  for (const batch of inBatches(sayable, embeddedAtOnce)) {
    signal.throwIfAborted();
    await embedBatch(batch, index, options).catch(async (error: unknown) => {
      if (!isRefusal(error)) throw error;
      // Whether the model takes no text at all, or one of these does not please it.
      await embedder.embed([harmlessText], signal);
      await embedByHalves(batch, index, options, error);
    });
  }
}

/** A text that the model refuses, e.g. for too many tokens, does not keep the others from their vectors. */
async function embedByHalves(
  refused: readonly Memory[],
  index: ScopeIndex,
  options: EmbedScopeOptions,
  why: ModelError,
): Promise<void> {
  const [only, ...more] = refused;
  if (only && more.length === 0) {
    index.markRefused(only.key, options.embedder.id);
    options.onRefused(why);
    return;
  }
  for (const half of inBatches(refused, Math.ceil(refused.length / 2))) {
    await embedBatch(half, index, options).catch(async (error: unknown) => {
      if (!isRefusal(error)) throw error;
      await embedByHalves(half, index, options, error);
    });
  }
}

function isRefusal(error: unknown): error is ModelError {
  return error instanceof ModelError && ['bad_request', 'refused'].includes(error.failure);
}

async function embedBatch(
  batch: readonly Memory[],
  index: ScopeIndex,
  { store, embedder, signal }: EmbedScopeOptions,
): Promise<void> {
  const texts = batch.map(({ text }) => textToEmbed(text));
  const embedded = await embedder.embed(texts, signal);
  const vectors = embedded.vectors.map((values) => vectorOf(embedder.id, values));
  const made = batch.flatMap((key, at) => {
    const vector = vectors[at];
    return vector ? [{ key, vector }] : [];
  });
  await store.keepVectors(made);
  for (const { key, vector } of made) index.addVector(key.key, vector);
}

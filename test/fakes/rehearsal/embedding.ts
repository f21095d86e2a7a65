/** Answers one request for embeddings. */

import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import {
  chatModels,
  embeddingBodySchema,
  embeddingModel,
  refuse,
  sendJson,
  usageOf,
} from './wire.ts';

const defaultDimensions = 256;

/** Any model of the server will do; the vectors are those of {@link lexicalVector}, in the order of the texts. */
export function answerEmbeddings(unknownBody: unknown, response: ServerResponse): void {
  const parsed = embeddingBodySchema.safeParse(unknownBody);
  if (!parsed.success) {
    refuse(response, 400, z.prettifyError(parsed.error));
    return;
  }
  const { model, input, dimensions, encoding_format } = parsed.data;
  if (![embeddingModel, ...chatModels].some((known) => known === model)) {
    const message = `The model ${JSON.stringify(model.slice(0, 80))} does not exist here. The rehearsal embeds with ${embeddingModel}.`;
    refuse(response, 404, message, { code: 'model_not_found' });
    return;
  }
  const texts = typeof input === 'string' ? [input] : input;
  const data = texts.map((text, index) => {
    const vector = lexicalVector(text, dimensions ?? defaultDimensions);
    const embedding = encoding_format === 'base64' ? inBase64(vector) : vector;
    return { object: 'embedding', index, embedding };
  });
  const { prompt_tokens, total_tokens } = usageOf(
    texts.reduce((sum, text) => sum + text.length, 0),
    0,
  );
  sendJson(response, { object: 'list', model, data, usage: { prompt_tokens, total_tokens } });
}

/**
 * Vectors made of spelling alone: two texts are close when they share words or parts of words, and a
 * synonym is as far away as any other word. Enough to run everything that needs vectors, and no more.
 */
const wordWeight = 1;
const trigramWeight = 0.35;
const longestTextChars = 100_000;

/**
 * The vector of a text, of length 1. The same text always has the same vector.
 *
 * @param text - Not empty; at most 100 000 characters are looked at.
 */
function lexicalVector(text: string, dimensions: number): number[] {
  const looked = text.slice(0, longestTextChars).toLowerCase();
  const vector = new Array<number>(dimensions).fill(0);
  const add = (feature: string, weight: number): void => {
    const value = stableHash(feature);
    const index = value % dimensions;
    const sign = stableHash(`sign ${feature}`) % 2 === 0 ? 1 : -1;
    vector[index] = (vector[index] ?? 0) + sign * weight;
  };
  for (const word of new Set(looked.match(/[\p{L}\p{N}]{4,32}/gu) ?? [])) {
    add(`word ${word}`, wordWeight);
    const padded = ` ${word} `;
    for (let start = 0; start + 3 <= padded.length; start += 1) {
      add(padded.slice(start, start + 3), trigramWeight);
    }
  }
  // A text of nothing but short words or punctuation still needs a direction of its own.
  if (vector.every((value) => value === 0)) add(`text ${looked}`, 1);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function stableHash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}

/** A vector as the API sends it when it is asked for base64: 32-bit floats, little endian. */
function inBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}

/**
 * Vectors made of spelling alone: two texts are close when they share words or parts of words, and a
 * synonym is as far away as any other word. Enough to run everything that needs vectors, and no more.
 */

import { stableHash } from './voice/stable-hash.ts';
import { contentStems } from './voice/words.ts';

const wordWeight = 1;
const trigramWeight = 0.35;
const longestTextChars = 100_000;

/**
 * The vector of a text, of length 1. The same text always has the same vector.
 *
 * @param text - Not empty; at most 100 000 characters are looked at.
 */
export function lexicalVector(text: string, dimensions: number): number[] {
  const looked = text.slice(0, longestTextChars).toLowerCase();
  const vector = new Array<number>(dimensions).fill(0);
  const add = (feature: string, weight: number): void => {
    const value = stableHash(feature);
    const index = value % dimensions;
    const sign = stableHash(`sign ${feature}`) % 2 === 0 ? 1 : -1;
    vector[index] = (vector[index] ?? 0) + sign * weight;
  };
  for (const stem of contentStems(looked)) {
    add(`word ${stem}`, wordWeight);
    const padded = ` ${stem} `;
    for (let start = 0; start + 3 <= padded.length; start += 1) {
      add(padded.slice(start, start + 3), trigramWeight);
    }
  }
  // A text of nothing but stop words or signs still needs a direction of its own.
  if (vector.every((value) => value === 0)) add(`text ${looked}`, 1);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** A vector as the API sends it when it is asked for base64: 32-bit floats, little endian. */
export function inBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}

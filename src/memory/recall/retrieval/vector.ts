/** Directions of texts, one signed byte for each dimension: precise enough to rank by, and an eighth of the room. */

import type { StoredVector } from '../../../store/store.ts';

/** As the store keeps it. */
export type Vector = StoredVector;

/** A vector with its length, which many comparisons need. */
export interface MeasuredVector extends Vector {
  readonly length: number;
}

const steps = 127;

/** @param values - As the model gave them, of any length above 0. */
export function vectorOf(model: string, values: readonly number[]): Vector {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  return {
    model,
    dimensions: values.length,
    values: Int8Array.from(values, (value) => Math.round((value / largest) * steps)),
  };
}

export function measured(vector: Vector): MeasuredVector {
  const { model, dimensions, values } = vector;
  return { model, dimensions, values, length: Math.sqrt(product(values, values)) };
}

/** From -1 to 1; absent for vectors that can't be compared: of another model or of no direction. */
export function cosine(one: MeasuredVector, other: MeasuredVector): number | undefined {
  if (one.model !== other.model || one.dimensions !== other.dimensions) return undefined;
  const lengths = one.length * other.length;
  return lengths === 0 ? undefined : product(one.values, other.values) / lengths;
}

function product(left: Int8Array, right: Int8Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) {
    sum += (left[index] ?? 0) * (right[index] ?? 0);
  }
  return sum;
}

/** The version of a scope that was read; the same in every backend. */

import { z } from 'zod';

/** How far a scope was read. */
export interface ReadSoFar {
  /** Changes whenever what was read before is void. */
  readonly epoch: string;
  /** The last change of messages, and of shards. */
  readonly messages: number;
  readonly shards: number;
}

const numbers = z.tuple([z.string(), z.coerce.number(), z.coerce.number()]);

export function versionOf({ epoch, messages, shards }: ReadSoFar): string {
  return [epoch, messages, shards].join(' ');
}

/** Absent for what no store has given, and for another epoch than the present one. */
export function readVersion(version: string | undefined, epoch: string): ReadSoFar | undefined {
  const parsed = numbers.safeParse(version?.split(' '));
  if (!parsed.success || parsed.data[0] !== epoch) return undefined;
  const [, messages, shards] = parsed.data;
  return { epoch, messages, shards };
}

/** The fields of the records that every backend keeps, each in its own way, and what is read back of them. */

import { z } from 'zod';
import type { Json, StoredSetting } from './store.ts';
import { contentOf, parseRecord } from './stored-json.ts';

const json = z.custom<Json>((value) => value !== undefined);
/** Kept as a number where there is nothing else. */
const flag = z.union([z.boolean(), z.number()]).transform(Boolean);

export const messageSchema = z.object({
  id: z.string(),
  threadId: z.string(),
  turnId: z.string().exactOptional(),
  role: z.enum(['human', 'ai']),
  type: z.enum(['user_query', 'sage_output']),
  status: z.enum(['pending', 'complete']),
  sage: z.string().exactOptional(),
  author: z.string().exactOptional(),
  content: json.transform(contentOf),
  createdAt: z.number(),
  parentId: z.string().exactOptional(),
  isPrivate: flag.exactOptional(),
  platformMessageId: z.string().exactOptional(),
});

export const turnHeaderSchema = z.object({
  turnId: z.string(),
  threadId: z.string(),
  status: z.enum(['queued', 'running', 'ended']),
  attempt: z.number(),
  outcome: z.string().exactOptional(),
  askedBy: z.string().exactOptional(),
  createdAt: z.number(),
  endedAt: z.number().exactOptional(),
});

/** A model call without its turn and thread, which are those of the group that it is kept in. */
export const usageSchema = z.object({
  id: z.string(),
  user: z.string(),
  sageName: z.string().exactOptional(),
  stage: z.string(),
  model: z.string(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  reasoningTokens: z.number(),
  costUsd: z.number().exactOptional(),
  estimated: flag,
  outcome: z.string(),
  latencyMs: z.number(),
  createdAt: z.number(),
});

export const shardSchema = z.object({
  id: z.string(),
  threadId: z.string(),
  text: z.string(),
  sourceIds: z.array(z.string()),
  isPrivate: flag,
  createdAt: z.number(),
  agesFrom: z.number(),
  supersededAt: z.number().exactOptional(),
  mark: z.string().exactOptional(),
});

export const settingSchema = z.object({
  scope: z.string(),
  name: z.string(),
  value: json,
  setBy: z.string(),
  setAt: z.number(),
  expiresAt: z.number().exactOptional(),
});

/** A setting, with when it expires (ms since 1970); absent: it stays. */
export interface KeptSetting {
  readonly scope: string;
  readonly name: string;
  readonly setting: StoredSetting;
  readonly expiresAt?: number;
}

/** @param stored - The fields of {@link settingSchema}. Throws a `StoreError` `corrupt` for others. */
export function readKeptSetting(stored: unknown, record: string): KeptSetting {
  const { scope, name, expiresAt, ...setting } = parseRecord(settingSchema, stored, record);
  return { scope, name, setting, ...(expiresAt !== undefined && { expiresAt }) };
}

import type { types } from '@slack/bolt';
import { z } from 'zod';
import { messageBlocks } from './block-lists.ts';
import { taskStatus } from './blocks.ts';

const markdownChunk = z.strictObject({
  type: z.literal('markdown_text'),
  text: z.string().max(12_000, 'is longer than 12,000 characters'),
}) satisfies z.ZodType<types.MarkdownTextChunk>;

const taskChunk = z.strictObject({
  type: z.literal('task_update'),
  id: z.string().min(1),
  title: z.string().min(1).max(256),
  status: taskStatus,
  details: z.string().max(256).exactOptional(),
  output: z.string().max(256).exactOptional(),
  sources: z.array(z.looseObject({ type: z.literal('url') })).exactOptional(),
});

const planChunk = z.strictObject({
  type: z.literal('plan_update'),
  title: z.string().min(1).max(256),
}) satisfies z.ZodType<types.PlanUpdateChunk>;

const blocksChunk = z.strictObject({ type: z.literal('blocks'), blocks: messageBlocks });

/** What a stream is fed with. */
export const chunks = z.array(
  z.discriminatedUnion('type', [markdownChunk, taskChunk, planChunk, blocksChunk]),
);

export type Chunk = z.infer<typeof chunks>[number];

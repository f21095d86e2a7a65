import { z } from 'zod';
import { messageBlocks } from './block-lists.ts';

/** Slack truncates beyond this. */
export const text = z.string().max(40_000, 'is longer than 40,000 characters');

/** In `markdown_text` and in a `markdown` block. */
export const markdownText = z.string().max(12_000, 'is longer than 12,000 characters');

export const blocks = messageBlocks;

export const metadata = z.strictObject({
  event_type: z.string().min(1),
  event_payload: z.record(z.string(), z.unknown()),
});

/** Slack's words for what is wrong with the content of a message. */
export const contentCodes = {
  text: 'msg_too_long',
  markdown_text: 'msg_too_long',
  blocks: 'invalid_blocks',
  chunks: 'invalid_chunks',
  metadata: 'invalid_metadata_format',
} as const;

/** How the app appears: with the scope `chat:write.customize`. */
export const lookArguments = {
  username: z.string().min(1).max(80).optional(),
  icon_url: z.url({ protocol: /^https?$/ }).optional(),
  icon_emoji: z
    .string()
    .regex(/^:[^:\s]+:$/, 'is no emoji name in colons')
    .optional(),
} as const;

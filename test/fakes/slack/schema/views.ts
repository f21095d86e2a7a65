import type { types } from '@slack/bolt';
import { z } from 'zod';
import { viewBlocks } from './block-lists.ts';
import { plainText } from './texts.ts';

const viewParts = {
  blocks: viewBlocks,
  private_metadata: z.string().max(3000, 'is longer than 3,000 characters').exactOptional(),
  callback_id: z.string().max(255).exactOptional(),
  external_id: z.string().max(255).exactOptional(),
} as const;

export const modal = z
  .strictObject({
    type: z.literal('modal'),
    title: plainText(24),
    submit: plainText(24).exactOptional(),
    close: plainText(24).exactOptional(),
    clear_on_close: z.boolean().exactOptional(),
    notify_on_close: z.boolean().exactOptional(),
    ...viewParts,
  })
  .refine(
    ({ blocks, submit }) => submit !== undefined || blocks.every(({ type }) => type !== 'input'),
    { message: 'has inputs and no submit', path: ['submit'] },
  ) satisfies z.ZodType<types.ModalView>;

export const homeTab = z.strictObject({
  type: z.literal('home'),
  ...viewParts,
}) satisfies z.ZodType<types.HomeView>;

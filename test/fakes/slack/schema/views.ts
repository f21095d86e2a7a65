import { z } from 'zod';
import { viewBlocks } from './block-lists.ts';
import { plainText } from './texts.ts';

const viewParts = {
  blocks: viewBlocks,
  private_metadata: z.string().max(3000, 'is longer than 3,000 characters').optional(),
  callback_id: z.string().max(255).optional(),
  external_id: z.string().max(255).optional(),
} as const;

export const modal = z
  .strictObject({
    type: z.literal('modal'),
    title: plainText(24),
    submit: plainText(24).optional(),
    close: plainText(24).optional(),
    clear_on_close: z.boolean().optional(),
    notify_on_close: z.boolean().optional(),
    ...viewParts,
  })
  .refine(
    ({ blocks, submit }) => submit !== undefined || blocks.every(({ type }) => type !== 'input'),
    { message: 'has inputs and no submit', path: ['submit'] },
  );

export const homeTab = z.strictObject({ type: z.literal('home'), ...viewParts });

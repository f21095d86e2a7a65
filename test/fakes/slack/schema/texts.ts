/** Texts, options and questions that blocks are made of. Lengths are in UTF-16 units, as Slack counts. */

import type { types } from '@slack/bolt';
import { z } from 'zod';

const atMost = (limit: number) =>
  z.string().min(1, 'is empty').max(limit, `is longer than ${limit} characters`);

export const plainText = (limit: number) =>
  z.strictObject({
    type: z.literal('plain_text'),
    text: atMost(limit),
    emoji: z.boolean().exactOptional(),
  }) satisfies z.ZodType<types.PlainTextElement>;

export const mrkdwn = (limit: number) =>
  z.strictObject({
    type: z.literal('mrkdwn'),
    text: atMost(limit),
    verbatim: z.boolean().exactOptional(),
  }) satisfies z.ZodType<types.MrkdwnElement>;

export const anyText = (limit: number) =>
  z.discriminatedUnion('type', [plainText(limit), mrkdwn(limit)]);

export const blockId = atMost(255);
export const actionId = atMost(255);
export const url = z.url().max(3000);

const optionParts = {
  value: atMost(75),
  description: plainText(75).exactOptional(),
} as const;

/** In menus. */
export const plainOption = z.strictObject({
  text: plainText(75),
  ...optionParts,
}) satisfies z.ZodType<types.PlainTextOption>;

/** In check boxes and radio buttons. */
export const richOption = z.union([
  plainOption,
  z.strictObject({ text: mrkdwn(75), ...optionParts }),
]) satisfies z.ZodType<types.Option>;

export const optionGroup = z.strictObject({
  label: plainText(75),
  options: z.array(plainOption).min(1).max(100),
}) satisfies z.ZodType<types.OptionGroup>;

/** The question before something is done. */
export const confirmation = z.strictObject({
  title: plainText(100),
  text: anyText(300),
  confirm: plainText(30),
  deny: plainText(30),
  style: z.enum(['primary', 'danger']).exactOptional(),
});

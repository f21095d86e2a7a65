/**
 * Blocks that Council uses, strictly. They compile only while they fit the vendor's types; formatted text
 * inside them is taken as it is.
 */

import type { types } from '@slack/bolt';
import { z } from 'zod';
import { actionElements, feedbackButtons, iconButton, image, inputElements } from './elements.ts';
import { anyText, blockId, mrkdwn, plainText, url } from './texts.ts';

const block = { block_id: blockId.exactOptional() } as const;

export const actions = z.strictObject({
  type: z.literal('actions'),
  elements: z
    .array(z.discriminatedUnion('type', actionElements))
    .min(1, 'are none')
    .max(25, 'are more than 25'),
  ...block,
}) satisfies z.ZodType<types.ActionsBlock>;

export const alert = z.strictObject({
  type: z.literal('alert'),
  text: anyText(3000),
  level: z.enum(['default', 'info', 'warning', 'error', 'success']).exactOptional(),
  ...block,
}) satisfies z.ZodType<types.AlertBlock>;

export const context = z.strictObject({
  type: z.literal('context'),
  elements: z
    .array(z.discriminatedUnion('type', [image, plainText(3000), mrkdwn(3000)]))
    .min(1, 'are none')
    .max(10, 'are more than 10'),
  ...block,
}) satisfies z.ZodType<types.ContextBlock>;

export const contextActions = z.strictObject({
  type: z.literal('context_actions'),
  elements: z
    .array(z.discriminatedUnion('type', [feedbackButtons, iconButton]))
    .min(1, 'are none')
    .max(5, 'are more than 5'),
  ...block,
}) satisfies z.ZodType<types.ContextActionsBlock>;

export const divider = z.strictObject({
  type: z.literal('divider'),
  ...block,
}) satisfies z.ZodType<types.DividerBlock>;

export const header = z.strictObject({
  type: z.literal('header'),
  text: plainText(150),
  ...block,
}) satisfies z.ZodType<types.HeaderBlock>;

export const imageBlock = z.strictObject({
  type: z.literal('image'),
  image_url: url,
  alt_text: z.string().min(1).max(2000),
  title: plainText(2000).exactOptional(),
  ...block,
}) satisfies z.ZodType<types.ImageBlock>;

export const input = z.strictObject({
  type: z.literal('input'),
  label: plainText(2000),
  element: z.discriminatedUnion('type', inputElements),
  hint: plainText(2000).exactOptional(),
  optional: z.boolean().exactOptional(),
  dispatch_action: z.boolean().exactOptional(),
  ...block,
}) satisfies z.ZodType<types.InputBlock>;

export const markdown = z.strictObject({
  type: z.literal('markdown'),
  text: z.string().min(1, 'is empty').max(12_000, 'is longer than 12,000 characters'),
  ...block,
}) satisfies z.ZodType<types.MarkdownBlock>;

export const richText = z.looseObject({
  type: z.literal('rich_text'),
  elements: z.array(z.looseObject({ type: z.string() })),
  ...block,
});

export const section = z
  .strictObject({
    type: z.literal('section'),
    text: anyText(3000).exactOptional(),
    fields: z.array(anyText(2000)).min(1).max(10, 'are more than 10').exactOptional(),
    accessory: z.discriminatedUnion('type', [image, ...actionElements]).exactOptional(),
    expand: z.boolean().exactOptional(),
    ...block,
  })
  .refine(
    ({ text, fields }) => text !== undefined || fields !== undefined,
    'has neither text nor fields',
  ) satisfies z.ZodType<types.SectionBlock>;

const cell = z.union([
  z.strictObject({ type: z.literal('raw_text'), text: z.string().min(1, 'is empty') }),
  z.looseObject({ type: z.literal('raw_number') }),
  richText,
]);

export const table = z.strictObject({
  type: z.literal('table'),
  rows: z.array(z.array(cell).min(1).max(20, 'are more than 20')).min(1).max(100),
  column_settings: z
    .array(
      z.strictObject({
        align: z.enum(['left', 'center', 'right']).exactOptional(),
        is_wrapped: z.boolean().exactOptional(),
      }),
    )
    .max(20)
    .exactOptional(),
  ...block,
});

const dataSeries = z.strictObject({
  name: z.string().min(1, 'is empty').max(20, 'is longer than 20 characters'),
  data: z
    .array(
      z.strictObject({
        label: z.string().min(1, 'is empty').max(20, 'is longer than 20 characters'),
        value: z.number(),
      }),
    )
    .min(1, 'are none')
    .max(20, 'are more than 20'),
});

/** Bars alone: Council draws no others. By Slack's reference of the block; its types are not in the library yet. */
export const dataVisualization = z.strictObject({
  type: z.literal('data_visualization'),
  title: z.string().min(1, 'is empty').max(50, 'is longer than 50 characters'),
  chart: z
    .strictObject({
      type: z.literal('bar'),
      series: z.array(dataSeries).min(1, 'are none').max(6, 'are more than 6'),
      axis_config: z.strictObject({
        categories: z
          .array(z.string().min(1, 'is empty').max(20, 'is longer than 20 characters'))
          .min(1, 'are none')
          .max(20, 'are more than 20'),
        x_label: z.string().max(50).exactOptional(),
        y_label: z.string().max(50).exactOptional(),
      }),
    })
    .superRefine(({ series, axis_config: { categories } }, check) => {
      if (new Set(categories).size < categories.length) check.addIssue('has a category twice');
      if (new Set(series.map(({ name }) => name)).size < series.length)
        check.addIssue('has two series of one name');
      for (const { data } of series) {
        const labels = data.map(({ label }) => label);
        if (labels.join('\n') !== categories.join('\n'))
          check.addIssue('has labels that are not its categories');
      }
    }),
  ...block,
});

const source = z.strictObject({ type: z.literal('url'), url, text: z.string().min(1) });

export const taskStatus = z.enum(['pending', 'in_progress', 'complete', 'error']);

export const taskCard = z.strictObject({
  type: z.literal('task_card'),
  task_id: z.string().min(1),
  title: z.string().min(1),
  details: richText.exactOptional(),
  output: richText.exactOptional(),
  sources: z.array(source).exactOptional(),
  status: taskStatus,
  ...block,
});

export const plan = z.strictObject({
  type: z.literal('plan'),
  title: z.string().min(1),
  tasks: z.array(taskCard).exactOptional(),
  ...block,
}) satisfies z.ZodType<types.PlanBlock>;

/** What blocks hold: buttons, menus, fields. */

import type { types } from '@slack/bolt';
import { z } from 'zod';
import { menus, overflow } from './menus.ts';
import { actionId, confirmation, plainText, richOption, url } from './texts.ts';

const styles = z.enum(['primary', 'danger']);

export const button = z.strictObject({
  type: z.literal('button'),
  text: plainText(75),
  action_id: actionId.exactOptional(),
  url: url.exactOptional(),
  value: z.string().max(2000, 'is longer than 2,000 characters').exactOptional(),
  style: styles.exactOptional(),
  confirm: confirmation.exactOptional(),
  accessibility_label: z.string().max(75).exactOptional(),
}) satisfies z.ZodType<types.Button>;

const choiceParts = {
  action_id: actionId.exactOptional(),
  options: z.array(richOption).min(1).max(10, 'are more than 10'),
  confirm: confirmation.exactOptional(),
  focus_on_load: z.boolean().exactOptional(),
} as const;

export const checkboxes = z.strictObject({
  type: z.literal('checkboxes'),
  initial_options: z.array(richOption).min(1).exactOptional(),
  ...choiceParts,
}) satisfies z.ZodType<types.Checkboxes>;

export const radioButtons = z.strictObject({
  type: z.literal('radio_buttons'),
  initial_option: richOption.exactOptional(),
  ...choiceParts,
}) satisfies z.ZodType<types.RadioButtons>;

const dispatch = z.strictObject({
  trigger_actions_on: z.array(z.enum(['on_enter_pressed', 'on_character_entered'])).min(1),
});

const fieldParts = {
  action_id: actionId.exactOptional(),
  placeholder: plainText(150).exactOptional(),
  focus_on_load: z.boolean().exactOptional(),
  dispatch_action_config: dispatch.exactOptional(),
} as const;

export const plainTextInput = z
  .strictObject({
    type: z.literal('plain_text_input'),
    initial_value: z.string().max(3000).exactOptional(),
    multiline: z.boolean().exactOptional(),
    min_length: z.int().min(0).max(3000).exactOptional(),
    max_length: z.int().min(1).max(3000).exactOptional(),
    ...fieldParts,
  })
  .refine(
    ({ initial_value: value = '', max_length: limit = 3000 }) => value.length <= limit,
    'begins with more than its own limit allows',
  ) satisfies z.ZodType<types.PlainTextInput>;

export const numberInput = z.strictObject({
  type: z.literal('number_input'),
  is_decimal_allowed: z.boolean(),
  initial_value: z.string().exactOptional(),
  min_value: z.string().exactOptional(),
  max_value: z.string().exactOptional(),
  ...fieldParts,
}) satisfies z.ZodType<types.NumberInput>;

export const urlInput = z.strictObject({
  type: z.literal('url_text_input'),
  initial_value: z.string().exactOptional(),
  ...fieldParts,
}) satisfies z.ZodType<types.URLInput>;

const feedbackButton = z.strictObject({
  text: plainText(75),
  value: z.string().min(1).max(2000),
  accessibility_label: z.string().max(75).exactOptional(),
});

export const feedbackButtons = z.strictObject({
  type: z.literal('feedback_buttons'),
  action_id: actionId.exactOptional(),
  positive_button: feedbackButton,
  negative_button: feedbackButton,
}) satisfies z.ZodType<types.FeedbackButtons>;

export const iconButton = z.strictObject({
  type: z.literal('icon_button'),
  icon: z.literal('trash'),
  text: plainText(75),
  action_id: actionId.exactOptional(),
  value: z.string().max(2000).exactOptional(),
  confirm: confirmation.exactOptional(),
  accessibility_label: z.string().max(75).exactOptional(),
  visible_to_user_ids: z.array(z.string()).exactOptional(),
}) satisfies z.ZodType<types.IconButton>;

export const image = z.strictObject({
  type: z.literal('image'),
  image_url: url,
  alt_text: z.string().min(1).max(2000),
}) satisfies z.ZodType<types.ImageElement>;

export const actionElements = [button, checkboxes, radioButtons, overflow, ...menus] as const;
export const inputElements = [
  plainTextInput,
  numberInput,
  urlInput,
  checkboxes,
  radioButtons,
  ...menus,
] as const;

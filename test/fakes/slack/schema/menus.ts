import { z } from 'zod';
import { actionId, confirmation, optionGroup, plainOption, plainText, url } from './texts.ts';

const menuParts = {
  action_id: actionId.exactOptional(),
  placeholder: plainText(150).exactOptional(),
  confirm: confirmation.exactOptional(),
  focus_on_load: z.boolean().exactOptional(),
} as const;

const severalParts = { ...menuParts, max_selected_items: z.int().min(1).exactOptional() } as const;

const listed = {
  options: z.array(plainOption).min(1).max(100, 'are more than 100').exactOptional(),
  option_groups: z.array(optionGroup).min(1).max(100).exactOptional(),
} as const;

interface Listed {
  readonly options?: readonly Option[];
  readonly option_groups?: readonly { readonly options: readonly Option[] }[];
}

interface Option {
  readonly value: string;
  readonly text: { readonly text: string };
}

/** A menu has options or groups of options, and what is chosen at first is one of them, word for word. */
function listsWhatItChose({ options, option_groups: groups }: Listed, chosen: readonly Option[]) {
  const all = [...(options ?? []), ...(groups ?? []).flatMap((group) => group.options)];
  return chosen.every((one) =>
    all.some(({ value, text }) => value === one.value && text.text === one.text.text),
  );
}

const hasOneKind = ({ options, option_groups: groups }: Listed) =>
  (options === undefined) !== (groups === undefined);

const staticSelect = z
  .strictObject({
    type: z.literal('static_select'),
    initial_option: plainOption.exactOptional(),
    ...listed,
    ...menuParts,
  })
  .refine(hasOneKind, 'has neither options nor groups, or both')
  .refine(
    (menu) => listsWhatItChose(menu, menu.initial_option ? [menu.initial_option] : []),
    'begins with an option that it does not list',
  );

const staticMultiSelect = z
  .strictObject({
    type: z.literal('multi_static_select'),
    initial_options: z.array(plainOption).min(1).exactOptional(),
    ...listed,
    ...severalParts,
  })
  .refine(hasOneKind, 'has neither options nor groups, or both')
  .refine(
    (menu) => listsWhatItChose(menu, menu.initial_options ?? []),
    'begins with an option that it does not list',
  );

const minQueryLength = z.int().min(0).exactOptional();

const externalSelect = z.strictObject({
  type: z.literal('external_select'),
  initial_option: plainOption.exactOptional(),
  min_query_length: minQueryLength,
  ...menuParts,
});

const externalMultiSelect = z.strictObject({
  type: z.literal('multi_external_select'),
  initial_options: z.array(plainOption).min(1).exactOptional(),
  min_query_length: minQueryLength,
  ...severalParts,
});

const usersSelect = z.strictObject({
  type: z.literal('users_select'),
  initial_user: z.string().exactOptional(),
  ...menuParts,
});

const usersMultiSelect = z.strictObject({
  type: z.literal('multi_users_select'),
  initial_users: z
    .array(z.string().regex(/^[UW][A-Z0-9]+$/, 'is no id of a person'))
    .min(1)
    .exactOptional(),
  ...severalParts,
});

const conversationsSelect = z.strictObject({
  type: z.literal('conversations_select'),
  initial_conversation: z.string().exactOptional(),
  default_to_current_conversation: z.boolean().exactOptional(),
  response_url_enabled: z.boolean().exactOptional(),
  filter: z.looseObject({}).exactOptional(),
  ...menuParts,
});

const channelsSelect = z.strictObject({
  type: z.literal('channels_select'),
  initial_channel: z.string().exactOptional(),
  response_url_enabled: z.boolean().exactOptional(),
  ...menuParts,
});

/** A menu behind three dots; it stands beside a section or in a row, never in a form. */
export const overflow = z.strictObject({
  type: z.literal('overflow'),
  action_id: actionId.exactOptional(),
  options: z
    .array(z.strictObject({ ...plainOption.shape, url: url.exactOptional() }))
    .min(1)
    .max(5, 'are more than 5'),
  confirm: confirmation.exactOptional(),
});

/** Everything that opens a list to choose from. */
export const menus = [
  staticSelect,
  staticMultiSelect,
  externalSelect,
  externalMultiSelect,
  usersSelect,
  usersMultiSelect,
  conversationsSelect,
  channelsSelect,
] as const;

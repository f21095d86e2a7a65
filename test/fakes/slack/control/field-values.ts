import type { Json } from '../world/records.ts';
import { type Control, type Element, type Option, optionsOf } from './elements.ts';

/** What a person puts into a field: its text, the value of an option, an id; several where it takes several. */
export type FieldValue = string | readonly string[];

/** Options that an external menu offered, by value. */
export type Offered = ReadonlyMap<string, Option>;

/**
 * A control's part of `state.values` and of an action.
 *
 * @param value - What was put in; `undefined` for what stood there at first.
 * @throws Error for what the client would not let a person do.
 */
export function fieldState(
  { element, label }: Control,
  value: FieldValue | undefined,
  offered: Offered,
): Json {
  const name = label ?? element.action_id;
  const many = value === undefined ? undefined : [value].flat();
  const one = many?.[0];
  switch (element.type) {
    case 'static_select':
    case 'external_select':
    case 'radio_buttons':
    case 'overflow':
      return {
        selected_option:
          one === undefined
            ? (element.initial_option ?? null)
            : chosen(element, one, offered, name),
      };
    case 'multi_static_select':
    case 'multi_external_select':
    case 'checkboxes':
      return {
        selected_options:
          many?.map((item) => chosen(element, item, offered, name)) ??
          element.initial_options ??
          [],
      };
    case 'users_select':
      return { selected_user: one ?? element.initial_user ?? null };
    case 'multi_users_select':
      return { selected_users: many ?? element.initial_users ?? [] };
    case 'conversations_select':
      return { selected_conversation: one ?? element.initial_conversation ?? null };
    case 'channels_select':
      return { selected_channel: one ?? element.initial_channel ?? null };
    default:
      return { value: typed(element, one, name) };
  }
}

/** Whether someone has to fill it in before the form can be submitted. */
export function isMissing({ isOptional }: Control, state: Json): boolean {
  return !isOptional && Object.values(state).every((part) => part === null || isEmptyList(part));
}

function isEmptyList(part: unknown): boolean {
  return Array.isArray(part) && part.length === 0;
}

function chosen(element: Element, value: string, offered: Offered, name: string): Option {
  const known = [
    ...optionsOf(element),
    ...offered.values(),
    ...(element.initial_options ?? []),
    ...(element.initial_option ? [element.initial_option] : []),
  ];
  const option = known.find((one) => one.value === value || one.text.text === value);
  if (option !== undefined) return option;
  throw new Error(
    `${name} offers no ${value}, only: ${known.map((one) => one.value).join(', ') || 'nothing'}.`,
  );
}

function typed(element: Element, value: string | undefined, name: string): string | null {
  const text = value ?? element.initial_value ?? '';
  const { min_length: least = 0, max_length: most = 3000 } = element;
  if (text === '') return null;
  if (text.length < least) throw new Error(`${name} takes no less than ${least} characters.`);
  if (text.length > most) throw new Error(`${name} takes no more than ${most} characters.`);
  return text;
}

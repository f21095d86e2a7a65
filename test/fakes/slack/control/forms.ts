import type { Json } from '../world/records.ts';
import type { View } from '../world/views.ts';
import { controlsOf, findControl, type Option } from './elements.ts';
import { type FieldValue, fieldState, isMissing, type Offered } from './field-values.ts';

/** What one person has put into open modals. */
export interface Forms {
  readonly offered: Offered;
  /** External menus offer these from now on. */
  offer(options: readonly Option[]): void;
  /** Puts something into a field, found by its `action_id`, its block's id or its label. */
  fill(view: View, what: string, value: FieldValue): void;
  /** `state.values` of a view: what was put in, and what stood there at first. */
  values(view: View): Json;
  /** The labels of required fields that are empty. */
  missing(view: View): readonly string[];
}

const ownState: ReadonlySet<string> = new Set([
  'button',
  'feedback_buttons',
  'icon_button',
  'image',
  'overflow',
]);

export function createForms(): Forms {
  const offered = new Map<string, Option>();
  const filled = new Map<string, FieldValue>();
  const keyOf = (view: View, blockId: string, actionId: string) =>
    `${view.id} ${blockId} ${actionId}`;

  const fields = (view: View) =>
    controlsOf(view.blocks)
      .filter(({ element }) => !ownState.has(element.type))
      .map((control) => {
        const { blockId, element } = control;
        const value = filled.get(keyOf(view, blockId, element.action_id));
        return { control, state: fieldState(control, value, offered) };
      });

  return {
    offered,
    offer: (options) => {
      for (const option of options) offered.set(option.value, option);
    },
    fill: (view, what, value) => {
      const control = findControl(view.blocks, what);
      fieldState(control, value, offered);
      filled.set(keyOf(view, control.blockId, control.element.action_id), value);
    },
    values: (view) => {
      const values: Record<string, Record<string, Json>> = {};
      for (const { control, state } of fields(view)) {
        const { blockId, element } = control;
        values[blockId] = {
          ...values[blockId],
          [element.action_id]: { type: element.type, ...state },
        };
      }
      return values;
    },
    missing: (view) =>
      fields(view)
        .filter(({ control, state }) => isMissing(control, state))
        .map(({ control }) => control.label ?? control.element.action_id),
  };
}

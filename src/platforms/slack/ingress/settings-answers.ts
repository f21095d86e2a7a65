/** What somebody chose in the modal of settings. */

import { z } from 'zod';
import type { SettingScope } from '../../../../commands/command.ts';
import { resetName, settingOf } from './settings-modal.ts';

const option = z.object({ value: z.string() });
const text = z.string().nullish();
/** An input as it was shown, and what it holds now; of every kind of input, its own fields are there. */
const elementSchema = z.object({
  initial_option: option.exactOptional(),
  initial_options: z.array(option).default([]),
  initial_users: z.array(z.string()).default([]),
  initial_value: text,
});
const stateSchema = z.object({
  type: z.string(),
  selected_option: option.nullish(),
  selected_options: z.array(option).default([]),
  selected_users: z.array(z.string()).default([]),
  value: text,
});
const viewSchema = z.object({
  blocks: z.array(
    z.looseObject({ block_id: z.string().exactOptional(), element: elementSchema.exactOptional() }),
  ),
  state: z.object({ values: z.record(z.string(), z.record(z.string(), stateSchema)) }),
});

type State = z.infer<typeof stateSchema>;

const severalTypes: ReadonlySet<string> = new Set(['multi_static_select', 'multi_users_select']);

/**
 * Only what differs from what was shown is changed, so that what comes from elsewhere goes on coming
 * from there, and nobody's change made meanwhile is undone.
 *
 * @param view - As Slack submits it.
 * @returns Values by name, as the command `config` takes them. Throws a `ZodError` for no view of settings.
 */
export function changesIn(view: unknown, scope: SettingScope): Readonly<Record<string, unknown>> {
  const { blocks, state } = viewSchema.parse(view);
  const shown = new Map(blocks.map(({ block_id, element }) => [block_id, element]));
  const changes = new Map<string, unknown>();
  let toReset: readonly string[] = [];
  for (const [id, inputs] of Object.entries(state.values)) {
    const [now] = Object.values(inputs);
    const name = settingOf(scope, id);
    if (name === undefined || !now) continue;
    if (name === resetName) toReset = heldIn(now);
    else if (!isSame(heldIn(now), shownIn(shown.get(id)))) changes.set(name, given(now));
  }
  for (const name of toReset) changes.set(name, null);
  return Object.fromEntries(changes);
}

function heldIn(state: State): readonly string[] {
  const typed = state.value?.trim();
  return [
    ...(state.selected_option ? [state.selected_option.value] : []),
    ...state.selected_options.map(({ value }) => value),
    ...state.selected_users,
    ...(typed ? [typed] : []),
  ];
}

function shownIn(element: z.infer<typeof elementSchema> | undefined): readonly string[] {
  if (!element) return [];
  return [
    ...(element.initial_option ? [element.initial_option.value] : []),
    ...element.initial_options.map(({ value }) => value),
    ...element.initial_users,
    ...(element.initial_value ? [element.initial_value] : []),
  ];
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value) => other.includes(value));
}

function given(state: State): unknown {
  const held = heldIn(state);
  return severalTypes.has(state.type) ? held : (held[0] ?? '');
}

/** The data that buttons and modals carry, so they still work after a restart. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { settingScopes } from '../../settings/setting-field.ts';
import { turnActions } from '../chat/asking/turn-actions.ts';

const text = z.string().min(1);
const actionSchema = z.discriminatedUnion('kind', [
  ...turnActions,
  /** Asks an edited question again; `text` in Slack's markup. */
  z.object({
    kind: z.literal('again'),
    ts: text,
    thread: text.exactOptional(),
    editedAt: text,
    text,
    hasAttached: z.literal(true).exactOptional(),
  }),
  /** Opens the settings, or switches the open modal to another scope. */
  z.object({ kind: z.literal('config'), scope: z.enum(settingScopes) }),
]);
export type Action = z.infer<typeof actionSchema>;

const place = { team: text, channel: text, thread: text };
const formSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('config'), ...place, scope: z.enum(settingScopes) }),
  z.object({ kind: z.literal('summon'), ...place }),
  /** `message`: event id of the message that the question is about; `by`: the id of its author. */
  z.object({ kind: z.literal('about'), ...place, message: text, by: text.exactOptional() }),
]);
/** A modal's purpose, and where it was opened. */
export type Form = z.infer<typeof formSchema>;

/** Slack's limit, in characters. */
const longestValue = 2000;

const prefix = 'council';

/** Matches every `action_id` of our buttons, e.g. `council:stop:…`, and every `callback_id` of our modals. */
export const ownIdPattern = new RegExp(`^${prefix}:`);

/** @returns The fields of a button that carry an action; `undefined` if the action is too long for Slack. */
export function encodeAction(action: Action) {
  const value = JSON.stringify(action);
  if (value.length > longestValue) return undefined;
  // Slack requires distinct ids within a block.
  const digest = createHash('sha256').update(value).digest('hex').slice(0, 16);
  return { action_id: `${prefix}:${action.kind}:${digest}`, value };
}

/** The `action_id` of the menu that asks one sage of a turn again. */
export function menuId(turnId: string): string {
  return `${prefix}:one:${turnId}`;
}

/** @returns The action picked in such a menu; `undefined` if the menu is not ours. */
export function readMenuPick(actionId: string, pick: string): Action | undefined {
  const [first, kind, ...rest] = actionId.split(':');
  const action = { kind, turnId: rest.join(':'), pick };
  return first === prefix && kind === 'one' ? actionSchema.safeParse(action).data : undefined;
}

/** @returns The action in a button's value; `undefined` if the button is not ours. */
export function readAction(value: string): Action | undefined {
  return actionSchema.safeParse(jsonIn(value)).data;
}

/** @returns The fields of a modal that carry its form. */
export function encodeForm(form: Form) {
  return { callback_id: `${prefix}:${form.kind}`, private_metadata: JSON.stringify(form) };
}

/** @returns The form in a modal's metadata; `undefined` if the modal is not ours. */
export function readForm(metadata: string): Form | undefined {
  return formSchema.safeParse(jsonIn(metadata)).data;
}

function jsonIn(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    // Our own values are always JSON.
    return undefined;
  }
}

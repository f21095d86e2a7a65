/** What a button or a modal carries, so that it works after any restart. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { settingScopes } from '../../settings/setting-field.ts';
import { turnActions } from '../chat/asking/turn-actions.ts';

const text = z.string().min(1);
const actionSchema = z.discriminatedUnion('kind', [
  ...turnActions,
  /** Asks a question as an edit has made it; `text` as Slack writes it. */
  z.object({
    ...{ kind: z.literal('again'), ts: text, thread: text.exactOptional() },
    ...{ editedAt: text, text },
  }),
  /** Opens the settings, or shows those of another scope in the modal that is open. */
  z.object({ kind: z.literal('config'), scope: z.enum(settingScopes) }),
]);
export type Action = z.infer<typeof actionSchema>;

const place = { team: text, channel: text, thread: text };
const formSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('config'), ...place, scope: z.enum(settingScopes) }),
  z.object({ kind: z.literal('summon'), ...place }),
  /** `message` is the post that a question is about, as an event id. */
  z.object({ kind: z.literal('about'), ...place, message: text }),
]);
/** What a modal is for, and where it was opened. */
export type Form = z.infer<typeof formSchema>;

/** Slack's own bounds, in characters. */
const longestValue = 2000;
const longestMetadata = 3000;

const prefix = 'council';

/** Every `action_id` of our buttons, e.g. `council:stop:…`, and every `callback_id` of our modals. */
export const ownIdPattern = new RegExp(`^${prefix}:`);

/** The two fields of a button that carry an action. */
export interface CarriedAction {
  /** One of its own for each action, because Slack wants them to differ within a block. */
  readonly action_id: string;
  readonly value: string;
}

/** @returns Absent when the action is too long to be carried. */
export function encodeAction(action: Action): CarriedAction | undefined {
  const value = JSON.stringify(action);
  if (value.length > longestValue) return undefined;
  const digest = createHash('sha256').update(value).digest('hex').slice(0, 16);
  return { action_id: `${prefix}:${action.kind}:${digest}`, value };
}

/** The `action_id` of the menu that asks a sage of a turn again. */
export function menuId(turnId: string): string {
  return `${prefix}:one:${turnId}`;
}

/** @returns What was chosen in such a menu; `undefined` for one that is none of ours. */
export function readMenuPick(actionId: string, pick: string): Action | undefined {
  const [first, kind, ...rest] = actionId.split(':');
  const action = { kind, turnId: rest.join(':'), pick };
  return first === prefix && kind === 'one' ? actionSchema.safeParse(action).data : undefined;
}

/** @returns What the value of a button carries; `undefined` for one that is none of ours. */
export function readAction(value: string): Action | undefined {
  return actionSchema.safeParse(jsonIn(value)).data;
}

/** The two fields of a modal that carry what it is for. */
export interface CarriedForm {
  readonly callback_id: string;
  readonly private_metadata: string;
}

/** Throws a RangeError when it is too long, which no ids of Slack are. */
export function encodeForm(form: Form): CarriedForm {
  const private_metadata = JSON.stringify(form);
  if (private_metadata.length > longestMetadata) {
    throw new RangeError(`A modal can't carry ${private_metadata.length} characters.`);
  }
  return { callback_id: `${prefix}:${form.kind}`, private_metadata };
}

/** @returns What a modal is for; `undefined` for one that is none of ours. */
export function readForm(metadata: string): Form | undefined {
  return formSchema.safeParse(jsonIn(metadata)).data;
}

function jsonIn(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    // Whatever is no JSON is not ours.
    return undefined;
  }
}

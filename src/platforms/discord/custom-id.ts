/** The actions that buttons, menus and modals carry, so they still work after a restart; and modals with text inputs. */

import {
  type APIModalInteractionResponseCallbackData,
  ComponentType,
  type ModalSubmitInteraction,
  TextInputStyle,
} from 'discord.js';
import { z } from 'zod';
import { turnActions } from '../chat/asking/turn-actions.ts';
import type { TextForm } from '../chat/forms.ts';

const text = z.string().min(1);
const index = z.coerce.number().int().min(0);
const actionSchema = z.discriminatedUnion('kind', [
  ...turnActions,
  /** Asks an edited question. */
  z.object({ kind: z.literal('again'), channel: text, message: text }),
  /** Changes a setting through one of its menus, counted from 0. */
  z.object({ kind: z.literal('set'), scope: text, setting: text, part: index.default(0) }),
  /** Opens the modal for a typed setting. */
  z.object({ kind: z.literal('type'), scope: text, setting: text }),
  /** Submits that modal. */
  z.object({ kind: z.literal('typed'), scope: text, setting: text }),
  /** Shows a page of settings, counted from 0. */
  z.object({ kind: z.literal('page'), scope: text, page: index }),
  /** Submits a command's modal. */
  z.object({ kind: z.literal('form'), command: text }),
  /** Submits the modal for a question about a message. */
  z.object({ kind: z.literal('about'), message: text }),
]);
export type Action = z.infer<typeof actionSchema>;

/** The fields that follow the kind. Posted ids hold them in schema order, so that order must not change. */
const fieldNames: ReadonlyMap<string, readonly string[]> = new Map(
  actionSchema.options.map(({ shape: { kind, ...facts } }) => [kind.value, Object.keys(facts)]),
);

const prefix = 'council';
const separator = '|';
const maxIdLength = 100;

/** @returns `undefined` if the id would exceed Discord's 100 characters. */
export function customIdOf(action: Action): string | undefined {
  const facts = new Map<string, string | number>(Object.entries(action));
  const values = fieldNames.get(action.kind)?.flatMap((name) => facts.get(name) ?? []) ?? [];
  const id = [prefix, action.kind, ...values].join(separator);
  return id.length <= maxIdLength ? id : undefined;
}

/** @returns The action; `undefined` for an id that isn't ours. */
export function readCustomId(id: string): Action | undefined {
  const [first, kind = '', ...values] = id.split(separator);
  const names = fieldNames.get(kind);
  if (first !== prefix || !names) return undefined;
  const facts = values.map((value, index) => [names[index] ?? '', value]);
  return actionSchema.safeParse({ kind, ...Object.fromEntries(facts) }).data;
}

export type Modal = APIModalInteractionResponseCallbackData;

/** @param action - Submitting the modal triggers it. */
export function typingModal({ title, inputs }: Omit<TextForm, 'submit'>, action: Action): Modal {
  return {
    custom_id: customIdOf(action) ?? '',
    title,
    components: inputs.map(({ name, label, hint, maxChars, isLong, isOptional, value }) => ({
      type: ComponentType.Label,
      label,
      description: hint,
      component: {
        type: ComponentType.TextInput,
        custom_id: name,
        style: isLong ? TextInputStyle.Paragraph : TextInputStyle.Short,
        max_length: maxChars,
        required: isOptional !== true,
        ...(value === undefined ? {} : { value }),
      },
    })),
  };
}

/** The texts typed into a modal, by input name. */
export function typedIn({ fields }: ModalSubmitInteraction): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...fields.fields.keys()].map((id) => [id, fields.getTextInputValue(id)]),
  );
}

/** What buttons, menus and modals carry, at most 100 characters, and modals with text inputs. */

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
  /** Asks a question as an edit has made it. */
  z.object({ kind: z.literal('again'), channel: text, message: text }),
  /** Changes a setting by one of its menus; counted from 0. */
  z.object({ kind: z.literal('set'), scope: text, setting: text, part: index.default(0) }),
  /** Opens the modal for a setting that is typed. */
  z.object({ kind: z.literal('type'), scope: text, setting: text }),
  /** What that modal sends. */
  z.object({ kind: z.literal('typed'), scope: text, setting: text }),
  /** Shows another page of settings; counted from 0. */
  z.object({ kind: z.literal('page'), scope: text, page: index }),
  /** What the modal of a command sends. */
  z.object({ kind: z.literal('form'), command: text }),
  /** What the modal of a question about a message sends. */
  z.object({ kind: z.literal('about'), message: text }),
]);
export type Action = z.infer<typeof actionSchema>;

/** Which facts follow the kind; ids that were posted hold them in the order of their schemas. */
const factNames: ReadonlyMap<string, readonly string[]> = new Map(
  actionSchema.options.map(({ shape: { kind, ...facts } }) => [kind.value, Object.keys(facts)]),
);

const prefix = 'council';
const separator = '|';
const longest = 100;

/** @returns Absent when it would be too long to be carried. */
export function customIdOf(action: Action): string | undefined {
  const facts = new Map<string, string | number>(Object.entries(action));
  const values = factNames.get(action.kind)?.flatMap((name) => facts.get(name) ?? []) ?? [];
  const id = [prefix, action.kind, ...values].join(separator);
  return id.length <= longest ? id : undefined;
}

/** @returns What an id carries; `undefined` for one that is not of this kind. */
export function readCustomId(id: string): Action | undefined {
  const [first, kind = '', ...values] = id.split(separator);
  const names = factNames.get(kind);
  if (first !== prefix || !names) return undefined;
  const facts = values.map((value, index) => [names[index] ?? '', value]);
  return actionSchema.safeParse({ kind, ...Object.fromEntries(facts) }).data;
}

export type Modal = APIModalInteractionResponseCallbackData;

/** @param action - What it sends. */
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

/** What was typed into such a modal, by the names of its inputs. */
export function typedIn({ fields }: ModalSubmitInteraction): Readonly<Record<string, string>> {
  const typed = [...fields.fields.values()].filter(({ type }) => type === ComponentType.TextInput);
  return Object.fromEntries(
    typed.map(({ customId }) => [customId, fields.getTextInputValue(customId)]),
  );
}

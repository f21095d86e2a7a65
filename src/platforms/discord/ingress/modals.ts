/** Modals of texts to be typed. */

import {
  type APIModalInteractionResponseCallbackData,
  ComponentType,
  type ModalSubmitInteraction,
  TextInputStyle,
} from 'discord.js';
import type { TextForm } from '../../chat/forms.ts';
import { type Action, customIdOf } from '../custom-id.ts';

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

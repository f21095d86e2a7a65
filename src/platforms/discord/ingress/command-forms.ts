/** Commands that ask for what they need in a modal, because it is too long for a menu. */

import {
  type APIModalInteractionResponseCallbackData,
  ComponentType,
  type ModalSubmitInteraction,
  TextInputStyle,
} from 'discord.js';
import { customIdOf } from '../custom-id.ts';

/** Modals by the command that they belong to; the inputs have the names of its options. */
export const commandForms: Readonly<
  Record<string, APIModalInteractionResponseCallbackData | undefined>
> = {
  summon: {
    custom_id: customIdOf({ kind: 'form', command: 'summon' }) ?? '',
    title: 'A sage for this channel',
    components: [
      {
        type: ComponentType.Label,
        label: 'Name',
        component: {
          type: ComponentType.TextInput,
          custom_id: 'name',
          style: TextInputStyle.Short,
          max_length: 80,
        },
      },
      {
        type: ComponentType.Label,
        label: 'Description',
        description: 'Who it is and what it is for, in a sentence or two',
        component: {
          type: ComponentType.TextInput,
          custom_id: 'description',
          style: TextInputStyle.Paragraph,
          max_length: 1000,
        },
      },
    ],
  },
};

/** What was typed into such a modal, as options of its command. */
export function readForm({ fields }: ModalSubmitInteraction): Readonly<Record<string, string>> {
  const typed = [...fields.fields.values()].filter(
    (field) => field.type === ComponentType.TextInput,
  );
  return Object.fromEntries(typed.map(({ customId, value }) => [customId, value]));
}

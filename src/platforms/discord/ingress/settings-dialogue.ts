/** Handles the menus, buttons and modals of the settings that `/council config` shows. */

import {
  type ButtonInteraction,
  MessageFlags,
  type ModalSubmitInteraction,
  type StringSelectMenuInteraction,
  type UserSelectMenuInteraction,
} from 'discord.js';
import type { Reply, SettingField } from '../../../../commands/command.ts';
import { type Changes, changesIn, formIn, valueAfterPick } from '../../chat/forms.ts';
import { type Action, typedIn } from '../custom-id.ts';
import { respond, showReply } from './first-answer.ts';
import { replyMessages } from './reply-message.ts';
import { currentText, pageWith, settingsModal, typedFrom } from './settings-form.ts';

export type ComponentInteraction =
  | ButtonInteraction
  | StringSelectMenuInteraction
  | UserSelectMenuInteraction
  | ModalSubmitInteraction;

export type SettingsAction = Extract<Action, { kind: 'page' | 'set' | 'type' | 'typed' }>;

/** Runs the command `config` as the person who interacts. */
type RunConfig = (options: Readonly<Record<string, unknown>>) => Promise<Reply>;

/** Throws what Discord throws. */
export async function handleSettings(
  interaction: ComponentInteraction,
  action: SettingsAction,
  run: RunConfig,
): Promise<void> {
  const { scope } = action;
  if (action.kind === 'type' && !interaction.isModalSubmit()) {
    const form = formIn(await run({ scope }));
    const modal = form && settingsModal(form, action.setting);
    if (modal) return respond(interaction, () => interaction.showModal(modal));
  }
  if (interaction.isModalSubmit() && !interaction.isFromMessage()) return;
  // Before reading anything: Discord doesn't wait for a slow store.
  await respond(interaction, () => interaction.deferUpdate());
  const current = await run({ scope });
  const fields = formIn(current)?.fields ?? [];
  switch (action.kind) {
    case 'type':
      // The setting is gone.
      return show(interaction, current);
    case 'page':
      return show(interaction, current, action.page);
    case 'set': {
      if (!interaction.isStringSelectMenu() && !interaction.isUserSelectMenu()) return;
      const { setting, part } = action;
      const shown = interaction.isStringSelectMenu()
        ? interaction.component.options.map(({ value }) => value)
        : [];
      const field = fields.find(({ name }) => name === setting);
      const value = valueAfterPick(field, shown, interaction.values);
      const reply = await run({ scope, changes: { [setting]: value } });
      return show(interaction, reply, pageWith(formIn(reply)?.fields ?? [], setting, part));
    }
    case 'typed': {
      if (!interaction.isModalSubmit()) return;
      const changes = typedChanges(interaction, fields, action.setting);
      const isChanged = Object.keys(changes).length > 0;
      return show(interaction, isChanged ? await run({ scope, changes }) : current);
    }
  }
}

/** Shows the result in the message itself. */
async function show(interaction: ComponentInteraction, reply: Reply, page?: number): Promise<void> {
  // The settings are in the last message; earlier ones continue their heading.
  const last = (await replyMessages(reply, page)).at(-1);
  await showReply(interaction, {
    components: [...(last?.components ?? [])],
    flags: MessageFlags.IsComponentsV2,
  });
}

function typedChanges(
  interaction: ModalSubmitInteraction,
  fields: readonly SettingField[],
  setting: string,
): Changes {
  const typed = typedIn(interaction);
  // Fields missing from the modal were not changed.
  const asked = typedFrom(fields, setting).filter(({ name }) => Object.hasOwn(typed, name));
  const answers = asked.map((field) => ({
    name: field.name,
    shown: [currentText(field)],
    held: [(typed[field.name] ?? '').trim()],
    isList: false,
  }));
  return changesIn(answers);
}

/** What people do with the settings that `/council config` shows. */

import {
  type ButtonInteraction,
  MessageFlags,
  type ModalSubmitInteraction,
  type StringSelectMenuInteraction,
} from 'discord.js';
import type { Reply } from '../../../../commands/command.ts';
import type { Action } from '../custom-id.ts';
import { replyMessages } from './reply-message.ts';
import { currentText, pageWith, resetValue, settingsModal, typedFrom } from './settings-form.ts';

export type ComponentInteraction =
  | ButtonInteraction
  | StringSelectMenuInteraction
  | ModalSubmitInteraction;

export type SettingsAction = Extract<Action, { kind: 'page' | 'set' | 'type' | 'typed' }>;

/** Runs the command `config` for whoever interacts. */
type RunConfig = (options: Readonly<Record<string, unknown>>) => Promise<Reply>;

type Changes = Readonly<Record<string, unknown>>;

/** Throws what Discord throws. */
export async function handleSettings(
  interaction: ComponentInteraction,
  action: SettingsAction,
  run: RunConfig,
): Promise<void> {
  const { scope } = action;
  switch (action.kind) {
    case 'page':
      return show(interaction, await run({ scope }), action.page);
    case 'set': {
      if (!interaction.isStringSelectMenu()) return;
      const { values } = interaction;
      const value = values.includes(resetValue) ? null : [...values];
      return change(interaction, scope, { [action.setting]: value }, run);
    }
    case 'type':
      return openModal(interaction, await run({ scope }), action.setting);
    case 'typed': {
      if (!interaction.isModalSubmit()) return;
      const changes = typedChanges(interaction, await run({ scope }), action.setting);
      return change(interaction, scope, changes, run);
    }
  }
}

async function change(
  interaction: ComponentInteraction,
  scope: string,
  changes: Changes,
  run: RunConfig,
): Promise<void> {
  const [changed] = Object.keys(changes);
  const reply = await run(changed === undefined ? { scope } : { scope, changes });
  await show(interaction, reply, pageWith(settingsIn(reply)?.fields ?? [], changed ?? ''));
}

/** The message itself shows what became of it. */
async function show(interaction: ComponentInteraction, reply: Reply, page: number): Promise<void> {
  if (interaction.isModalSubmit() && !interaction.isFromMessage()) return;
  await interaction.deferUpdate();
  // The settings are on the last message; what comes before is more of their heading.
  const last = replyMessages(reply, page).at(-1);
  await interaction.editReply({
    components: [...(last?.components ?? [])],
    flags: MessageFlags.IsComponentsV2,
  });
}

async function openModal(
  interaction: ComponentInteraction,
  reply: Reply,
  setting: string,
): Promise<void> {
  if (interaction.isModalSubmit()) return;
  const block = settingsIn(reply);
  const modal = block ? settingsModal(block, setting) : undefined;
  if (modal) await interaction.showModal(modal);
  else await show(interaction, reply, 0);
}

/** Only what was changed is set, so that what comes from elsewhere goes on coming from there. */
function typedChanges(interaction: ModalSubmitInteraction, reply: Reply, setting: string): Changes {
  const changes = typedFrom(settingsIn(reply)?.fields ?? [], setting).flatMap((field) => {
    const typed = interaction.fields.getTextInputValue(field.name).trim();
    return typed === currentText(field) ? [] : [[field.name, typed] as const];
  });
  return Object.fromEntries(changes);
}

function settingsIn(reply: Reply) {
  return reply.blocks.find((block) => block.type === 'settings');
}

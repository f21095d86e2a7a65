/** Everything that people do with commands, buttons, menus and modals. */

import {
  type AutocompleteInteraction,
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  type Interaction,
  MessageFlags,
  type ModalSubmitInteraction,
  type StringSelectMenuInteraction,
} from 'discord.js';
import type { Reply } from '../../../../commands/command.ts';
import type { Ingress } from '../../platform.ts';
import { parseCommandLine } from '../../terminal/command-line.ts';
import { type Action, readCustomId } from '../custom-id.ts';
import {
  messageCommandName,
  type OfferedCommand,
  sagesOption,
  slashName,
} from '../registration.ts';
import { noPings } from '../rest/messages.ts';
import { placeOf } from '../thread-id.ts';
import { askByInteraction } from './ask-by-interaction.ts';
import { commandForms, readForm } from './command-forms.ts';
import { replyMessages } from './reply-message.ts';
import { personBehind, placeIn, sceneOf } from './scene.ts';
import { currentText, pageWith, resetValue, settingsModal, typedFrom } from './settings-form.ts';
import { suggestions } from './suggestions.ts';

type ComponentInteraction =
  | ButtonInteraction
  | StringSelectMenuInteraction
  | ModalSubmitInteraction;
type RepliedInteraction = ChatInputCommandInteraction | ComponentInteraction;

export interface InteractionHandlerOptions {
  readonly ingress: Ingress;
  readonly commands: readonly OfferedCommand[];
  /** A question has been taken up, and this message is its card. */
  readonly onCard: (eventId: string, card: { channelId: string; messageId: string }) => void;
  /** Somebody who manages this channel is there, and can be told something in private; gives what. */
  readonly noticeFor: (channelId: string) => string | undefined;
}

export class InteractionHandler {
  readonly #options: InteractionHandlerOptions;

  constructor(options: InteractionHandlerOptions) {
    this.#options = options;
  }

  /** Throws what Discord throws. */
  async handle(interaction: Interaction): Promise<void> {
    if (interaction.isAutocomplete()) return this.#suggest(interaction);
    if (interaction.isMessageContextMenuCommand()) {
      if (interaction.commandName === messageCommandName) await this.#ask(interaction);
      return;
    }
    if (interaction.isChatInputCommand()) return this.#slash(interaction);
    if (interaction.isButton() || interaction.isStringSelectMenu() || interaction.isModalSubmit()) {
      const action = readCustomId(interaction.customId);
      if (action) await this.#act(interaction, action);
    }
  }

  async #slash(interaction: ChatInputCommandInteraction): Promise<void> {
    if (interaction.commandName !== slashName) return;
    const command = interaction.options.getSubcommand();
    if (command === 'ask') await this.#ask(interaction);
    else {
      const form = commandForms[command];
      if (form) return interaction.showModal(form).then(() => undefined);
      await interaction.deferReply({ flags: MessageFlags.Ephemeral });
      const options = Object.fromEntries(
        interaction.options.data
          .flatMap(({ options: given }) => given ?? [])
          .map(({ name, value }) => [name, value]),
      );
      await this.#reply(interaction, await this.#run(interaction, command, options));
    }
    await this.#notice(interaction);
  }

  async #ask(interaction: Parameters<typeof askByInteraction>[0]): Promise<void> {
    await askByInteraction(interaction, this.#options.ingress, this.#options.onCard);
  }

  async #act(interaction: ComponentInteraction, action: Action): Promise<void> {
    switch (action.kind) {
      case 'stop':
        return this.#stop(interaction, action);
      case 'view':
        await interaction.deferReply({ flags: MessageFlags.Ephemeral });
        return this.#reply(
          interaction,
          await this.#run(interaction, 'reviews', { turn: action.turnId, show: action.view }),
        );
      case 'run': {
        await interaction.deferReply({ flags: MessageFlags.Ephemeral });
        const line = parseCommandLine(action.command, this.#options.commands);
        if (line.status !== 'read') return;
        return this.#reply(interaction, await this.#run(interaction, line.command, line.options));
      }
      case 'form': {
        if (!interaction.isModalSubmit()) return;
        await interaction.deferReply({ flags: MessageFlags.Ephemeral });
        const options = readForm(interaction);
        return this.#reply(interaction, await this.#run(interaction, action.command, options));
      }
      case 'page':
        return this.#config(interaction, action.scope, {}, action.page);
      case 'set': {
        if (!interaction.isStringSelectMenu()) return;
        const { values } = interaction;
        const value = values.includes(resetValue) ? null : [...values];
        return this.#config(interaction, action.scope, { [action.setting]: value });
      }
      case 'type':
        return this.#openSettings(interaction, action);
      case 'typed':
        return this.#typed(interaction, action);
    }
  }

  /** Only who asked, and who manages the channel, may stop a turn. */
  async #stop(
    interaction: ComponentInteraction,
    { turnId, askerId }: Extract<Action, { kind: 'stop' }>,
  ): Promise<void> {
    await interaction.deferReply({ flags: MessageFlags.Ephemeral });
    const person = personBehind(interaction);
    const isAllowed = person.id === askerId || person.isManager;
    const text = !isAllowed
      ? 'Only the person who asked, and those who manage this channel, can stop it.'
      : (await this.#options.ingress.stop(turnId))
        ? 'Stopped. What the sages had said so far is kept.'
        : 'It has ended already.';
    await interaction.editReply(text);
  }

  /** A menu changed a setting, or another page is to be shown: the message itself shows it. */
  async #config(
    interaction: ComponentInteraction,
    scope: string,
    changes: Readonly<Record<string, unknown>>,
    page = 0,
  ): Promise<void> {
    if (!interaction.isMessageComponent() && !interaction.isFromMessage()) return;
    await interaction.deferUpdate();
    const isChange = Object.keys(changes).length > 0;
    const options = isChange ? { scope, changes } : { scope };
    const reply = await this.#run(interaction, 'config', options);
    const [first] = replyMessages(reply, pageFor(reply, Object.keys(changes)[0]) ?? page);
    await interaction.editReply({
      components: [...(first?.components ?? [])],
      flags: MessageFlags.IsComponentsV2,
    });
  }

  async #openSettings(
    interaction: ComponentInteraction,
    { scope, setting }: Extract<Action, { kind: 'type' }>,
  ): Promise<void> {
    if (interaction.isModalSubmit()) return;
    const reply = await this.#run(interaction, 'config', { scope });
    const block = settingsIn(reply);
    const modal = block ? settingsModal(block, setting) : undefined;
    if (modal) await interaction.showModal(modal);
    else await this.#replyAtOnce(interaction, reply);
  }

  /** Only what was changed is set, so that what comes from elsewhere goes on coming from there. */
  async #typed(
    interaction: ComponentInteraction,
    { scope, setting }: Extract<Action, { kind: 'typed' }>,
  ): Promise<void> {
    if (!interaction.isModalSubmit()) return;
    const block = settingsIn(await this.#run(interaction, 'config', { scope }));
    const changes = typedFrom(block?.fields ?? [], setting).flatMap((field) => {
      const typed = interaction.fields.getTextInputValue(field.name).trim();
      return typed === currentText(field) ? [] : [[field.name, typed] as const];
    });
    await this.#config(interaction, scope, Object.fromEntries(changes), 0);
  }

  async #run(
    interaction: RepliedInteraction,
    command: string,
    options: Readonly<Record<string, unknown>>,
  ): Promise<Reply> {
    return this.#options.ingress.command({
      place: placeOf(placeIn(sceneOf(interaction, interaction.appPermissions))),
      person: personBehind(interaction),
      command,
      options,
    });
  }

  /** Fills the private answer that was begun; what does not fit follows it. */
  async #reply(interaction: RepliedInteraction, reply: Reply): Promise<void> {
    for (const [index, { components, files }] of replyMessages(reply).entries()) {
      const message = {
        components: [...components],
        files: [...files],
        allowedMentions: { parse: noPings.parse },
      };
      if (index === 0)
        await interaction.editReply({ ...message, flags: MessageFlags.IsComponentsV2 });
      else {
        const flags = [MessageFlags.IsComponentsV2, MessageFlags.Ephemeral] as const;
        await interaction.followUp({ ...message, flags });
      }
    }
  }

  async #replyAtOnce(interaction: RepliedInteraction, reply: Reply): Promise<void> {
    await interaction.deferReply({ flags: MessageFlags.Ephemeral });
    await this.#reply(interaction, reply);
  }

  async #suggest(interaction: AutocompleteInteraction): Promise<void> {
    const { name, value } = interaction.options.getFocused(true);
    const scene = sceneOf(interaction, interaction.appPermissions);
    const { bench } = await this.#options.ingress.settings(placeOf(placeIn(scene)));
    await interaction.respond([...suggestions(value, bench, name === sagesOption)]);
  }

  async #notice(interaction: ChatInputCommandInteraction): Promise<void> {
    if (!personBehind(interaction).isManager || !interaction.replied) return;
    const notice = this.#options.noticeFor(interaction.channelId);
    if (notice) await interaction.followUp({ content: notice, flags: MessageFlags.Ephemeral });
  }
}

function settingsIn(reply: Reply) {
  return reply.blocks.find((block) => block.type === 'settings');
}

function pageFor(reply: Reply, changed: string | undefined): number | undefined {
  return changed === undefined ? undefined : pageWith(settingsIn(reply)?.fields ?? [], changed);
}

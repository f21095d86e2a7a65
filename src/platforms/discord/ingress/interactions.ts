/** Handles commands, buttons, menus and modals. */

import {
  type AutocompleteInteraction,
  type ChatInputCommandInteraction,
  type Interaction,
  type Message,
  type MessageContextMenuCommandInteraction,
  MessageFlags,
  type ModalSubmitInteraction,
  type RepliableInteraction,
} from 'discord.js';
import { LRUCache } from 'lru-cache';
import { type Reply, textReply } from '../../../../commands/command.ts';
import { postedBelow, wordlessMessage } from '../../chat/asking/asking-words.ts';
import { messageGoneWords } from '../../chat/asking/said-questions.ts';
import { commandBehind } from '../../chat/asking/turn-actions.ts';
import { aboutForm, commandForms } from '../../chat/forms.ts';
import { type Action, readCustomId, typedIn, typingModal } from '../custom-id.ts';
import {
  choiceFor,
  idOptions,
  maxChoices,
  messageCommandName,
  sageOptions,
  slashName,
  suggestions,
} from '../registration.ts';
import { withoutRequest } from '../rest/discord-rest.ts';
import { heardInMessage } from '../surroundings/said-message.ts';
import {
  askByInteraction,
  askEdited,
  askedAbout,
  askedByCommand,
  readAnew,
} from './ask-by-interaction.ts';
import { deferPrivately, replyPrivately, respond, showReply } from './first-answer.ts';
import { replyMessages } from './reply-message.ts';
import {
  type IngressContext,
  optionsOf,
  personIn,
  placeOfCommand,
  sceneOf,
  waysToAsk,
  whyNotGive,
} from './scene.ts';
import { type ComponentInteraction, handleSettings } from './settings-dialogue.ts';

type RepliedInteraction = ChatInputCommandInteraction | ComponentInteraction;

/** How long Discord accepts a modal's submission. */
const modalLivesMs = 15 * 60_000;
const noPersonas =
  'I lack the permission **Manage Webhooks** in this channel, so the sages can’t speak under their own names and pictures. You can grant it in the channel’s settings.';

export class InteractionHandler {
  readonly #options: IngressContext;
  /** By person and message, while the modal is open. */
  readonly #askedAbout = new LRUCache<string, Message>({ max: 1000, ttl: modalLivesMs });
  /** Channels in which a manager was told of the missing permission; forgotten ones are told again. */
  readonly #told = new LRUCache<string, true>({ max: 5000 });

  constructor(options: IngressContext) {
    this.#options = options;
  }

  async handle(interaction: Interaction): Promise<void> {
    if (interaction.isAutocomplete()) return this.#suggest(interaction);
    if (interaction.isMessageContextMenuCommand()) {
      if (interaction.commandName === messageCommandName) await this.#askAbout(interaction);
      return;
    }
    if (interaction.isChatInputCommand()) return this.#slash(interaction);
    const isMenu = interaction.isStringSelectMenu() || interaction.isUserSelectMenu();
    if (interaction.isButton() || isMenu || interaction.isModalSubmit()) {
      const action = readCustomId(interaction.customId);
      if (action) await this.#act(interaction, action);
    }
  }

  /** A modal that is still open is no longer about a message that was deleted. */
  messagesDeleted(ids: readonly string[]): void {
    const isDeleted = (key: string) => ids.some((id) => key.endsWith(` ${id}`));
    for (const key of [...this.#askedAbout.keys()].filter(isDeleted)) this.#askedAbout.delete(key);
  }

  async #slash(interaction: ChatInputCommandInteraction): Promise<void> {
    if (interaction.commandName !== slashName) return;
    const command = interaction.options.getSubcommand();
    if (await isRefused(interaction, command)) return;
    if (command === 'ask') {
      await askByInteraction(interaction, () => askedByCommand(interaction), this.#options);
    } else {
      const form = commandForms[command];
      if (form) {
        const modal = typingModal(form, { kind: 'form', command });
        await respond(interaction, () => interaction.showModal(modal));
        return;
      }
      await this.#answer(interaction, command, optionsOf(interaction));
    }
    await this.#notice(interaction);
  }

  /** Adds to the help, above its list of commands, the ways to ask that only Discord has. */
  async #withWaysToAsk(interaction: RepliedInteraction, reply: Reply): Promise<Reply> {
    const place = placeOfCommand(interaction);
    const { ingress, readsContent } = this.#options;
    const { followUpMode } = await ingress.settings(place);
    const text = waysToAsk(place.threadId, followUpMode, readsContent());
    return { ...reply, blocks: reply.blocks.toSpliced(-1, 0, { type: 'text', text }) };
  }

  /** A person's own message is the question; for another's, a modal asks what the person wants to know. */
  async #askAbout(interaction: MessageContextMenuCommandInteraction): Promise<void> {
    if (await isRefused(interaction, 'ask')) return;
    const { targetMessage: message, user } = interaction;
    if (message.author.id === user.id) {
      return askByInteraction(interaction, () => askedAbout(message, user.id, ''), this.#options);
    }
    if (!heardInMessage(message, 'all')) return replyPrivately(interaction, wordlessMessage);
    this.#askedAbout.set(`${user.id} ${message.id}`, message);
    const modal = typingModal(aboutForm, { kind: 'about', message: message.id });
    await respond(interaction, () => interaction.showModal(modal));
  }

  /** Without permission to read the channel, the message is only known from the command. */
  async #askTyped(interaction: ModalSubmitInteraction, messageId: string): Promise<void> {
    const { user, client, channelId } = interaction;
    const message =
      this.#askedAbout.get(`${user.id} ${messageId}`) ??
      (await readAnew(client, channelId ?? '', messageId));
    const hasWords = message && heardInMessage(message, 'all');
    if (!hasWords) return replyPrivately(interaction, messageGoneWords);
    const [{ name }] = aboutForm.inputs;
    const typed = typedIn(interaction)[name] ?? '';
    await askByInteraction(interaction, () => askedAbout(message, user.id, typed), this.#options);
  }

  async #act(interaction: ComponentInteraction, action: Action): Promise<void> {
    switch (action.kind) {
      case 'again':
        if (!interaction.isButton() || (await isRefused(interaction, 'ask'))) return;
        return askEdited(interaction, action, this.#options);
      case 'form':
        if (interaction.isModalSubmit())
          await this.#answer(interaction, action.command, typedIn(interaction));
        return;
      case 'about':
        if (interaction.isModalSubmit()) await this.#askTyped(interaction, action.message);
        return;
      case 'page':
      case 'set':
      case 'type':
      case 'typed':
        return handleSettings(interaction, action, (options) =>
          this.#run(interaction, 'config', options),
        );
      default: {
        // The store checks who asked: a button's id may be forged.
        const picked = interaction.isStringSelectMenu() ? interaction.values[0] : undefined;
        const whole = action.kind === 'one' && picked ? { ...action, pick: picked } : action;
        const { command, options } = commandBehind(whole, this.#options.commands);
        if (await isRefused(interaction, command)) return;
        return this.#answer(interaction, command, options);
      }
    }
  }

  async #run(
    interaction: RepliedInteraction,
    command: string,
    options: Readonly<Record<string, unknown>>,
  ): Promise<Reply> {
    return this.#options.ingress.command({
      place: placeOfCommand(interaction),
      person: personIn(interaction),
      command,
      options,
      eventId: interaction.id,
    });
  }

  /** Runs a command, posts what is for everyone, and replies in private. */
  async #answer(
    interaction: RepliedInteraction,
    command: string,
    options: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    await deferPrivately(interaction);
    const said = await this.#run(interaction, command, options);
    const reply = command === 'help' ? await this.#withWaysToAsk(interaction, said) : said;
    const messages = await replyMessages(reply);
    for (const { components, files } of reply.isPrivate ? [] : messages) {
      const attached = files.map(({ name, attachment }) => ({ name, data: attachment }));
      await this.#options.post(interaction.channelId ?? '', { components, files: attached });
    }
    const shown = reply.isPrivate ? messages : await replyMessages(textReply(postedBelow));
    const { IsComponentsV2, Ephemeral } = MessageFlags;
    for (const [index, { components, files }] of shown.entries()) {
      const message = { components: [...components], files: [...files] };
      if (index === 0) await showReply(interaction, { ...message, flags: IsComponentsV2 });
      else await interaction.followUp({ ...message, flags: [IsComponentsV2, Ephemeral] });
    }
  }

  async #suggest(interaction: AutocompleteInteraction): Promise<void> {
    const { name, value } = interaction.options.getFocused(true);
    const place = placeOfCommand(interaction);
    const { ingress } = this.#options;
    const kind = idOptions.get(name);
    if (kind) {
      const found = await ingress.suggest(kind, value, place, personIn(interaction));
      return interaction.respond(found.flatMap(choiceFor).slice(0, maxChoices));
    }
    const { bench } = await ingress.settings(place);
    const isList = name === sageOptions.several;
    // Only sages made in chat can be dismissed.
    const isAny = interaction.options.getSubcommand() !== 'dismiss';
    const offered = isAny ? bench : bench.filter(({ source }) => source === 'custom');
    await interaction.respond([...suggestions(value, offered, isList)]);
  }

  async #notice(interaction: ChatInputCommandInteraction): Promise<void> {
    const { guildId, appPermissions } = interaction;
    if (!personIn(interaction).isManager || !interaction.replied || guildId === null) return;
    const { channel, obstacle } = sceneOf(interaction, appPermissions);
    const isLacking = obstacle === undefined && !appPermissions.has('ManageWebhooks');
    if (!isLacking || this.#told.has(channel)) return;
    this.#told.set(channel, true);
    // The command itself has succeeded.
    await interaction
      .followUp({ content: noPersonas, flags: MessageFlags.Ephemeral })
      .catch((error) => {
        this.#options.log.warn({ error: withoutRequest(error) }, 'a notice could not be shown');
      });
  }
}

/** Whether a person may not give a command; tells them. */
async function isRefused(interaction: RepliableInteraction, command: string): Promise<boolean> {
  const why = whyNotGive(command, interaction);
  if (why !== undefined) await replyPrivately(interaction, why);
  return why !== undefined;
}

import {
  type APIInteraction,
  type APIMessageStringSelectInteractionData,
  type APIMessageUserSelectInteractionData,
  type APIUser,
  ApplicationCommandType,
  ComponentType,
  GatewayDispatchEvents,
  InteractionType,
} from 'discord-api-types/v10';
import { allComponents } from '../messages/components.ts';
import type { Channel, Interaction, StoredMessage } from '../world/records.ts';
import { channelOf } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { dataOptions, type OptionValues, offeredCommand } from './command-options.ts';
import { type ModalValues, modalSubmission } from './modal-values.ts';
import { type InteractionScene, openInteraction } from './opened-interaction.ts';

/** A slash command as someone gives it. */
export interface SlashCommand extends InteractionScene {
  readonly command: string;
  readonly subcommand?: string;
  readonly options?: OptionValues;
}

/** What people do with commands and components. Each returns the interaction, on which the answer appears. */
export function interacting(world: World) {
  const tell = (payload: APIInteraction, interaction: Interaction): Interaction => {
    world.dispatch({
      t: GatewayDispatchEvents.InteractionCreate,
      d: payload,
      guildId: interaction.guildId,
    });
    return interaction;
  };

  return {
    slash(slash: SlashCommand): Interaction {
      const { command: name, subcommand, options = {} } = slash;
      const command = offeredCommand(world, slash, name, ApplicationCommandType.ChatInput);
      const data = {
        id: command.id,
        name,
        type: ApplicationCommandType.ChatInput,
        options: dataOptions(command, subcommand, options),
      } as const;
      const type = InteractionType.ApplicationCommand;
      const { interaction, base } = openInteraction(world, slash, { type });
      return tell({ ...base, type, data }, interaction);
    },

    /** Someone is typing into the option `focused`, which shows suggestions. */
    autocomplete(slash: SlashCommand & { readonly focused: string }): Interaction {
      const { command: name, subcommand, focused, options = {} } = slash;
      const command = offeredCommand(world, slash, name, ApplicationCommandType.ChatInput);
      const typed = { [focused]: '', ...options };
      const data = {
        id: command.id,
        name,
        type: ApplicationCommandType.ChatInput,
        options: dataOptions(command, subcommand, typed, focused),
      } as const;
      const type = InteractionType.ApplicationCommandAutocomplete;
      const { interaction, base } = openInteraction(world, slash, { type });
      return tell({ ...base, type, data }, interaction);
    },

    /** The context menu of a message. The bot is shown the message whole, whatever its intents. */
    messageCommand(user: APIUser, name: string, target: StoredMessage): Interaction {
      const scene = { user, channel: channelOfMessage(world, target) };
      const command = offeredCommand(world, scene, name, ApplicationCommandType.Message);
      const { wire } = target;
      const data = {
        id: command.id,
        name,
        type: ApplicationCommandType.Message,
        target_id: wire.id,
        resolved: { messages: { [wire.id]: wire } },
      } as const;
      const type = InteractionType.ApplicationCommand;
      const source = { type, sourceMessageId: wire.id };
      const { interaction, base } = openInteraction(world, scene, source);
      return tell({ ...base, type, data }, interaction);
    },

    pressButton(user: APIUser, message: StoredMessage, customId: string): Interaction {
      demandComponent(message, user, customId, ComponentType.Button);
      const scene = { user, channel: channelOfMessage(world, message) };
      const type = InteractionType.MessageComponent;
      const data = { component_type: ComponentType.Button, custom_id: customId } as const;
      const source = { type, sourceMessageId: message.wire.id };
      const { interaction, base } = openInteraction(world, scene, source);
      return tell({ ...base, type, data, message: message.wire }, interaction);
    },

    /** Chooses from a string select menu. */
    select(
      user: APIUser,
      message: StoredMessage,
      customId: string,
      values: readonly string[],
    ): Interaction {
      demandComponent(message, user, customId, ComponentType.StringSelect);
      demandOptions(message, customId, values);
      const scene = { user, channel: channelOfMessage(world, message) };
      const type = InteractionType.MessageComponent;
      const chosen = [...values];
      const data = {
        component_type: ComponentType.StringSelect,
        custom_id: customId,
        values: chosen,
      } satisfies APIMessageStringSelectInteractionData;
      const source = { type, sourceMessageId: message.wire.id };
      const { interaction, base } = openInteraction(world, scene, source);
      return tell({ ...base, type, data, message: message.wire }, interaction);
    },

    /** Chooses people from a user select menu. */
    selectUsers(
      user: APIUser,
      message: StoredMessage,
      customId: string,
      people: readonly APIUser[],
    ): Interaction {
      demandComponent(message, user, customId, ComponentType.UserSelect);
      const scene = { user, channel: channelOfMessage(world, message) };
      const type = InteractionType.MessageComponent;
      const data = {
        component_type: ComponentType.UserSelect,
        custom_id: customId,
        values: people.map(({ id }) => id),
        resolved: { users: Object.fromEntries(people.map((one) => [one.id, one])) },
      } satisfies APIMessageUserSelectInteractionData;
      const source = { type, sourceMessageId: message.wire.id };
      const { interaction, base } = openInteraction(world, scene, source);
      return tell({ ...base, type, data, message: message.wire }, interaction);
    },

    /** Fills in and sends the modal that answered an interaction. */
    submitModal(opened: Interaction, values: ModalValues): Interaction {
      if (opened.acknowledgement?.kind !== 'modal') {
        throw new Error('This interaction was not answered with a modal.');
      }
      const { modal } = opened.acknowledgement;
      const components = modalSubmission(modal, values);
      const scene = {
        user: opened.user,
        channel: channelOf(world.state, opened.channelId),
        isUserInstalled: opened.isUserInstalled,
      };
      const isOnMessage = opened.type === InteractionType.MessageComponent;
      const sourceMessageId = isOnMessage ? opened.sourceMessageId : undefined;
      const type = InteractionType.ModalSubmit;
      const { interaction, base } = openInteraction(world, scene, { type, sourceMessageId });
      const message = world.state.messages.get(opened.channelId)?.get(sourceMessageId ?? '')?.wire;
      const payload = {
        ...base,
        type,
        data: { custom_id: modal.custom_id, components },
        ...(message === undefined ? {} : { message }),
      } as const;
      return tell(payload, interaction);
    },
  };
}

function channelOfMessage(world: World, message: StoredMessage): Channel {
  return channelOf(world.state, message.wire.channel_id);
}

/** @throws Error when there is nothing of the kind on the message that this user could use. */
function demandComponent(
  { wire, onlyFor }: StoredMessage,
  user: APIUser,
  customId: string,
  type: ComponentType,
): void {
  if (onlyFor !== undefined && onlyFor !== user.id) {
    throw new Error(`${user.username} cannot see this message.`);
  }
  const components = allComponents(wire.components ?? []);
  const found = components.find((component) => component.custom_id === customId);
  if (found?.type !== type) {
    const there = components.flatMap(({ custom_id }) => custom_id ?? []).join(', ') || 'none';
    throw new Error(`The message has no such component "${customId}"; it has: ${there}.`);
  }
  if (found.disabled === true) throw new Error(`"${customId}" is disabled.`);
}

function demandOptions({ wire }: StoredMessage, customId: string, values: readonly string[]): void {
  const menu = allComponents(wire.components ?? []).find(
    (component) => component.custom_id === customId,
  );
  const options = menu?.options?.map(({ value }) => value) ?? [];
  const unknown = values.find((value) => !options.includes(value));
  if (unknown !== undefined) throw new Error(`"${unknown}" is no option of "${customId}".`);
  const { min_values: fewest = 1, max_values: most = 1 } = menu ?? {};
  if (values.length < fewest || values.length > most) {
    throw new Error(`"${customId}" takes ${fewest} to ${most} values, not ${values.length}.`);
  }
}

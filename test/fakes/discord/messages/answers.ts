import {
  type APIMessageInteractionMetadata,
  ApplicationIntegrationType,
  InteractionType,
  MessageFlags,
  MessageType,
} from 'discord-api-types/v10';
import type { Interaction, StoredMessage } from '../world/records.ts';
import { channelOf } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { displayedText } from './components.ts';
import type { MessageBody, UploadedFile } from './message-body.ts';
import { messageParts } from './message-parts.ts';
import { pingsOf } from './pings.ts';
import { postMessage } from './post-message.ts';

/** Posts a message of the bot that answers an interaction. Ephemeral ones are for its user alone. */
export function postAnswer(
  world: World,
  interaction: Interaction,
  message: {
    readonly body: MessageBody;
    readonly flags: number;
    readonly files: readonly UploadedFile[];
  },
): StoredMessage {
  const { body, flags, files } = message;
  const channel = channelOf(world.state, interaction.channelId);
  const parts = messageParts(world, channel.id, body, files);
  const isEphemeral = (flags & MessageFlags.Ephemeral) !== 0;
  return postMessage(world, {
    channel,
    author: world.bot,
    parts,
    flags,
    type: answerType(interaction),
    webhookId: world.applicationId,
    applicationId: world.applicationId,
    metadata: metadataOf(interaction),
    pings: pingsOf(world.state, {
      text: `${parts.content}\n${displayedText(parts.components)}`,
      channelId: channel.id,
      authorId: world.bot.id,
      repliesTo: undefined,
      allowed: body.allowed_mentions ?? undefined,
    }),
    ...(isEphemeral ? { onlyFor: interaction.user.id } : {}),
  });
}

function answerType(interaction: Interaction): MessageType {
  if (interaction.type !== InteractionType.ApplicationCommand) return MessageType.Default;
  return interaction.sourceMessageId === undefined
    ? MessageType.ChatInputCommand
    : MessageType.ContextMenuCommand;
}

/** What a message tells of the interaction that it answers. */
export function metadataOf(interaction: Interaction): APIMessageInteractionMetadata {
  const common = {
    id: interaction.id,
    user: interaction.user,
    authorizing_integration_owners: interaction.isUserInstalled
      ? { [ApplicationIntegrationType.UserInstall]: interaction.user.id }
      : { [ApplicationIntegrationType.GuildInstall]: interaction.guildId ?? '0' },
  };
  const onCommand = { ...common, type: InteractionType.ApplicationCommand } as const;
  const onMessage = {
    ...common,
    type: InteractionType.MessageComponent,
    interacted_message_id: interaction.sourceMessageId ?? '0',
  } as const;
  switch (interaction.type) {
    case InteractionType.MessageComponent:
      return onMessage;
    case InteractionType.ModalSubmit:
      return {
        ...common,
        type: interaction.type,
        triggering_interaction_metadata:
          interaction.sourceMessageId === undefined ? onCommand : onMessage,
      };
    default:
      return onCommand;
  }
}

import {
  ApplicationCommandAutocompleteCallbackRequestSchema,
  CreateMessageInteractionCallbackRequestSchema,
  InteractionCallbackResponseSchema,
  ModalInteractionCallbackRequestSchema,
  PongInteractionCallbackRequestSchema,
  UpdateMessageInteractionCallbackRequestSchema,
} from 'discord-api-spec/zod';
import { InteractionResponseType, InteractionType, MessageFlags } from 'discord-api-types/v10';
import * as z from 'zod/mini';
import { postAnswer } from '../messages/answers.ts';
import { contentProblems, isEmpty } from '../messages/content-limits.ts';
import type { MessageBody } from '../messages/message-body.ts';
import { revise } from '../messages/revise.ts';
import { type FieldProblem, refusal } from '../rest/discord-error.ts';
import { type Answer, type Call, noContent, ok, tokenRoute } from '../rest/route.ts';
import type { CallbackBody } from '../spec/request-bodies.ts';
import type { Interaction, StoredMessage } from '../world/records.ts';
import { messageOf } from '../world/state.ts';
import type { World } from '../world/world.ts';

const callbackBody = z.union([
  PongInteractionCallbackRequestSchema,
  CreateMessageInteractionCallbackRequestSchema,
  UpdateMessageInteractionCallbackRequestSchema,
  ApplicationCommandAutocompleteCallbackRequestSchema,
  ModalInteractionCallbackRequestSchema,
]);

const firstAnswerWithinMs = 3000;
/** The public schema allows 40. */
const modalComponents = 5;

/** The first answer to an interaction. */
export const callbackRoutes = [
  tokenRoute('POST', '/interactions/{interaction_id}/{interaction_token}/callback', acknowledge),
];

function acknowledge(world: World, call: Call): Answer {
  const interaction = openInteraction(world, call);
  const body = call.body(callbackBody);
  call.refuseIf(unfitting(body, interaction));
  const message = answer(world, call, interaction, body);
  return call.query.get('with_response') === 'true'
    ? ok(InteractionCallbackResponseSchema, callbackAnswer(interaction, body, message))
    : noContent;
}

/** @throws DiscordError 10062 when it is unknown or 3 s are over, 40060 when it has its answer. */
function openInteraction(world: World, call: Call): Interaction {
  const interaction = world.state.interactions.get(call.param('interaction_id'));
  if (interaction === undefined || interaction.token !== call.param('interaction_token')) {
    throw refusal('unknownInteraction');
  }
  if (interaction.acknowledgement !== undefined) throw refusal('alreadyAcknowledged');
  if (world.clock.now() - interaction.createdAtMs > firstAnswerWithinMs) {
    throw refusal('unknownInteraction');
  }
  return interaction;
}

/** Answers that do not fit what they answer, and modals that are too long. */
function unfitting(body: CallbackBody, interaction: Interaction): FieldProblem[] {
  const isAutocomplete = interaction.type === InteractionType.ApplicationCommandAutocomplete;
  const isChoices = body.type === InteractionResponseType.ApplicationCommandAutocompleteResult;
  const isUpdate =
    body.type === InteractionResponseType.UpdateMessage ||
    body.type === InteractionResponseType.DeferredMessageUpdate;
  const isModal = body.type === InteractionResponseType.Modal;
  const isOnMessage =
    interaction.type !== InteractionType.ApplicationCommand &&
    interaction.sourceMessageId !== undefined;
  const fits =
    isAutocomplete === isChoices &&
    (!isUpdate || isOnMessage) &&
    !(isModal && interaction.type === InteractionType.ModalSubmit);
  const problems: FieldProblem[] = fits
    ? []
    : [
        {
          path: ['type'],
          code: 'INTERACTION_TYPE_INVALID',
          message: `A callback of type ${body.type} cannot answer an interaction of type ${interaction.type}`,
        },
      ];
  if (isModal && body.data.components.length > modalComponents) {
    problems.push({
      path: ['data', 'components'],
      code: 'BASE_TYPE_BAD_LENGTH',
      message: `Must be between 1 and ${modalComponents} in length.`,
    });
  }
  return problems;
}

/** Does what the callback asks; returns the message that it made or changed. */
function answer(
  world: World,
  call: Call,
  interaction: Interaction,
  body: CallbackBody,
): StoredMessage | undefined {
  switch (body.type) {
    case InteractionResponseType.Pong:
      return undefined;
    case InteractionResponseType.ChannelMessageWithSource:
      return answerWithMessage(world, call, interaction, body.data ?? {}, false);
    case InteractionResponseType.DeferredChannelMessageWithSource:
      return answerWithMessage(world, call, interaction, body.data ?? {}, true);
    case InteractionResponseType.DeferredMessageUpdate:
      interaction.acknowledgement = { kind: 'update', isDeferred: true };
      interaction.originalMessageId = interaction.sourceMessageId;
      return undefined;
    case InteractionResponseType.UpdateMessage: {
      const sourceId = interaction.sourceMessageId ?? '';
      const source = messageOf(world.state, interaction.channelId, sourceId);
      const updated = revise(world, call, source, body.data ?? {});
      interaction.acknowledgement = { kind: 'update', isDeferred: false };
      interaction.originalMessageId = sourceId;
      return updated;
    }
    case InteractionResponseType.ApplicationCommandAutocompleteResult:
      interaction.acknowledgement = { kind: 'choices', choices: body.data?.choices ?? [] };
      return undefined;
    case InteractionResponseType.Modal:
      interaction.acknowledgement = { kind: 'modal', modal: body.data };
      return undefined;
  }
}

function answerWithMessage(
  world: World,
  call: Call,
  interaction: Interaction,
  body: MessageBody,
  isDeferred: boolean,
): StoredMessage {
  const settable = MessageFlags.Ephemeral | MessageFlags.SuppressEmbeds;
  const wanted = body.flags ?? 0;
  const flags = isDeferred
    ? (wanted & MessageFlags.Ephemeral) | MessageFlags.Loading
    : wanted & (settable | MessageFlags.IsComponentsV2);
  if (!isDeferred) {
    call.refuseIf(contentProblems(body, flags));
    if (isEmpty(body, call.files.length)) throw refusal('emptyMessage');
  }
  const shown = isDeferred ? {} : body;
  const posted = postAnswer(world, interaction, { body: shown, flags, files: call.files });
  const isEphemeral = (flags & MessageFlags.Ephemeral) !== 0;
  interaction.acknowledgement = { kind: 'message', isEphemeral, isDeferred };
  interaction.originalMessageId = posted.wire.id;
  return posted;
}

/** Only a message that is there for good, or was changed, is told whole; a loading one by its id alone. */
function callbackAnswer(
  interaction: Interaction,
  body: CallbackBody,
  message: StoredMessage | undefined,
): object {
  const flags = message?.wire.flags ?? 0;
  const isLoading = (flags & MessageFlags.Loading) !== 0;
  return {
    interaction: {
      id: interaction.id,
      type: interaction.type,
      channel_id: interaction.channelId,
      ...(interaction.guildId === undefined ? {} : { guild_id: interaction.guildId }),
      ...(message === undefined
        ? {}
        : {
            response_message_id: message.wire.id,
            response_message_loading: isLoading,
            response_message_ephemeral: (flags & MessageFlags.Ephemeral) !== 0,
          }),
    },
    ...(message === undefined || isLoading
      ? {}
      : { resource: { type: body.type, message: message.wire } }),
  };
}

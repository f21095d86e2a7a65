import { IncomingWebhookRequestPartialSchema, MessageResponseSchema } from 'discord-api-spec/zod';
import { InteractionType, MessageFlags } from 'discord-api-types/v10';
import { postAnswer } from '../messages/answers.ts';
import { contentProblems, isEmpty } from '../messages/content-limits.ts';
import { revise } from '../messages/revise.ts';
import { refusal } from '../rest/discord-error.ts';
import { type Answer, type Call, ok } from '../rest/route.ts';
import type { Interaction, StoredMessage } from '../world/records.ts';
import { messageOf } from '../world/state.ts';
import type { World } from '../world/world.ts';

const tokenLifeMs = 15 * 60_000;
/** What a user's own app may send after its first answer where it is not a member. */
const followUpsOfUserInstalled = 5;

/** A further message after the first answer; after a deferral, the first one is that answer. */
export function followUp(world: World, call: Call): Answer {
  const interaction = answeredInteraction(world, call);
  const body = call.body(IncomingWebhookRequestPartialSchema);
  const flags = (body.flags ?? 0) & (MessageFlags.IsComponentsV2 | MessageFlags.Ephemeral);
  const waiting = loadingMessage(world, interaction);
  if (waiting !== undefined) {
    const { flags: _, ...shown } = body;
    const v2 = flags & MessageFlags.IsComponentsV2;
    const filled = revise(world, call, waiting, v2 === 0 ? shown : { ...shown, flags: v2 });
    return ok(MessageResponseSchema, filled.wire);
  }
  call.refuseIf(contentProblems(body, flags));
  if (isEmpty(body, call.files.length)) throw refusal('emptyMessage');
  if (interaction.isUserInstalled && interaction.followUpIds.length >= followUpsOfUserInstalled) {
    throw refusal('tooManyFollowUps');
  }
  const posted = postAnswer(world, interaction, { body, flags, files: call.files });
  interaction.followUpIds.push(posted.wire.id);
  return ok(MessageResponseSchema, posted.wire);
}

/** A message of an interaction, by id or as `@original`. */
export function answeredMessage(world: World, call: Call): StoredMessage {
  const interaction = answeredInteraction(world, call);
  const named = call.param('message_id');
  const id = named === '@original' ? interaction.originalMessageId : named;
  const own = [interaction.originalMessageId, ...interaction.followUpIds];
  if (id === undefined || !own.includes(id)) throw refusal('unknownMessage');
  return messageOf(world.state, interaction.channelId, id);
}

/** @throws DiscordError 50027 for a token that never was or has expired, 10015 before the first answer. */
function answeredInteraction(world: World, call: Call): Interaction {
  const token = call.param('webhook_token');
  const interaction = [...world.state.interactions.values()].find(
    (candidate) => candidate.token === token,
  );
  if (interaction === undefined) throw refusal('invalidWebhookToken');
  if (world.clock.now() - interaction.createdAtMs >= tokenLifeMs) {
    throw refusal('invalidWebhookToken');
  }
  const { acknowledgement } = interaction;
  if (
    acknowledgement === undefined ||
    interaction.type === InteractionType.ApplicationCommandAutocomplete
  ) {
    throw refusal('unknownWebhook');
  }
  return interaction;
}

function loadingMessage(world: World, interaction: Interaction): StoredMessage | undefined {
  const { originalMessageId, channelId } = interaction;
  if (originalMessageId === undefined) return undefined;
  const original = world.state.messages.get(channelId)?.get(originalMessageId);
  const isLoading = ((original?.wire.flags ?? 0) & MessageFlags.Loading) !== 0;
  return isLoading ? original : undefined;
}

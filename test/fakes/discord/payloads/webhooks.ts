import { type APIWebhook, WebhookType } from 'discord-api-types/v10';
import type { Webhook } from '../world/records.ts';
import type { World } from '../world/world.ts';

/**
 * A webhook as an answer shows it. Its token is told only to the application that made it, and only when
 * it was asked for by the bot; a request that already carries the token is not told the creator.
 */
export function webhookPayload(
  world: World,
  webhook: Webhook,
  reader: 'bot' | 'token holder',
): APIWebhook {
  const isOwn = webhook.applicationId === world.applicationId;
  return {
    id: webhook.id,
    type: WebhookType.Incoming,
    guild_id: webhook.guildId,
    channel_id: webhook.channelId,
    application_id: webhook.applicationId,
    name: webhook.name,
    avatar: webhook.avatar,
    ...(reader === 'bot' ? { user: webhook.creator } : {}),
    ...(isOwn || reader === 'token holder' ? { token: webhook.token } : {}),
    ...(isOwn || reader === 'token holder'
      ? { url: `${world.origin()}/api/webhooks/${webhook.id}/${webhook.token}` }
      : {}),
  } satisfies APIWebhook;
}

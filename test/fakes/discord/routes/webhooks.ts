import { GuildIncomingWebhookResponseSchema } from 'discord-api-spec/zod';
import * as z from 'zod/mini';
import { avatarHash } from '../payloads/users.ts';
import { webhookPayload } from '../payloads/webhooks.ts';
import { type FieldProblem, refusal } from '../rest/discord-error.ts';
import { botRoute, type Call, noContent, ok, tokenRoute } from '../rest/route.ts';
import { demand } from '../world/permissions.ts';
import type { GuildChannel, Webhook } from '../world/records.ts';
import { announceWebhooks, deleteWebhook } from '../world/removals.ts';
import { channelOf, guildOf } from '../world/state.ts';
import type { World } from '../world/world.ts';

const name = z.string().check(z.minLength(1), z.maxLength(80));
const avatar = z.nullish(z.string());
const newWebhook = z.object({ name, avatar });
const webhookChange = z.object({
  name: z.optional(name),
  avatar,
  channel_id: z.nullish(z.string()),
});

const webhooksPerChannel = 15;
const webhooksPerGuild = 1000;

/** Webhooks themselves; their messages are in `webhook-messages.ts`. */
export const webhookRoutes = [
  botRoute('POST', '/channels/{channel_id}/webhooks', (world, call) => {
    const channel = webhookChannel(world, call);
    const body = call.body(newWebhook);
    call.refuseIf(personaProblems(['name'], body.name));
    if (webhooksIn(world, channel).length >= webhooksPerChannel) throw refusal('tooManyWebhooks');
    const inGuild = [...world.state.webhooks.values()].filter(
      ({ guildId }) => guildId === channel.guildId,
    );
    if (inGuild.length >= webhooksPerGuild) throw refusal('tooManyServerWebhooks');
    const webhook: Webhook = {
      id: world.nextId(),
      token: `webhook-token-${world.nextId()}`,
      guildId: channel.guildId,
      creator: world.bot,
      applicationId: world.applicationId,
      channelId: channel.id,
      name: body.name,
      avatar: typeof body.avatar === 'string' ? avatarHash(body.avatar) : null,
    };
    world.state.webhooks.set(webhook.id, webhook);
    announceWebhooks(world, webhook);
    return ok(GuildIncomingWebhookResponseSchema, webhookPayload(world, webhook, 'bot'));
  }),

  botRoute('GET', '/channels/{channel_id}/webhooks', (world, call) =>
    ok(
      z.array(GuildIncomingWebhookResponseSchema),
      webhooksIn(world, webhookChannel(world, call)).map((webhook) =>
        webhookPayload(world, webhook, 'bot'),
      ),
    ),
  ),

  botRoute('GET', '/webhooks/{webhook_id}', (world, call) => {
    const webhook = managedWebhook(world, call);
    return ok(GuildIncomingWebhookResponseSchema, webhookPayload(world, webhook, 'bot'));
  }),

  botRoute('PATCH', '/webhooks/{webhook_id}', (world, call) => {
    const webhook = managedWebhook(world, call);
    change(world, call, webhook);
    return ok(GuildIncomingWebhookResponseSchema, webhookPayload(world, webhook, 'bot'));
  }),

  botRoute('DELETE', '/webhooks/{webhook_id}', (world, call) => {
    deleteWebhook(world, managedWebhook(world, call));
    return noContent;
  }),

  tokenRoute('GET', '/webhooks/{webhook_id}/{webhook_token}', (world, call) => {
    const webhook = webhookByToken(world, call);
    return ok(GuildIncomingWebhookResponseSchema, webhookPayload(world, webhook, 'token holder'));
  }),

  tokenRoute('PATCH', '/webhooks/{webhook_id}/{webhook_token}', (world, call) => {
    const webhook = webhookByToken(world, call);
    change(world, call, webhook);
    return ok(GuildIncomingWebhookResponseSchema, webhookPayload(world, webhook, 'token holder'));
  }),

  tokenRoute('DELETE', '/webhooks/{webhook_id}/{webhook_token}', (world, call) => {
    deleteWebhook(world, webhookByToken(world, call));
    return noContent;
  }),
];

/** @throws DiscordError 10015 for a webhook that is gone, 50027 for a wrong token. */
export function webhookByToken(world: World, call: Call): Webhook {
  const webhook = world.state.webhooks.get(call.param('webhook_id'));
  if (webhook === undefined) throw refusal('unknownWebhook');
  if (webhook.token !== call.param('webhook_token')) throw refusal('invalidWebhookToken');
  return webhook;
}

/** What is wrong with the name that a webhook or one of its messages would wear. */
export function personaProblems(
  path: readonly string[],
  persona: string | null | undefined,
): FieldProblem[] {
  if (persona === null || persona === undefined) return [];
  const isLong = [...persona].length < 1 || [...persona].length > 80;
  const forbidden = /clyde|discord/i.exec(persona)?.[0];
  const isGroup = /^(?:everyone|here)$/i.test(persona.trim());
  return [
    ...(isLong
      ? [{ path, code: 'BASE_TYPE_BAD_LENGTH', message: 'Must be between 1 and 80 in length.' }]
      : []),
    ...(isGroup
      ? [{ path, code: 'USERNAME_INVALID', message: `Username cannot be "${persona}"` }]
      : []),
    ...(forbidden === undefined
      ? []
      : [
          {
            path,
            code: 'USERNAME_INVALID_CONTAINS',
            message: `Username cannot contain "${forbidden}"`,
          },
        ]),
  ];
}

function change(world: World, call: Call, webhook: Webhook): void {
  const body = call.body(webhookChange);
  call.refuseIf(personaProblems(['name'], body.name));
  webhook.name = body.name ?? webhook.name;
  if (body.avatar !== undefined) {
    webhook.avatar = body.avatar === null ? null : avatarHash(body.avatar);
  }
  webhook.channelId = body.channel_id ?? webhook.channelId;
  announceWebhooks(world, webhook);
}

function managedWebhook(world: World, call: Call): Webhook {
  const webhook = world.state.webhooks.get(call.param('webhook_id'));
  if (webhook === undefined) throw refusal('unknownWebhook');
  const channel = channelOf(world.state, webhook.channelId);
  demand(world.state, channel, world.bot.id, 'ManageWebhooks');
  return webhook;
}

function webhookChannel(world: World, call: Call): GuildChannel {
  const channel = channelOf(world.state, call.param('channel_id'));
  demand(world.state, channel, world.bot.id, 'ManageWebhooks');
  if (channel.kind !== 'channel') throw refusal('wrongChannelType');
  if (guildOf(world.state, channel.guildId).needsTwoFactor) throw refusal('twoFactorRequired');
  return channel;
}

function webhooksIn(world: World, channel: GuildChannel): Webhook[] {
  return [...world.state.webhooks.values()].filter(({ channelId }) => channelId === channel.id);
}

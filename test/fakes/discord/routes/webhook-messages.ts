import {
  IncomingWebhookRequestPartialSchema,
  IncomingWebhookUpdateRequestPartialSchema,
  MessageResponseSchema,
} from 'discord-api-spec/zod';
import { MessageFlags } from 'discord-api-types/v10';
import { displayedText } from '../messages/components.ts';
import { contentProblems, isEmpty } from '../messages/content-limits.ts';
import type { WebhookMessageBody } from '../messages/message-body.ts';
import { messageParts } from '../messages/message-parts.ts';
import { pingsOf } from '../messages/pings.ts';
import { deleteMessage, postMessage } from '../messages/post-message.ts';
import { revise } from '../messages/revise.ts';
import { demandUnlocked } from '../messages/speaking.ts';
import { personaPayload } from '../payloads/users.ts';
import { type FieldProblem, refusal } from '../rest/discord-error.ts';
import { type Answer, type Call, noContent, ok, tokenRoute } from '../rest/route.ts';
import { isForum, parentOf } from '../world/permissions.ts';
import type { Channel, StoredMessage, Webhook } from '../world/records.ts';
import { channelOf, messageOf } from '../world/state.ts';
import { createThread } from '../world/threads.ts';
import type { World } from '../world/world.ts';
import { nameProblems } from './channels.ts';
import { answeredMessage, followUp } from './follow-ups.ts';
import { personaProblems, webhookByToken } from './webhooks.ts';

const messagePath = '/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}';

/**
 * Messages through webhooks, and those of an interaction: there the application's id and the interaction's
 * token stand in the place of the webhook's.
 */
export const webhookMessageRoutes = [
  tokenRoute('POST', '/webhooks/{webhook_id}/{webhook_token}', (world, call) =>
    call.param('webhook_id') === world.applicationId
      ? followUp(world, call)
      : execute(world, call, webhookByToken(world, call)),
  ),

  tokenRoute('GET', messagePath, (world, call) =>
    ok(MessageResponseSchema, ownMessage(world, call).wire),
  ),

  tokenRoute('PATCH', messagePath, (world, call) => {
    const message = ownMessage(world, call);
    const body = call.body(IncomingWebhookUpdateRequestPartialSchema, ['username']);
    return ok(MessageResponseSchema, revise(world, call, message, body).wire);
  }),

  tokenRoute('DELETE', messagePath, (world, call) => {
    deleteMessage(world, ownMessage(world, call));
    return noContent;
  }),
];

function execute(world: World, call: Call, webhook: Webhook): Answer {
  const body = call.body(IncomingWebhookRequestPartialSchema);
  const flags =
    (body.flags ?? 0) &
    (MessageFlags.SuppressEmbeds |
      MessageFlags.SuppressNotifications |
      MessageFlags.IsComponentsV2);
  call.refuseIf([
    ...contentProblems(body, flags),
    ...personaProblems(['username'], body.username),
    ...avatarProblems(body.avatar_url),
    ...nameProblems(body.thread_name),
  ]);
  if (isEmpty(body, call.files.length)) throw refusal('emptyMessage');
  const channel = target(world, call, webhook, body);
  demandUnlocked(channel);
  const parts = messageParts(world, channel.id, body, call.files);
  const posted = postMessage(world, {
    channel,
    author: personaPayload(webhook, body.username ?? undefined, body.avatar_url ?? undefined),
    parts,
    flags,
    webhookId: webhook.id,
    pings: pingsOf(world.state, {
      text: `${parts.content}\n${displayedText(parts.components)}`,
      channelId: channel.id,
      authorId: 'webhook',
      repliesTo: undefined,
      allowed: body.allowed_mentions ?? undefined,
    }),
    ...(webhook.applicationId === null ? {} : { applicationId: webhook.applicationId }),
    ...(typeof body.avatar_url === 'string' ? { avatarUrl: body.avatar_url } : {}),
  });
  return call.query.get('wait') === 'true' ? ok(MessageResponseSchema, posted.wire) : noContent;
}

/** Where a webhook's message goes: its channel, a thread of that channel, or a new forum post. */
function target(world: World, call: Call, webhook: Webhook, body: WebhookMessageBody): Channel {
  const channel = channelOf(world.state, webhook.channelId);
  const threadId = call.query.get('thread_id');
  const threadName = body.thread_name ?? undefined;
  if (isForum(channel)) {
    if (threadId !== null && threadName !== undefined) throw refusal('threadNamedTwice');
    if (threadId === null && threadName === undefined) throw refusal('forumNeedsThread');
  } else if (threadName !== undefined) throw refusal('threadNameOutsideForum');
  if (threadName !== undefined) {
    return createThread(world, {
      parent: parentOf(world.state, channel),
      name: threadName,
      ownerId: webhook.id,
      appliedTags: body.applied_tags ?? [],
    });
  }
  return threadId === null ? channel : threadOf(world, webhook, threadId);
}

function threadOf(world: World, webhook: Webhook, threadId: string): Channel {
  const thread = channelOf(world.state, threadId);
  const isOfChannel = thread.kind === 'thread' && thread.parentId === webhook.channelId;
  if (!isOfChannel) throw refusal('unknownChannel');
  return thread;
}

/** A message that this token may see: the webhook's own, in the thread that the query names, or the interaction's. */
function ownMessage(world: World, call: Call): StoredMessage {
  if (call.param('webhook_id') === world.applicationId) return answeredMessage(world, call);
  const webhook = webhookByToken(world, call);
  const threadId = call.query.get('thread_id');
  const channelId = threadId === null ? webhook.channelId : threadOf(world, webhook, threadId).id;
  const message = messageOf(world.state, channelId, call.param('message_id'));
  if (message.wire.webhook_id !== webhook.id) throw refusal('unknownMessage');
  return message;
}

function avatarProblems(url: string | null | undefined): FieldProblem[] {
  if (url === null || url === undefined || /^https?:\/\/[^\s/]+/.test(url)) return [];
  const message = 'Scheme must be one of http, https.';
  return [{ path: ['avatar_url'], code: 'URL_TYPE_INVALID_SCHEME', message }];
}

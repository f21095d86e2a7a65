/** The one webhook per channel through which sages speak under their own names. */

import { MessageFlags, type RouteLike, Routes } from 'discord.js';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { untilAnswered } from '../../chat/pacing/back-off.ts';
import { isRefusal } from '../discord-error.ts';
import type { DiscordRest } from './discord-rest.ts';
import { type MessageFile, noPings } from './messages.ts';

const usableSchema = z.object({ id: z.string(), token: z.string() });
export type ChannelWebhook = Readonly<z.infer<typeof usableSchema>>;
const webhookSchema = z.looseObject({ application_id: z.string().nullish() });

/** One message by a sage. */
export interface PersonaMessage {
  /** 1 to 80 characters, without "clyde" and "discord". */
  readonly name: string;
  /** Public https URL of a picture. */
  readonly avatarUrl: string | undefined;
  /** At most 2,000 characters. */
  readonly content: string;
  readonly file: MessageFile | undefined;
}

const webhookName = 'Council';

/** Webhooks of further channels are read from Discord again. */
const maxCached = 5000;
/** People may move a webhook to another channel, in which the sages would then speak. */
const cachedMs = 60_000;

/** Finds, creates and caches webhooks. */
export class ChannelWebhooks {
  readonly #applicationId: string;
  readonly #known: LRUCache<string, Promise<ChannelWebhook>>;

  /** @param now - Milliseconds from any fixed moment after 0. */
  constructor(applicationId: string, now: () => number) {
    this.#applicationId = applicationId;
    this.#known = new LRUCache({ max: maxCached, ttl: cachedMs, perf: { now }, ttlResolution: 0 });
  }

  /**
   * @param rest - Bound to a signal that ends the look; turns that wait for it look again themselves.
   * @throws {DiscordRefusal} if webhooks are not allowed here, or the channel has too many.
   */
  async of(rest: DiscordRest, channelId: string): Promise<ChannelWebhook> {
    const known = this.#known.get(channelId);
    if (known) return known.catch(() => this.of(rest, channelId));
    const opened = this.#open(rest, channelId);
    this.#known.set(channelId, opened);
    opened.catch(() => this.#known.delete(channelId));
    return opened;
  }

  /** Forgets a webhook that no longer exists, unless another one has replaced it. */
  async forget(channelId: string, gone: ChannelWebhook): Promise<void> {
    const known = this.#known.get(channelId);
    const isSame = (await known)?.id === gone.id;
    if (isSame && this.#known.get(channelId) === known) this.#known.delete(channelId);
  }

  /** Reuses an existing webhook: from before a restart, or created by a request whose answer got lost. */
  async #open(rest: DiscordRest, channelId: string): Promise<ChannelWebhook> {
    const path = Routes.channelWebhooks(channelId);
    const body = { name: webhookName };
    const look = () => this.#find(rest, path);
    const create = async () => usableSchema.parse(await rest.once({ method: 'POST', path, body }));
    const wait = (waitMs: number) => rest.backOff(waitMs);
    return (await look()) ?? untilAnswered(create, rest.retryWaitsMs, { wait, look });
  }

  async #find(rest: DiscordRest, path: RouteLike): Promise<ChannelWebhook | undefined> {
    const found = z.array(webhookSchema).parse(await rest.withRetries({ method: 'GET', path }));
    return found
      .filter((one) => one.application_id === this.#applicationId)
      .map((one) => usableSchema.safeParse(one).data)
      .find((one) => one !== undefined);
  }
}

/**
 * Posts a message under a sage's name; call it through a pacer. Makes one attempt: before retrying, the
 * caller must check whether the message arrived, because webhooks don't support nonces.
 *
 * @param threadId - A thread of the webhook's channel; absent: the channel itself.
 */
export async function sayAs(
  rest: DiscordRest,
  webhook: ChannelWebhook,
  threadId: string | undefined,
  { name, avatarUrl, content, file }: PersonaMessage,
): Promise<void> {
  const query = new URLSearchParams({ wait: 'true' });
  if (threadId !== undefined) query.set('thread_id', threadId);
  await rest.once({
    method: 'POST',
    path: Routes.webhook(webhook.id, webhook.token),
    isAuthorizedByPath: true,
    query,
    files: file && [file],
    body: {
      username: name,
      content,
      allowed_mentions: { parse: noPings.parse },
      flags: MessageFlags.SuppressEmbeds,
      avatar_url: avatarUrl,
    },
  });
}

/** Whether a refusal means that the webhook is gone or has a new token. */
export function isWebhookGone(error: unknown): boolean {
  return isRefusal(error, 'unknownWebhook', 'invalidWebhookToken');
}

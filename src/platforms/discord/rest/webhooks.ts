/** The one webhook per channel through which sages speak under their own names. */

import { type RouteLike, Routes } from 'discord.js';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { untilAnswered } from '../../chat/pacing/back-off.ts';
import { isRefusal } from '../discord-error.ts';
import type { DiscordRest } from './discord-rest.ts';
import { type MessageFile, noPings } from './messages.ts';

export interface ChannelWebhook {
  readonly id: string;
  readonly token: string;
}

/** What one sage says in one message. */
export interface PersonaMessage {
  /** 1 to 80 characters, without "clyde" and "discord". */
  readonly name: string;
  /** Public https address of a picture. */
  readonly avatarUrl?: string;
  /** At most 2,000 characters. */
  readonly content: string;
  readonly file?: MessageFile;
}

const webhookSchema = z.object({
  id: z.string(),
  token: z.string().exactOptional(),
  application_id: z.string().nullable().exactOptional(),
});
const createdSchema = z.object({ id: z.string(), token: z.string() });

const webhookName = 'Council';
const suppressEmbeds = 4;

/** Those of more channels are found by asking Discord again. */
const mostKnown = 5000;

/** Finds and makes webhooks, and remembers them. */
export class ChannelWebhooks {
  readonly #rest: DiscordRest;
  readonly #applicationId: string;
  readonly #known = new LRUCache<string, Promise<ChannelWebhook>>({ max: mostKnown });

  constructor(rest: DiscordRest, applicationId: string) {
    this.#rest = rest;
    this.#applicationId = applicationId;
  }

  /** @throws {DiscordRefusal} where webhooks are not allowed or there are too many. */
  async of(channelId: string): Promise<ChannelWebhook> {
    const known = this.#known.get(channelId);
    if (known) return known;
    const opened = this.#open(channelId);
    this.#known.set(channelId, opened);
    opened.catch(() => this.#known.delete(channelId));
    return opened;
  }

  /** This webhook has turned out to be gone. One that was opened in its place since then is kept. */
  async forget(channelId: string, gone: ChannelWebhook): Promise<void> {
    const known = this.#known.get(channelId);
    const isSame = (await known)?.id === gone.id;
    if (isSame && this.#known.get(channelId) === known) this.#known.delete(channelId);
  }

  /** One that is there is used again: from before a restart, or made by a request whose answer got lost. */
  async #open(channelId: string): Promise<ChannelWebhook> {
    const path = Routes.channelWebhooks(channelId);
    const body = { name: webhookName };
    const look = () => this.#find(path);
    const create = async () =>
      createdSchema.parse(await this.#rest.once({ method: 'POST', path, body }));
    const wait = (waitMs: number) => this.#rest.backOff(waitMs);
    return (await look()) ?? untilAnswered(create, this.#rest.retryWaitsMs, { wait, look });
  }

  async #find(path: RouteLike): Promise<ChannelWebhook | undefined> {
    const there = z
      .array(webhookSchema)
      .parse(await this.#rest.repeatedly({ method: 'GET', path }))
      .find((one) => one.application_id === this.#applicationId && one.token !== undefined);
    return there?.token === undefined ? undefined : { id: there.id, token: there.token };
  }
}

/**
 * Says something under a sage's name; for a pacer. Asks once: the caller has to look whether it arrived before
 * trying again, because webhooks know no nonce.
 *
 * @param threadId - A thread of the webhook's channel; absent: the channel itself.
 * @returns The message's id.
 */
export async function sayAs(
  rest: DiscordRest,
  webhook: ChannelWebhook,
  threadId: string | undefined,
  { name, avatarUrl, content, file }: PersonaMessage,
): Promise<string> {
  const query = new URLSearchParams({ wait: 'true' });
  if (threadId !== undefined) query.set('thread_id', threadId);
  const posted = await rest.once({
    method: 'POST',
    path: Routes.webhook(webhook.id, webhook.token),
    isAuthorizedByPath: true,
    isPaced: true,
    query,
    ...(file ? { files: [file] } : {}),
    body: {
      username: name,
      content,
      allowed_mentions: { parse: noPings.parse },
      flags: suppressEmbeds,
      ...(avatarUrl === undefined ? {} : { avatar_url: avatarUrl }),
    },
  });
  return z.object({ id: z.string() }).parse(posted).id;
}

/** Whether a refusal says that the webhook itself is gone, or has got another token. */
export function isWebhookGone(error: unknown): boolean {
  return isRefusal(error, 'unknownWebhook', 'invalidWebhookToken');
}

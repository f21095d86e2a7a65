/** What a trial in Discord has made, and has to delete in the end. */

import { z } from 'zod';
import type { RestRequest } from '../rest/discord-rest.ts';
import type { Identity } from '../rest/identity.ts';

/** Where a message is, and whether a sage has said it. */
export interface PostedMessage {
  readonly channel: string;
  readonly isSage: boolean;
}

const madeSchema = z.object({ id: z.string(), token: z.string() });
const idSchema = z.object({ id: z.string() });

export class Remains {
  /** Messages by id, as long as they are there. */
  readonly posted = new Map<string, PostedMessage>();
  /** Ids of the emojis that were uploaded. */
  readonly emojis = new Set<string>();
  /** Of the webhook that sages spoke through, for deleting what they said. */
  webhook: z.infer<typeof madeSchema> | undefined;
  hasMadeWebhook = false;

  /**
   * Reads out of a request that was carried out what it has made or deleted.
   *
   * @param thread - Where sages speak.
   */
  keepTrack(
    { method, path, isAuthorizedByPath = false }: RestRequest,
    answer: unknown,
    identity: Identity | undefined,
    thread = '',
  ): void {
    const [, channel = thread] = /^\/channels\/(\d+)\/messages/.exec(path) ?? [];
    if (path.endsWith('/webhooks')) this.#keepWebhook(method, answer, identity);
    if (method === 'DELETE') this.posted.delete(path.split('/').at(-1) ?? '');
    if (method !== 'POST') return;
    if (path.endsWith('/emojis')) this.emojis.add(idSchema.parse(answer).id);
    if (isAuthorizedByPath || path.endsWith('/messages')) {
      this.posted.set(idSchema.parse(answer).id, { channel, isSage: isAuthorizedByPath });
    }
  }

  #keepWebhook(method: string, answer: unknown, identity: Identity | undefined): void {
    const made = madeSchema.safeParse(answer);
    if (method === 'POST' && made.success) {
      this.webhook = made.data;
      this.hasMadeWebhook = true;
    } else if (method === 'GET') {
      const own = z.array(z.looseObject({ application_id: z.string().nullish() })).parse(answer);
      const there = own.find(({ application_id }) => application_id === identity?.applicationId);
      this.webhook = madeSchema.safeParse(there).data ?? this.webhook;
    }
  }
}

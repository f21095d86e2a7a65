import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { contentOf } from '../methods/content.ts';
import * as content from '../schema/content.ts';
import type { ResponseUrl } from '../world/response-urls.ts';
import { findMessage, known } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { change, remove, writeAsApp } from '../world/writing.ts';
import { readBytes } from './arguments.ts';
import { Refusal } from './refusal.ts';

const maxUses = 5;
const livesMs = 30 * 60_000;

const answer = z.strictObject({
  text: content.text.optional(),
  blocks: content.blocks.optional(),
  response_type: z.enum(['ephemeral', 'in_channel']).optional(),
  replace_original: z.boolean().optional(),
  delete_original: z.boolean().optional(),
  thread_ts: z.string().optional(),
  unfurl_links: z.boolean().optional(),
  unfurl_media: z.boolean().optional(),
});

type ResponseAnswer = z.infer<typeof answer>;

/** Serves `response_url`: plain `ok` when it was done, 404 when the url is used up, 400 for what is no answer. */
export async function serveResponseUrl(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
): Promise<void> {
  const end = (status: number, text: string): void => {
    response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
    world.changes.notify();
  };
  const url = world.responseUrls.get(id);
  const body = await readBytes(request);
  if (url === undefined) return end(404, 'invalid_url');
  if (world.clock.now() - url.openedAtMs > livesMs) return end(404, 'expired_url');
  if (url.used >= maxUses) return end(404, 'used_url');
  url.used += 1;
  const parsed = answer.safeParse(JSON.parse(body.toString('utf8')));
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      ({ path, message }) => `${path.join('.')}: ${message}`,
    );
    world.violations.add({ method: 'response_url', code: 'invalid_payload', problems });
    return end(400, 'invalid_payload');
  }
  try {
    await apply(world, url, parsed.data);
    end(200, 'ok');
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    world.violations.add({ method: 'response_url', code: error.code, problems: [error.message] });
    end(400, error.code);
  }
}

async function apply(world: World, url: ResponseUrl, said: ResponseAnswer): Promise<void> {
  const { channel, user, messageTs } = url;
  const original = messageTs && findMessage(world.state, channel.id, messageTs);
  if (said.delete_original === true && original) {
    await remove(world, original);
    return;
  }
  if (said.replace_original === true && original) {
    await change(world, original, contentOf(said));
    return;
  }
  await writeAsApp(world, {
    installation: known(world.state.installations, user.teamId),
    channel,
    threadTs: said.thread_ts ?? url.threadTs,
    ...contentOf(said),
    look: {},
    ...(said.response_type !== 'in_channel' && { ephemeralFor: user.id }),
  });
}

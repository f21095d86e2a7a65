import { EmojiResponseSchema, ListApplicationEmojisResponseSchema } from 'discord-api-spec/zod';
import * as z from 'zod/mini';
import { refusal } from '../rest/discord-error.ts';
import { botRoute, type Call, created, noContent, ok } from '../rest/route.ts';
import type { Emoji } from '../world/records.ts';
import type { World } from '../world/world.ts';

/** Discord describes this body only inside its route. */
const newEmoji = z.object({
  name: z.string().check(z.minLength(2), z.maxLength(32), z.regex(/^\w+$/)),
  image: z.string().check(z.regex(/^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/)),
});

const mostBytes = 256 * 1024;
const mostEmojis = 2000;
const signatures: readonly (readonly [string, string])[] = [
  ['image/png', '89504e47'],
  ['image/jpeg', 'ffd8ff'],
  ['image/gif', '47494638'],
  ['image/webp', '52494646'],
];

/** The application's own emojis, which any message of the bot may show and whose pictures are public. */
export const emojiRoutes = [
  botRoute('GET', '/applications/{application_id}/emojis', (world, call) => {
    demandOwn(world, call);
    const items = [...world.state.emojis.values()].map((emoji) => emojiPayload(world, emoji));
    return ok(ListApplicationEmojisResponseSchema, { items });
  }),

  botRoute('POST', '/applications/{application_id}/emojis', (world, call) => {
    demandOwn(world, call);
    const { name, image } = call.body(newEmoji);
    const [head = '', data = ''] = image.split(',');
    const bytes = Buffer.from(data, 'base64');
    const type = /image\/\w+/.exec(head)?.[0];
    const begin = signatures.find(([one]) => one === type)?.[1] ?? 'none';
    const isPicture = bytes.toString('hex', 0, 4).startsWith(begin);
    call.refuseIf([
      ...(isPicture ? [] : [imageProblem('IMAGE_INVALID', 'Unsupported image type given')]),
      ...(bytes.length <= mostBytes
        ? []
        : [imageProblem('BINARY_TYPE_MAX_SIZE', 'File cannot be larger than 256.0 kb.')]),
    ]);
    if (world.state.emojis.size >= mostEmojis) throw refusal('tooManyEmojis');
    const emoji: Emoji = { id: world.nextId(), name, bytes };
    world.state.emojis.set(emoji.id, emoji);
    return created(EmojiResponseSchema, emojiPayload(world, emoji));
  }),

  botRoute('DELETE', '/applications/{application_id}/emojis/{emoji_id}', (world, call) => {
    demandOwn(world, call);
    if (!world.state.emojis.delete(call.param('emoji_id'))) throw refusal('unknownEmoji');
    return noContent;
  }),
];

function demandOwn(world: World, call: Call): void {
  if (call.param('application_id') !== world.applicationId) throw refusal('missingAccess');
}

function imageProblem(code: string, message: string) {
  return { path: ['image'], code, message };
}

function emojiPayload({ bot }: World, { id, name }: Emoji): object {
  return {
    id,
    name,
    user: bot,
    roles: [],
    require_colons: true,
    managed: false,
    animated: false,
    available: true,
  };
}

import {
  type APIAttachment,
  type APIEmbed,
  type APIMessageTopLevelComponent,
  type APIPoll,
  type APIUnfurledMediaItem,
  EmbedType,
} from 'discord-api-types/v10';
import type { World } from '../world/world.ts';
import type { MessageBody, UploadedFile } from './message-body.ts';
import { resolvedComponents } from './resolved-components.ts';

/** What a message shows. */
export interface MessageParts {
  readonly content: string;
  readonly embeds: APIEmbed[];
  readonly components: APIMessageTopLevelComponent[];
  readonly attachments: APIAttachment[];
  readonly poll?: APIPoll;
}

const nothing: MessageParts = { content: '', embeds: [], components: [], attachments: [] };

/**
 * What a message shows after a request. A field that the request leaves out stays as it was.
 *
 * @param before - The message that is edited; left out for a new one.
 */
export function messageParts(
  world: World,
  channelId: string,
  body: MessageBody,
  files: readonly UploadedFile[],
  before: MessageParts = nothing,
): MessageParts {
  const kept = keptAttachments(body, before);
  const attachments = [...kept, ...files.map((file) => attach(world, channelId, file, body))];
  const mediaOf = (url: string): APIUnfurledMediaItem => {
    const name = url.startsWith('attachment://') ? url.slice('attachment://'.length) : undefined;
    const address = attachments.find(({ filename }) => filename === name)?.url ?? url;
    const item = { id: world.nextId(), url: address, proxy_url: address };
    return item;
  };
  return {
    content: body.content === undefined ? before.content : (body.content ?? ''),
    embeds:
      body.embeds === undefined
        ? before.embeds
        : (body.embeds ?? []).map((embed) => ({ ...embed, type: EmbedType.Rich })),
    components:
      body.components === undefined
        ? before.components
        : resolvedComponents(body.components ?? [], mediaOf),
    attachments,
  };
}

function keptAttachments(body: MessageBody, before: MessageParts): APIAttachment[] {
  const named = body.attachments;
  if (named === undefined) return before.attachments;
  return before.attachments.filter(({ id }) => (named ?? []).some((kept) => kept.id === id));
}

function attach(
  world: World,
  channelId: string,
  file: UploadedFile,
  body: MessageBody,
): APIAttachment {
  const id = world.nextId();
  const described = body.attachments?.find((attachment) => attachment.id === file.key);
  const filename = described?.filename ?? file.name;
  const path = `/attachments/${channelId}/${id}/${encodeURIComponent(filename)}`;
  world.state.files.set(path, { ...file, name: filename });
  const description = described?.description ?? undefined;
  return {
    id,
    filename,
    size: file.bytes.length,
    url: `${world.origin()}${path}`,
    proxy_url: `${world.origin()}${path}`,
    content_type: file.contentType,
    ...(description === undefined ? {} : { description }),
  } satisfies APIAttachment;
}

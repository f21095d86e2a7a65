import type {
  FilesCompleteUploadExternalArguments,
  FilesDeleteArguments,
  FilesGetUploadURLExternalArguments,
  FilesInfoArguments,
} from '@slack/web-api';
import { z } from 'zod';
import { botMethod, type NamedAs } from '../api/method.ts';
import { Refusal } from '../api/refusal.ts';
import * as content from '../schema/content.ts';
import { channelId, count, timestamp } from '../schema/wire.ts';
import { writableChannel } from '../world/reach.ts';
import type { Json } from '../world/records.ts';
import { messagesOf } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { remove, writeAsApp } from '../world/writing.ts';
import { threadOf } from './content.ts';

export const getUploadUrl = botMethod({
  name: 'files.getUploadURLExternal',
  scopes: ['files:write'],
  tier: 4,
  args: {
    filename: z.string().min(1),
    length: count.min(1),
    alt_text: z.string().max(1000).optional(),
    snippet_type: z.string().optional(),
  } satisfies NamedAs<FilesGetUploadURLExternalArguments>,
  run: ({ uploads, nextId, origin }, { filename: name, length }) => {
    const id = nextId('F');
    uploads.set(id, { id, name, length, bytes: undefined });
    return { upload_url: `${origin}/upload/v1/${id}`, file_id: id };
  },
});

export const completeUpload = botMethod({
  name: 'files.completeUploadExternal',
  scopes: ['files:write'],
  tier: 4,
  codes: content.contentCodes,
  args: {
    files: z.array(z.strictObject({ id: z.string(), title: z.string().optional() })).min(1),
    channel_id: channelId.optional(),
    thread_ts: timestamp.optional(),
    initial_comment: content.text.optional(),
    blocks: content.blocks.optional(),
  } satisfies NamedAs<FilesCompleteUploadExternalArguments>,
  run: async (world, args, installation) => {
    const files = args.files.map(({ id, title }) => fileWire(world, id, title));
    if (args.channel_id === undefined) return { files };
    const channel = writableChannel(world, installation, args.channel_id);
    await writeAsApp(world, {
      installation,
      channel,
      threadTs: threadOf(world, channel.id, args.thread_ts),
      text: args.initial_comment ?? '',
      blocks: args.blocks ?? [],
      look: {},
      files,
    });
    return { files };
  },
});

export const fileInfo = botMethod({
  name: 'files.info',
  scopes: ['files:read'],
  tier: 4,
  args: { file: z.string() } satisfies NamedAs<FilesInfoArguments>,
  run: (world, { file }) => ({ file: fileWire(world, file, undefined) }),
});

/** What was said with it alone goes with it. */
export const deleteFile = botMethod({
  name: 'files.delete',
  scopes: ['files:write'],
  tier: 3,
  args: { file: z.string() } satisfies NamedAs<FilesDeleteArguments>,
  run: async (world, { file }) => {
    if (!world.uploads.delete(file)) throw new Refusal('file_not_found');
    const said = [...world.state.messages.keys()].flatMap((id) => messagesOf(world.state, id));
    for (const message of said.filter(({ files }) => files.some(({ id }) => id === file))) {
      void (await remove(world, message));
    }
    return {};
  },
});

/** Throws `file_not_found` for one whose bytes never came. */
export function fileWire({ uploads, origin }: World, id: string, title: string | undefined): Json {
  const upload = uploads.get(id);
  if (upload?.bytes === undefined) throw new Refusal('file_not_found');
  return {
    id,
    name: upload.name,
    title: title ?? upload.name,
    size: upload.bytes.length,
    mimetype: upload.name.endsWith('.mp4') ? 'video/mp4' : 'application/octet-stream',
    mode: 'hosted',
    url_private: upload.address ?? `${origin}/files-pri/${id}`,
  };
}

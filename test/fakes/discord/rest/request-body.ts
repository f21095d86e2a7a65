import type { IncomingMessage } from 'node:http';
import type { UploadedFile } from '../messages/message-body.ts';
import { refusal } from './discord-error.ts';

/** What came with a request. */
export interface RequestBody {
  /** The JSON part; `undefined` when there is none. */
  readonly json: unknown;
  readonly files: readonly UploadedFile[];
}

/**
 * Reads a body: JSON, or a form whose `payload_json` is the JSON and whose `files[n]` are the files.
 *
 * @throws DiscordError 50109 when the JSON is none.
 */
export async function readBody(request: IncomingMessage): Promise<RequestBody> {
  const bytes = await readBytes(request);
  const contentType = request.headers['content-type'] ?? '';
  if (contentType.startsWith('multipart/form-data')) return readForm(bytes, contentType);
  if (bytes.length === 0) return { json: undefined, files: [] };
  return { json: parseJson(bytes.toString('utf8')), files: [] };
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function readForm(bytes: Buffer, contentType: string): Promise<RequestBody> {
  const form = await new Response(new Uint8Array(bytes), {
    headers: { 'content-type': contentType },
  }).formData();
  const payload = form.get('payload_json');
  const files: UploadedFile[] = [];
  for (const [field, value] of form) {
    if (typeof value === 'string') continue;
    files.push({
      key: /^files\[(\d+)\]$/.exec(field)?.[1] ?? field,
      name: value.name,
      contentType: value.type || 'application/octet-stream',
      bytes: new Uint8Array(await value.arrayBuffer()),
    });
  }
  return { json: typeof payload === 'string' ? parseJson(payload) : {}, files };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal('invalidJson');
  }
}

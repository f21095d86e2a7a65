import type { IncomingMessage, ServerResponse } from 'node:http';
import type { World } from '../world/world.ts';
import { readBytes } from './arguments.ts';
import { installationOf } from './authorise.ts';

/** Takes the bytes of an announced file: raw, or as the one file of a form. */
export async function takeUpload(
  { uploads }: World,
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
): Promise<void> {
  const upload = uploads.get(id);
  const body = await readBytes(request);
  if (upload === undefined) return void response.writeHead(404).end();
  const bytes = await fileBytes(body, request.headers['content-type'] ?? '');
  if (bytes.length !== upload.length) {
    return void response.writeHead(400).end(`announced as ${upload.length} bytes`);
  }
  uploads.set(id, { ...upload, bytes });
  response.writeHead(200).end(`OK - ${bytes.length}`);
}

/** Gives a file to anyone who has a token for it; all others get the page on which people sign in. */
export function giveFile(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
): void {
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  const bytes = world.uploads.get(id)?.bytes;
  if (installationOf(world, token)?.scopes.has('files:read') !== true) {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(signInPage);
  } else if (bytes === undefined) response.writeHead(404).end();
  else response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(bytes);
}

const signInPage =
  '<!DOCTYPE html><html><head><title>Slack</title></head><body>Sign in</body></html>';

async function fileBytes(body: Buffer, contentType: string): Promise<Buffer> {
  if (!contentType.startsWith('multipart/form-data')) return body;
  const form = await new Response(new Uint8Array(body), {
    headers: { 'content-type': contentType },
  }).formData();
  const file = [...form.values()].find((value) => typeof value !== 'string');
  if (file === undefined) return Buffer.alloc(0);
  return Buffer.from(await file.arrayBuffer());
}

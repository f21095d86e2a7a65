import type { IncomingMessage } from 'node:http';
import type { Json } from '../world/records.ts';

/** Arguments that are JSON, which a form carries as text. */
const structured: ReadonlySet<string> = new Set([
  'attachments',
  'blocks',
  'chunks',
  'files',
  'loading_messages',
  'metadata',
  'prompts',
  'view',
]);

/** Reads a call's arguments from its query and its body: a form, as the real client sends, or JSON. */
export async function readArguments(request: IncomingMessage, url: URL): Promise<Json> {
  const bytes = await readBytes(request);
  const type = request.headers['content-type'] ?? '';
  const body = type.startsWith('application/json')
    ? Object.entries(readJson(bytes.toString('utf8')))
    : [...new URLSearchParams(bytes.toString('utf8'))];
  const entries = [...url.searchParams, ...body].map(([name, value]) => [
    name,
    structured.has(name) && typeof value === 'string' ? parsed(value) : value,
  ]);
  return Object.fromEntries(entries);
}

export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** What is no JSON stays text, and is refused by the argument's schema. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readJson(text: string): object {
  const value = parsed(text);
  return typeof value === 'object' && value !== null ? value : {};
}

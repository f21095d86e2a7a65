/**
 * The rehearsal: a server on loopback that speaks OpenAI's API, for tests and benches, which then run the
 * very same code as a council with a model. It has none: it gives scripted replies, at the latency, at the
 * pace and with the faults that it is told.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { answerChat, type Stage } from './chat.ts';
import { answerEmbeddings } from './embedding.ts';
import { Journal, type RehearsalOptions, type RehearsalServer } from './options.ts';
import { modelList, refuse, sendJson } from './wire.ts';

const mostBodyBytes = 16 * 1024 * 1024;

/** Listens on 127.0.0.1 at a free port. Throws what `listen` throws. */
export async function startRehearsalServer(options: RehearsalOptions): Promise<RehearsalServer> {
  const stage: Stage = {
    options,
    journal: new Journal(options.journalEntries ?? 1000),
  };
  const open = new Set<AbortController>();
  const server = createServer((request, response) => {
    const gone = new AbortController();
    open.add(gone);
    response.on('close', () => {
      open.delete(gone);
      gone.abort();
    });
    // Does not reject: what goes wrong is told to the client.
    void respond(stage, request, response, gone.signal);
  });
  // Closed after 5 s by default: on a busy machine just as the next call is sent, which the SDK alone does not survive.
  server.keepAliveTimeout = 60_000;
  const port = await listening(server);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    const ended = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const call of open) call.abort();
    server.closeAllConnections();
    return ended;
  };
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    journal: () => stage.journal.entries,
    openCalls: () => stage.journal.open,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

async function respond(
  stage: Stage,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  try {
    await route(stage, request, response, signal);
  } catch (error) {
    if (signal.aborted) return;
    // A fault or a reply that the caller supplied has thrown, or the rehearsal itself is at fault.
    const message = `The rehearsal broke down: ${error instanceof Error ? error.message : error}`;
    if (response.headersSent) response.destroy();
    else refuse(response, 500, message);
  }
}

async function route(
  stage: Stage,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const path = request.url?.split('?', 1)[0];
  const route = `${request.method} ${path}`;
  if (route === 'GET /v1/models') {
    request.resume();
    sendJson(response, modelList());
    return;
  }
  if (route !== 'POST /v1/chat/completions' && route !== 'POST /v1/embeddings') {
    request.resume();
    const message = `There is no ${request.method} ${path?.slice(0, 200)} here. Ask /v1/models, /v1/chat/completions or /v1/embeddings.`;
    refuse(response, 404, message);
    return;
  }
  const text = await readText(request);
  if (text === undefined) {
    const message = `The body is over ${mostBodyBytes} bytes. Send less.`;
    refuse(response, 413, message);
    return;
  }
  const body = readJson(text);
  if (body === undefined) {
    refuse(response, 400, 'The body is not JSON.');
    return;
  }
  if (route === 'POST /v1/embeddings') answerEmbeddings(body, response);
  else await answerChat(stage, body, response, signal);
}

/** The body as text, or `undefined` when it is too long: then it is read to its end, so that the client hears why. */
async function readText(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes <= mostBodyBytes) parts.push(part);
  }
  return bytes > mostBodyBytes ? undefined : Buffer.concat(parts).toString('utf8');
}

/** No JSON text gives `undefined`, so that it can stand for what is none. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    // Also once it listens: a connection that can't be taken is no reason to end.
    server.on('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new Error('The rehearsal server has no port: it was closed while it began to listen.');
  }
  return address.port;
}

/** A model server on loopback whose every byte the test decides, for what no well-behaved server sends. */

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { z } from 'zod';

/** A request as it arrived. */
export interface RawRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON body; `{}` where there is none. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Settles when the connection is closed, by either side. */
  readonly closed: Promise<void>;
}

export type RawAnswer = (request: RawRequest, response: ServerResponse) => void | Promise<void>;

export interface RawModelServer extends AsyncDisposable {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  /** In the order in which they arrived. */
  readonly requests: readonly RawRequest[];
  /** How many connections were opened so far. */
  connectionCount(): number;
}

/** @param answers - One for each request, in order; the last one answers all that follow. */
export async function startRawModelServer(
  ...answers: readonly RawAnswer[]
): Promise<RawModelServer> {
  const requests: RawRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) {
      parts.push(part);
    }
    const body = Buffer.concat(parts).toString('utf8') || '{}';
    const request: RawRequest = {
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: z.record(z.string(), z.unknown()).parse(JSON.parse(body)),
      closed: new Promise((resolve) => response.once('close', resolve)),
    };
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(request);
    await answer?.(request, response);
  });
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new Error('The server has no port.');
  }
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    requests,
    connectionCount: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers with a status, JSON and headers. */
export function answerJson(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): RawAnswer {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** Answers with a whole reply. `more` goes into the message, `beside` beside the choices. */
export function answerWhole(
  content: string | null,
  { finishReason = 'stop', ...fields }: ReplyFields = {},
): RawAnswer {
  const message = { role: 'assistant', content, ...fields.more };
  return answerJson({
    choices: [{ index: 0, message, finish_reason: finishReason }],
    ...fields.beside,
  });
}

export interface ReplyFields {
  readonly finishReason?: string | null;
  readonly more?: Readonly<Record<string, unknown>>;
  readonly beside?: Readonly<Record<string, unknown>>;
}

/** Answers with server-sent events, each given as text or as JSON, and ends the stream. */
export function answerStream(...events: readonly unknown[]): RawAnswer {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) {
      response.write(typeof event === 'string' ? event : sse(event));
    }
    response.end();
  };
}

/** One server-sent event. */
export function sse(event: unknown): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

/** A chunk of a streamed reply. */
export function delta(fields: unknown, finishReason: string | null = null) {
  return { choices: [{ index: 0, delta: fields, finish_reason: finishReason }] };
}

/** A chunk that adds text. */
export function text(content: string) {
  return delta({ content });
}

/** The chunk that ends a reply. */
export function finish(reason = 'stop') {
  return delta({}, reason);
}

/** What ends a stream. */
export const done = 'data: [DONE]\n\n';

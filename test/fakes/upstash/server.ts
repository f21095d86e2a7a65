/**
 * Upstash's REST protocol in front of a real Redis server: one command, a pipeline, or a transaction
 * for each request, answers as JSON or with their text in base64.
 */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { RedisClient } from '@redis/client';
import { z } from 'zod';
import { encoded } from './encoding.ts';

const word = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const command = z.array(word).min(1);

/** How much one request may bring: the least of what the plans there allow. */
const mostBytes = 1_048_576;

/** The client of the server behind. */
type Client = Awaited<ReturnType<typeof openClient>>;

/** An endpoint that runs. */
export interface UpstashServer {
  readonly url: string;
  readonly token: string;
  /** How many requests have come. */
  requestCount(): number;
  /** Does what the next requests ask and breaks the connection instead of answering them. */
  loseAnswers(count: number): void;
  /** Answers the next requests with this and does nothing of what they ask. */
  answerWith(status: number, text: string, times?: number): void;
  close(): Promise<void>;
}

type Answer = { readonly result: unknown } | { readonly error: string };

/** @param redisUrl - The server that commands are passed on to. */
export async function startUpstashServer(redisUrl: string): Promise<UpstashServer> {
  const token = 'token-of-the-rest-endpoint';
  const client = await openClient(redisUrl);
  let requests = 0;
  let answersToLose = 0;
  const instead: { readonly status: number; readonly text: string }[] = [];

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests += 1;
    const other = instead.shift();
    if (other !== undefined) {
      response.writeHead(other.status).end(other.text);
      return;
    }
    const answer = await answerTo(request, token, client);
    if (answersToLose > 0) {
      answersToLose -= 1;
      request.socket.destroy();
      return;
    }
    const isEncoded = request.headers['upstash-encoding'] === 'base64';
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isEncoded ? encoded(answer.body) : answer.body));
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(asError(error)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port was given.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    token,
    requestCount: () => requests,
    loseAnswers: (count) => {
      answersToLose = count;
    },
    answerWith: (status, text, times = 1) => {
      for (let at = 0; at < times; at += 1) instead.push({ status, text });
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      client.destroy();
    },
  };
}

async function openClient(url: string) {
  const replies = { RESP: 2 } as const;
  const shape = { ...replies, url, maintNotifications: 'disabled' } as const;
  const client = RedisClient.factory(replies)(shape);
  // A command that meets trouble is answered with it.
  client.on('error', () => undefined);
  return client.connect();
}

async function answerTo(
  request: IncomingMessage,
  token: string,
  client: Client,
): Promise<{ readonly status: number; readonly body: unknown }> {
  if (request.headers.authorization !== `Bearer ${token}`) {
    return { status: 401, body: { error: 'WRONGPASS invalid or missing auth token' } };
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(z.instanceof(Buffer).parse(chunk));
  const body = Buffer.concat(chunks);
  if (body.length > mostBytes) {
    const said = `Limit: ${mostBytes} bytes, Actual: ${body.length} bytes`;
    return { status: 400, body: { error: `ERR max request size exceeded. ${said}` } };
  }
  const asked: unknown = JSON.parse(body.toString('utf8'));
  switch (request.url) {
    case '/':
      return whole(await run(client, command.parse(asked)));
    case '/pipeline': {
      const commands = z.array(command).parse(asked);
      return { status: 200, body: await Promise.all(commands.map((one) => run(client, one))) };
    }
    case '/multi-exec': {
      const transaction = client.multi();
      for (const one of z.array(command).parse(asked)) transaction.addCommand(one);
      return transacted(transaction);
    }
    default:
      return { status: 404, body: { error: `ERR there is no ${request.url}` } };
  }
}

async function transacted(transaction: ReturnType<Client['multi']>) {
  try {
    const results: readonly unknown[] = await transaction.exec();
    return { status: 200, body: results.map((result) => ({ result })) };
  } catch (error) {
    return whole({ error: asError(error).message });
  }
}

async function run(client: Client, words: readonly string[]): Promise<Answer> {
  try {
    return { result: await client.sendCommand([...words]) };
  } catch (error) {
    return { error: asError(error).message };
  }
}

function whole(answer: Answer) {
  return { status: 'error' in answer ? 400 : 200, body: answer };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

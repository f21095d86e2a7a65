import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createOpenAiEmbedder } from '../../src/models/embeddings.ts';
import { listChatModels } from '../../src/models/providers.ts';
import { OversizeError, readStart, readText } from '../../src/models/response-body.ts';
import {
  answerJson,
  answerStream,
  answerWhole,
  delta,
  done,
  finish,
  type RawAnswer,
  sse,
  startRawModelServer,
  text,
} from '../fakes/raw-model-server.ts';
import { chunksOf, failureOf, modelAt, question } from './ask.ts';

/** Sends a piece again and again, as fast as it is taken, and counts what went out. */
function endless(piece: string, status = 200, type = 'text/event-stream') {
  const sent = { bytes: 0 };
  const answer: RawAnswer = (_request, response) => {
    response.writeHead(status, { 'content-type': type });
    const write = () => {
      while (!response.destroyed) {
        sent.bytes += piece.length;
        if (!response.write(piece)) {
          response.once('drain', write);
          return;
        }
      }
    };
    write();
  };
  return { answer, sent };
}

const large = 'x'.repeat(64 * 1024);
const most = 64 * 1024 * 1024;

describe('what a server sends without end', () => {
  it.each([
    ['one line', large],
    ['comments', `: ${large}\n\n`],
    ['lines of one event', `data: ${large}\n`],
    ['events that say nothing', sse({ choices: [], note: large })],
    ['an answer', sse({ choices: [{ delta: { content: large } }] })],
    ['reasoning', sse({ choices: [{ delta: { reasoning: large } }] })],
    ['a refusal', sse({ choices: [{ delta: { refusal: large } }] })],
  ])('is cut off in a stream of %s, and the connection is closed', async (_of, piece) => {
    const { answer, sent } = endless(piece);
    await using server = await startRawModelServer(answer);
    const error = await failureOf(chunksOf(modelAt(server.baseUrl).stream(question())));
    expect(error.failure).toBe('output_limit');
    expect(error.message).toMatch(/sent more than an answer may hold, and was cut off/);
    await server.requests[0]?.closed;
    expect(sent.bytes).toBeLessThan(most);
  });

  it('is cut off in a whole reply', async () => {
    const { answer, sent } = endless(large, 200, 'application/json');
    await using server = await startRawModelServer(answer);
    expect(await failureOf(modelAt(server.baseUrl).complete(question()))).toMatchObject({
      failure: 'output_limit',
    });
    await server.requests[0]?.closed;
    expect(sent.bytes).toBeLessThan(most);
  });

  it.each([400, 401, 429, 500])(
    'is not read beyond its start when it refuses with %i',
    async (status) => {
      const { answer, sent } = endless(large, status, 'text/plain');
      await using server = await startRawModelServer(answer);
      const model = modelAt(server.baseUrl);
      const error = await failureOf(model.complete(question()));
      expect(error.message).toContain(String(status));
      expect(error.message.length).toBeLessThan(600);
      await server.requests[0]?.closed;
      expect(sent.bytes).toBeLessThan(most);
    },
  );

  it('is refused as a whole reply of more than a million characters', async () => {
    await using server = await startRawModelServer(answerWhole('x'.repeat(1_000_001)));
    expect(await failureOf(modelAt(server.baseUrl).complete(question()))).toMatchObject({
      failure: 'output_limit',
    });
  });

  it('is an answer up to a million characters, its reasoning included', async () => {
    const says = (chars: number) =>
      answerStream(delta({ reasoning: 'x' }), text('x'.repeat(chars - 1)), finish(), done);
    await using server = await startRawModelServer(says(1_000_000), says(1_000_001));
    const model = modelAt(server.baseUrl);
    await chunksOf(model.stream(question()));
    expect(await failureOf(chunksOf(model.stream(question())))).toMatchObject({
      failure: 'output_limit',
    });
  });

  it('is refused in the arguments of a tool that no one offered', async () => {
    const call = { index: 0, function: { arguments: 'x'.repeat(500_001) } };
    const calls = delta({ tool_calls: [call] });
    await using server = await startRawModelServer(answerStream(calls, calls, finish(), done));
    expect(await failureOf(chunksOf(modelAt(server.baseUrl).stream(question())))).toMatchObject({
      failure: 'output_limit',
    });
  });

  it('is cut off in vectors', async () => {
    const { answer } = endless(`[${large}`, 200, 'application/json');
    await using server = await startRawModelServer(answer);
    const embedder = createOpenAiEmbedder({
      provider: 'openai',
      model: 'embed',
      baseUrl: server.baseUrl,
      structuredOutput: 'prompt',
      streamUsage: true,
    });
    const failed = failureOf(embedder.embed(['yes'], new AbortController().signal));
    expect(await failed).toMatchObject({ failure: 'output_limit' });
    await server.requests[0]?.closed;
  });

  it('is cut off in a list of models, and no one usable is there', async () => {
    const { answer } = endless(`[${large}`, 200, 'application/json');
    await using server = await startRawModelServer(answer);
    expect(await listChatModels(server, new AbortController().signal)).toBeUndefined();
    await server.requests[0]?.closed;
  });

  it('is left in the middle by a stream that says that it is done', async () => {
    const end = sse({ choices: [{ delta: { content: 'Yes.' }, finish_reason: 'stop' }] });
    const { answer } = endless(`${end}data: [DONE]\n\n${large}`);
    await using server = await startRawModelServer(answer);
    const chunks = await chunksOf(modelAt(server.baseUrl).stream(question()));
    expect(chunks.at(-1)).toMatchObject({ reply: { text: 'Yes.' } });
    await server.requests[0]?.closed;
  });
});

describe('a body', () => {
  const bodyOf = (...parts: readonly string[]) =>
    Readable.from(parts.map((part) => Buffer.from(part)));

  it('is read to its limit and no further', async () => {
    expect(await readText(bodyOf('0123456789'), 10)).toBe('0123456789');
    await expect(readText(bodyOf('0123456789a'), 10)).rejects.toThrow(OversizeError);
    expect(await readStart(bodyOf('01234', '56789', 'a'), 10)).toBe('0123456789');
  });

  it('may be none', async () => {
    expect(await readText(bodyOf(), 10)).toBe('');
  });
});

describe('a redirect', () => {
  /** A host that must never be asked. */
  async function startElsewhere() {
    const asked: unknown[] = [];
    const server = createServer((request, response) => {
      asked.push(request.headers);
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    return { asked, url: `http://localhost:${port}/v1` };
  }

  it.each([301, 302, 303, 307, 308])('of status %i is named, not followed', async (status) => {
    const { asked, url } = await startElsewhere();
    await using server = await startRawModelServer(
      answerJson('', status, {
        location: `${url.replace('//', '//me:secret@')}/chat/completions?key=secret`,
      }),
    );
    const model = modelAt(server.baseUrl);
    for (const call of [model.complete(question()), chunksOf(model.stream(question()))]) {
      const error = await failureOf(call);
      expect(error.failure).toBe('wrong_address');
      expect(error.message).toContain(`redirects to ${url}/chat/completions. `);
      expect(error.message).not.toContain('secret');
    }
    expect(await listChatModels(server, new AbortController().signal)).toBeUndefined();
    expect(asked).toEqual([]);
  });
});

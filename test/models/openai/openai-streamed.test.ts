import { describe, expect, it } from 'vitest';
import {
  answerStream,
  answerWhole,
  delta,
  done,
  finish,
  sse,
  startRawModelServer,
  text,
} from '../../fakes/raw-model-server.ts';
import { chunksOf, modelAt, question } from '../ask.ts';

describe('a streamed reply', () => {
  it('comes in pieces of what arrives together, with the figures last', async () => {
    const usage = { prompt_tokens: 12, completion_tokens: 3 };
    await using server = await startRawModelServer(
      answerStream(
        delta({ role: 'assistant', content: '' }),
        delta({ reasoning: 'Hm.' }),
        text('Yes, '),
        text('but.'),
        finish(),
        { choices: [], usage },
        done,
      ),
    );
    expect(await chunksOf(modelAt(server.baseUrl).stream(question()))).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Yes, but.' },
      {
        type: 'finished',
        reply: {
          text: 'Yes, but.',
          reasoning: 'Hm.',
          finishReason: 'stop',
          usage: { inputTokens: 12, outputTokens: 3, reasoningTokens: 0 },
        },
      },
    ]);
  });

  it('shows no thought where the last reply began within one', async () => {
    const thinking = [text('Say {"a": 1}?\n</thi'), text('nk>\nYes.'), finish(), done];
    await using server = await startRawModelServer(
      answerWhole('Hm.\n</think>\nYes.'),
      answerStream(...thinking),
      answerStream(text('No.'), finish(), done),
      answerStream(text('No.'), finish(), done),
    );
    const model = modelAt(server.baseUrl);
    await model.complete(question());
    const shown = async () => {
      const chunks = await chunksOf(model.stream(question()));
      return chunks.flatMap((chunk) => (chunk.type === 'text' ? [chunk.text] : []));
    };
    expect(await shown()).toEqual(['\nYes.']);
    expect(await shown()).toEqual([]);
    expect(await shown()).toEqual(['No.']);
  });

  it('is read past everything that carries nothing', async () => {
    await using server = await startRawModelServer(
      answerStream(
        ': OPENROUTER PROCESSING\n\n',
        {},
        { choices: null },
        { choices: [] },
        { choices: [{ delta: null, finish_reason: null }] },
        { choices: [{}] },
        delta({ content: null }),
        ': keep-alive\r\n\r\n',
        text('Yes.'),
        delta({ content: '', reasoning: { odd: true } }, 'stop'),
        { choices: [], usage: null },
        done,
      ),
    );
    const chunks = await chunksOf(modelAt(server.baseUrl).stream(question()));
    expect(chunks.at(-1)).toMatchObject({ type: 'finished', reply: { text: 'Yes.' } });
  });

  it('is complete with its finish reason, even if the connection breaks after it', async () => {
    await using server = await startRawModelServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(sse(text('Yes.')));
      response.write(sse(finish()), () => response.destroy());
    });
    const chunks = await chunksOf(modelAt(server.baseUrl).stream(question()));
    expect(chunks.at(-1)).toMatchObject({ reply: { text: 'Yes.', finishReason: 'stop' } });
  });

  it('keeps characters whole that the network cuts in two', async () => {
    const bytes = Buffer.from(sse(text('Größe 🦉 小さく')) + sse(finish()) + done);
    await using server = await startRawModelServer(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const byte of bytes) {
        await new Promise((resolve) => response.write(Buffer.of(byte), resolve));
      }
      response.end();
    });
    const chunks = await chunksOf(modelAt(server.baseUrl).stream(question()));
    expect(chunks.at(-1)).toMatchObject({ reply: { text: 'Größe 🦉 小さく' } });
  });

  it('leaves its connection for the next one, even if the end comes a little later', async () => {
    await using server = await startRawModelServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(sse(text('Yes.')) + sse(finish()) + done);
      setTimeout(() => response.end(), 10);
    });
    const model = modelAt(server.baseUrl);
    for (let turn = 0; turn < 5; turn += 1) {
      await chunksOf(model.stream(question()));
    }
    expect(server.connectionCount()).toBeLessThan(5);
  });

  it('does not wait for a server that says it is done and never ends', async () => {
    await using server = await startRawModelServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(sse(text('Yes.')) + sse(finish()) + done + sse(text('And more.')));
    });
    const chunks = await chunksOf(modelAt(server.baseUrl).stream(question()));
    expect(chunks.at(-1)).toMatchObject({ reply: { text: 'Yes.' } });
    await server.requests[0]?.closed;
  });

  it('may be very long', async () => {
    const pieces = Array.from({ length: 5000 }, (_, index) => `sentence ${index} of many more, `);
    await using server = await startRawModelServer(
      answerStream(...pieces.map((piece) => text(piece)), finish(), done),
    );
    const chunks = await chunksOf(modelAt(server.baseUrl).stream(question()));
    expect(chunks.at(-1)).toMatchObject({ reply: { text: pieces.join('') } });
  });

  it.each([
    ['reasoning', { reasoning: 'Hm.' }],
    ['reasoning_content', { reasoning_content: 'Hm.' }],
    ['reasoning_details', { reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] }],
    ['content with tags', { content: '<think>Hm.</think>' }],
  ])('keeps the reasoning apart that comes as %s', async (_how, fields) => {
    await using server = await startRawModelServer(
      answerStream(delta(fields), text('Yes.'), finish(), done),
    );
    expect(await chunksOf(modelAt(server.baseUrl).stream(question()))).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Yes.' },
      { type: 'finished', reply: { text: 'Yes.', reasoning: 'Hm.', finishReason: 'stop' } },
    ]);
  });
});

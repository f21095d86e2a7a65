import { APIConnectionError } from 'openai';
import { describe, expect, it } from 'vitest';
import type { ModelFailure } from '../../../src/models/chat-model.ts';
import { toModelError } from '../../../src/models/openai/openai-failure.ts';
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
} from '../../fakes/raw-model-server.ts';
import { bothFailuresOf, chunksOf, failureOf, modelAt, question } from '../ask.ts';

describe('a server that is not there', () => {
  it('is unreachable, and the message says where no one listens', async () => {
    const server = await startRawModelServer();
    const { baseUrl } = server;
    await server[Symbol.asyncDispose]();
    const error = await failureOf(modelAt(baseUrl).complete(question()));
    expect(error.failure).toBe('unreachable');
    expect(error.message).toBe(
      `No server listens at ${baseUrl}. Start the server there, or correct the base URL.`,
    );
  });

  it('is unreachable when it hangs up before it answers', async () => {
    for (const error of await bothFailuresOf((_request, response) => {
      response.destroy();
    })) {
      expect(error.failure).toBe('unreachable');
      expect(error.message).toMatch(
        /^http:\S+ closed the connection before it answered\. Ask again\.$/,
      );
    }
  });

  it.each([
    ['UND_ERR_CONNECT_TIMEOUT', 'unreachable', /can't be reached \(UND_ERR_CONNECT_TIMEOUT\)/],
    ['ETIMEDOUT', 'unreachable', /can't be reached \(ETIMEDOUT\)/],
    ['ECONNRESET', 'unreachable', /closed the connection before it answered/],
    ['EPIPE', 'unreachable', /closed the connection before it answered/],
    ['UND_ERR_HEADERS_TIMEOUT', 'timed_out', /did not answer in time/],
    ['CERT_HAS_EXPIRED', 'unreachable', /The certificate of \S+ is not trusted \(CERT_HAS/],
  ])('is told what happened: %s', (code, failure, told) => {
    const cause = Object.assign(new Error(''), { code });
    const called = { provider: 'openai', model: 'gpt-test', baseUrl: 'https://there.invalid/v1' };
    const error = toModelError(new APIConnectionError({ cause }), called);
    expect(error.failure).toBe(failure);
    expect(error.message).toMatch(told);
  });

  it('is unreachable when its name does not exist', () => {
    const cause = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
    const error = toModelError(new APIConnectionError({ cause }), {
      provider: 'openai',
      model: 'gpt-test',
      baseUrl: 'http://nobody.invalid/v1',
    });
    expect(error.failure).toBe('unreachable');
    expect(error.message).toMatch(/^The host in http:\/\/nobody\.invalid\/v1 does not exist/);
  });

  it('is something else when it does not speak the API', async () => {
    await using server = await startRawModelServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>');
    });
    const error = await failureOf(modelAt(server.baseUrl).complete(question()));
    expect(error.failure).toBe('wrong_address');
    expect(error.message).toMatch(/does not speak OpenAI's API.*\/v1/);
  });
});

describe('a reply under another content type', () => {
  const as =
    (type: string, body: string): RawAnswer =>
    (_request, response) => {
      response.writeHead(200, type === '' ? {} : { 'content-type': type }).end(body);
    };
  const types = ['text/html', 'application/json', 'text/event-stream', 'text/plain', ''];
  const message = { role: 'assistant', content: 'Yes.' };
  const whole = JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] });
  const events = sse(text('Yes.')) + sse(finish()) + done;

  it.each(types)('is read as what it is, whole or in events: %s', async (type) => {
    for (const body of [whole, `\n\n${whole}\n\ndata: [DONE]`, events]) {
      await using server = await startRawModelServer(as(type, body));
      const model = modelAt(server.baseUrl);
      expect(await model.complete(question())).toMatchObject({ text: 'Yes.' });
      const chunks = await chunksOf(model.stream(question()));
      expect(chunks.at(-1)).toMatchObject({ reply: { text: 'Yes.' } });
    }
  });

  it.each(types)('is an error in the words of the server: %s', async (type) => {
    const error = { message: 'slow down', code: 429 };
    for (const body of [{ error }, [{ error }], { object: 'error', ...error }]) {
      for (const failed of await bothFailuresOf(as(type, JSON.stringify(body)))) {
        expect(failed.failure).toBe('rate_limited');
        expect(failed.message).toContain('It said: slow down');
      }
    }
  });

  it.each(types)('is a page of another server: %s', async (type) => {
    for (const body of ['<!DOCTYPE html>\n<p>Welcome</p>', '{"status":"ok"}']) {
      for (const failed of await bothFailuresOf(as(type, body))) {
        expect(failed.failure).toBe('wrong_address');
        expect(failed.message).toMatch(/does not speak OpenAI's API\. Correct .* in \/v1\.$/);
      }
    }
    const [, streamed] = await bothFailuresOf(as(type, 'Ollama is running'));
    expect(streamed?.message).toMatch(/It said: Ollama is running$/);
  });

  it('is an error that stands in a stream in place of the choices', async () => {
    const words = 'The maximum context length is 8192 tokens.';
    const vllm = { object: 'error', message: words, code: 400 };
    const deepInfra = { choices: null, error_type: 'BadRequestError', error_message: words };
    for (const body of [vllm, deepInfra]) {
      for (const failed of await bothFailuresOf(answerStream(body, done))) {
        expect(failed.failure).toBe('context_too_long');
        expect(failed.message).toContain(`It said: ${words}`);
      }
    }
  });
});

describe('an answer that is none', () => {
  const inTheMiddle: RawAnswer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(sse(text('Yes, b')), () => setImmediate(() => response.destroy()));
  };

  it.each<[ModelFailure, string, RawAnswer, string]>([
    ['broken_stream', 'without a single chunk', answerStream('what is this\n\n'), ''],
    ['broken_stream', 'without anything at all', answerStream(), ''],
    ['broken_stream', 'without a finish reason', answerStream(text('Yes, b'), done), 'Yes, b'],
    ['broken_stream', 'cut off by the network', inTheMiddle, 'Yes, b'],
    [
      'broken_stream',
      'with half a chunk',
      answerStream(text('Yes, b'), 'data: {"cho\n\n'),
      'Yes, b',
    ],
    ['broken_stream', 'with chunks of another kind', answerStream({ choices: 'none' }), ''],
    ['broken_stream', 'that ends in an error', answerStream(text('Yes'), finish('error')), 'Yes'],
    [
      'broken_stream',
      'that DeepSeek interrupts',
      answerStream(text('Yes'), finish('insufficient_system_resource')),
      'Yes',
    ],
    ['broken_stream', 'that vLLM aborts', answerStream(text('Yes'), finish('abort')), 'Yes'],
    ['empty', 'without text', answerStream(delta({ content: '' }), finish(), done), ''],
    [
      'output_limit',
      'of reasoning alone',
      answerStream(delta({ reasoning: 'Hm.' }), finish(), done),
      '',
    ],
    ['empty', 'with blanks alone', answerStream(text(' \n'), finish(), done), ''],
    [
      'output_limit',
      'that thinks to the end',
      answerStream(text('<think>Hm'), finish('length')),
      '',
    ],
    ['refused', 'that is a refusal', answerStream(delta({ refusal: 'I must not.' }), finish()), ''],
    ['refused', 'that was filtered', answerStream(text('Yes'), finish('content_filter')), 'Yes'],
    [
      'refused',
      'that Gemini filtered',
      answerStream(text('Yes'), finish('content_filter: RECITATION')),
      'Yes',
    ],
    ['refused', 'that GLM filtered', answerStream(text('Yes'), finish('sensitive')), 'Yes'],
    ['broken_stream', 'that GLM breaks', answerStream(text('Yes'), finish('network_error')), 'Yes'],
    ['output_limit', 'that ended at a limit', answerStream(finish('MAX_TOKENS')), ''],
  ])('is %s for a stream %s', async (failure, _how, answer, partialText) => {
    await using server = await startRawModelServer(answer);
    const error = await failureOf(chunksOf(modelAt(server.baseUrl).stream(question())));
    expect(error).toMatchObject({ failure, partialText });
  });

  it.each<[ModelFailure, string, RawAnswer]>([
    ['broken_stream', 'half of the JSON', answerJson('{"choices":[{"mess')],
    ['broken_stream', 'JSON of another kind', answerJson({ choices: 'none' })],
    ['empty', 'no choice', answerJson({ choices: [] })],
    ['empty', 'no text', answerWhole(null)],
    [
      'empty',
      'a call of a tool that Groq refuses',
      answerJson({ error: { message: 'Tool choice is none', code: 'tool_use_failed' } }, 400),
    ],
    ['output_limit', 'all tokens spent on reasoning', answerWhole('', { finishReason: 'length' })],
    ['refused', 'a refusal', answerWhole(null, { more: { refusal: 'I must not.' } })],
    ['refused', 'one in words', answerWhole('I’m sorry, but I can’t help with that request.')],
    ['refused', 'one in German', answerWhole('Tut mir leid, aber dabei kann ich nicht helfen.')],
    ['refused', 'a filtered text', answerWhole('Yes', { finishReason: 'content_filter' })],
  ])('is %s for %s', async (failure, _how, answer) => {
    await using server = await startRawModelServer(answer);
    const error = await failureOf(modelAt(server.baseUrl).complete(question()));
    expect(error).toMatchObject({ failure, model: 'openai:gpt-test' });
  });

  it('is none for an answer that only begins like a refusal', async () => {
    const said = [
      'I can’t help but agree: wait.',
      `I can’t help you decide that. ${'The lease decides it. '.repeat(9)}`,
      'I’m sorry for your loss.',
      'Je suis désolée, je ne peux pas venir vendredi.',
      'Lo siento, no puedo ir a la fiesta.',
    ];
    await using server = await startRawModelServer(...said.map((one) => answerWhole(one)));
    const model = modelAt(server.baseUrl);
    for (const one of said) expect((await model.complete(question())).text).toBe(one);
  });

  it('has the figures that the server states for it', async () => {
    const usage = { prompt_tokens: 12, completion_tokens: 3000 };
    const whole = answerWhole('', { finishReason: 'length', beside: { usage } });
    const streamed = answerStream(finish('length'), { choices: [], usage }, done);
    await using server = await startRawModelServer(whole, streamed);
    const model = modelAt(server.baseUrl);
    const stated = { inputTokens: 12, outputTokens: 3000, reasoningTokens: 0 };
    const ofWhole = await failureOf(model.complete(question()));
    const ofStream = await failureOf(chunksOf(model.stream(question())));
    expect([ofWhole.usage, ofStream.usage]).toEqual([stated, stated]);
  });

  it('is not quoted in the error', async () => {
    for (const error of await bothFailuresOf(answerJson('{"choices": my secret plan'))) {
      expect(`${error.message} ${error.cause}`).not.toContain('secret');
    }
    const stream = answerStream('data: {"choices": my secret plan}\n\n');
    for (const error of await bothFailuresOf(stream)) {
      expect(`${error.message} ${error.cause}`).not.toContain('secret');
    }
  });

  it('is a broken stream when the network cuts the body off', async () => {
    await using server = await startRawModelServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"choices":', () => setImmediate(() => response.destroy()));
    });
    const error = await failureOf(modelAt(server.baseUrl).complete(question()));
    expect(error.failure).toBe('broken_stream');
  });
});

describe('a server that is silent', () => {
  it('has timed out before its answer', async () => {
    await using server = await startRawModelServer(() => {});
    const model = modelAt(server.baseUrl, { requestTimeoutMs: 20 });
    expect(await failureOf(model.complete(question()))).toMatchObject({ failure: 'timed_out' });
    expect(await failureOf(chunksOf(model.stream(question())))).toMatchObject({
      failure: 'timed_out',
    });
    await Promise.all(server.requests.map(({ closed }) => closed));
  });

  it('has timed out in the middle of its answer, and what came is kept', async () => {
    await using server = await startRawModelServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(sse(text('Yes, b')));
    });
    const model = modelAt(server.baseUrl, { requestTimeoutMs: 1000 });
    expect(await failureOf(chunksOf(model.stream(question())))).toMatchObject({
      failure: 'timed_out',
      partialText: 'Yes, b',
    });
    await server.requests[0]?.closed;
  });
});

describe('a call that is stopped', () => {
  const hangInTheMiddle: RawAnswer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(sse(text('Yes, b')));
  };

  it('throws the reason and ends the request upstream, before an answer', async () => {
    for (const verb of ['complete', 'stream'] as const) {
      const arrival = Promise.withResolvers<void>();
      await using server = await startRawModelServer(() => arrival.resolve());
      const stop = new AbortController();
      const model = modelAt(server.baseUrl);
      const asked = question({ signal: stop.signal });
      const call = verb === 'complete' ? model.complete(asked) : chunksOf(model.stream(asked));
      const reason = new Error('stopped by a member');
      const ended = expect(call).rejects.toBe(reason);
      await arrival.promise;
      stop.abort(reason);
      await ended;
      await Promise.all(server.requests.map(({ closed }) => closed));
    }
  });

  it('throws the reason and ends the request upstream, in the middle of an answer', async () => {
    await using server = await startRawModelServer(hangInTheMiddle);
    const stop = new AbortController();
    const reason = new Error('stopped by a member');
    const chunks = modelAt(server.baseUrl).stream(question({ signal: stop.signal }));
    const read = async () => {
      for await (const _chunk of chunks) {
        stop.abort(reason);
      }
    };
    await expect(read()).rejects.toBe(reason);
    await server.requests[0]?.closed;
  });

  it('is not made at all when it was stopped before', async () => {
    await using server = await startRawModelServer(answerWhole('Yes.'));
    const model = modelAt(server.baseUrl);
    const asked = question({ signal: AbortSignal.abort('too late') });
    await expect(model.complete(asked)).rejects.toBe('too late');
    await expect(chunksOf(model.stream(asked))).rejects.toBe('too late');
    expect(server.requests).toEqual([]);
  });

  it('ends the request upstream when its reader leaves', async () => {
    await using server = await startRawModelServer(hangInTheMiddle);
    for await (const _chunk of modelAt(server.baseUrl).stream(question())) {
      break;
    }
    await server.requests[0]?.closed;
  });
});

import { describe, expect, it } from 'vitest';
import type { ModelFailure } from '../../../src/models/chat-model.ts';
import { createOpenAiModel } from '../../../src/models/openai/openai.ts';
import { readRetryAfter } from '../../../src/models/openai/stated-failure.ts';
import {
  answerJson,
  answerStream,
  type RawAnswer,
  startRawModelServer,
  text,
} from '../../fakes/raw-model-server.ts';
import { bothFailuresOf, chunksOf, failureOf, modelAt, question } from '../ask.ts';

const openAiError = (message: string, code: string | null = null) => ({
  error: { message, type: 'some_error', code },
});

describe('a server that refuses', () => {
  it.each<[ModelFailure, string, RawAnswer, RegExp]>([
    [
      'key_rejected',
      '401',
      answerJson(openAiError('wrong'), 401),
      /rejected \(401\).*OPENAI_API_KEY/,
    ],
    [
      'key_rejected',
      '403',
      answerJson(openAiError('wrong'), 403),
      /rejected \(403\).*OPENAI_API_KEY/,
    ],
    ['payment_required', '402', answerJson(openAiError('broke'), 402), /Top it up at openai/],
    [
      'payment_required',
      'a 429 that says the quota is used up',
      answerJson(openAiError('quota', 'insufficient_quota'), 429),
      /Top it up at openai/,
    ],
    [
      'payment_required',
      "a 400 in Anthropic's words",
      answerJson(openAiError('Your credit balance is too low to access the Anthropic API.'), 400),
      /Top it up at openai/,
    ],
    [
      'payment_required',
      "a 403 in xAI's words",
      answerJson({ code: 'none', error: "Your team doesn't have any credits yet." }, 403),
      /Top it up at openai/,
    ],
    [
      'payment_required',
      "a 429 in xAI's words",
      answerJson({ error: 'Used all available credits or reached its spending limit.' }, 429),
      /Top it up at openai/,
    ],
    [
      'payment_required',
      "a limit in Anthropic's words",
      answerJson(openAiError('You have reached your specified API usage limits.'), 400),
      /Top it up at openai/,
    ],
    [
      'payment_required',
      "a 403 in OpenRouter's words",
      answerJson({ error: { message: 'Key limit exceeded (total limit).', code: 403 } }, 403),
      /quota of this key is used up/,
    ],
    [
      'payment_required',
      "a 429 in LiteLLM's words",
      answerJson({ error: { message: 'Budget!', type: 'budget_exceeded', code: '429' } }, 429),
      /quota of this key is used up/,
    ],
    [
      'bad_request',
      "a 401 in LiteLLM's words, for a model that the key may not use",
      answerJson({ error: { message: 'Use x.', type: 'key_model_access_denied' } }, 401),
      /does not accept the request \(401\)\. It said: Use x\.$/,
    ],
    [
      'key_rejected',
      'a 403 that a proxy gives as a page',
      (_request, response) => {
        response.writeHead(403, { 'content-type': 'text/html' }).end('<h1>Blocked</h1>');
      },
      /^A web page answers at http:\S+\/v1 \(403\): a proxy or firewall blocks the way to openai/,
    ],
    [
      'key_rejected',
      "a 400 in Gemini's words",
      answerJson([openAiError('API key not valid. Please pass a valid API key.')], 400),
      /rejected \(400\).*OPENAI_API_KEY/,
    ],
    [
      'key_rejected',
      "a 400 in xAI's words",
      answerJson({ code: 'none', error: 'Incorrect API key provided: na***ys.' }, 400),
      /rejected \(400\)\. Check OPENAI_API_KEY\.$/,
    ],
    [
      'model_not_found',
      '404',
      answerJson(openAiError('no such model'), 404),
      /Model openai:gpt-test does not exist at http:\/\/127\.0\.0\.1:\d+\/v1.*spelling/,
    ],
    [
      'model_not_found',
      "a 400 in OpenRouter's words",
      answerJson({ error: { message: 'x/y is not a valid model ID', code: 400 } }, 400),
      /does not exist/,
    ],
    [
      'model_not_found',
      "a 404 in OpenRouter's words",
      answerJson(openAiError('No endpoints found for x/y.'), 404),
      /does not exist/,
    ],
    [
      'bad_request',
      'a model that OpenRouter has, and not for this account',
      answerJson(openAiError('No endpoints found matching your data policy (Free model).'), 404),
      /does not accept the request \(404\)\. It said: No endpoints found matching your data/,
    ],
    [
      'key_rejected',
      '403 for another reason',
      answerJson(openAiError('Country, region, or territory not supported'), 403),
      /rejected \(403\)\. Check OPENAI_API_KEY\. It said: Country, region/,
    ],
    [
      'wrong_address',
      'a path, behind a success of LM Studio',
      answerJson({ error: 'Unexpected endpoint or method. (POST /chat/completions)' }),
      /does not speak OpenAI's API/,
    ],
    [
      'wrong_address',
      'a method, as web servers do',
      answerJson('<html>Not Allowed</html>', 405),
      /does not speak OpenAI's API \(405\)/,
    ],
    [
      'bad_request',
      '400',
      answerJson(openAiError('max_tokens is too large'), 400),
      /does not accept the request \(400\).*max_tokens is too large/,
    ],
    [
      'rate_limited',
      '429',
      answerJson(openAiError('slow down'), 429),
      /more requests than it allows/,
    ],
    ['timed_out', '408', answerJson(openAiError('slow'), 408), /in time \(408\)/],
    ['server_error', '500', answerJson(openAiError('oops'), 500), /fault of its own \(500\).*oops/],
    ['server_error', '503 without JSON', answerJson('<html>', 503), /fault of its own \(503\)/],
    [
      'refused',
      'a content filter',
      answerJson(openAiError('filtered', 'content_filter'), 400),
      /refuses to answer this \(400\)/,
    ],
    [
      'refused',
      'a moderation in the manner of OpenRouter',
      answerJson({ error: { message: 'flagged', code: 403, metadata: { reasons: ['x'] } } }, 403),
      /refuses to answer this \(403\).*flagged/,
    ],
    [
      'bad_request',
      'a list of faults, as Gemini sends it',
      answerJson([openAiError('no such field')], 400),
      /does not accept the request \(400\)\. It said: no such field/,
    ],
    [
      'context_too_long',
      "a question that is too long, in Gemini's words",
      answerJson(
        openAiError('The input token count (1200000) exceeds the maximum number of tokens allowed'),
        400,
      ),
      /longer than openai:gpt-test can read/,
    ],
    [
      'context_too_long',
      "a question that is too long, in xAI's words",
      answerJson(openAiError("This model's maximum prompt length is 131072 tokens"), 400),
      /longer than openai:gpt-test can read/,
    ],
    [
      'context_too_long',
      "a 413 in Groq's words",
      answerJson(
        openAiError('Request too large: tokens per minute: Limit 6000', 'rate_limit_exceeded'),
        413,
      ),
      /longer than openai:gpt-test can read \(413\).*Limit 6000/,
    ],
    [
      'rate_limited',
      "a 429 in xAI's words",
      answerJson({ error: 'Too many tokens for team x. Tokens per Minute: 65605/16000.' }, 429),
      /more requests than it allows.*65605/,
    ],
  ])('is %s for %s', async (failure, _how, answer, message) => {
    for (const error of await bothFailuresOf(answer)) {
      expect(error).toMatchObject({ failure, model: 'openai:gpt-test' });
      expect(error.message).toMatch(message);
    }
  });

  it.each([
    ['milliseconds', { 'retry-after-ms': '1500', 'retry-after': '99' }, 1500],
    ['seconds', { 'retry-after': '7' }, 7000],
    ['nothing', {}, undefined],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
  ])('may ask to wait, in %s', async (_how, headers, retryAfterMs) => {
    for (const error of await bothFailuresOf(answerJson(openAiError('slow'), 429, headers))) {
      expect(error.retryAfterMs).toBe(retryAfterMs);
    }
  });

  it.each([
    ['Gemini', 'Quota exceeded.\nPlease retry in 45.5s.', 45_500],
    ['Groq', 'Please try again in 1m26.5s. Need more tokens?', 86_500],
    ['Groq for the day', 'Used 97050. Please try again in 1h3m18.5s. Need more?', 3_798_500],
    ['OpenAI', 'Limit 3, Used 3. Please try again in 120ms.', 120],
    ['no one', 'You may retry in the console, in 5s.', undefined],
  ])('may ask to wait in its message, as %s does', async (_who, message, retryAfterMs) => {
    for (const error of await bothFailuresOf(answerJson(openAiError(message), 429))) {
      expect(error.retryAfterMs).toBe(retryAfterMs);
    }
  });

  it('is not quoted with the key that it repeats, nor is the error that says so', async () => {
    const key = 'sk-secret-0123456789';
    for (const status of [400, 401, 429, 500]) {
      const echo = answerJson(
        openAiError(`Incorrect: ${key}, sk-sec***6789, Bearer ${key}`),
        status,
      );
      for (const error of await bothFailuresOf(echo)) {
        expect(`${error.message} ${JSON.stringify(error.cause)}`).not.toMatch(/secret|6789/);
        expect(error.cause).toBeUndefined();
      }
    }
  });

  it('is quoted without the request that its list of faults repeats', async () => {
    const fault = { type: 'missing', loc: ['body', 'model'], msg: 'Field required' };
    const input = { messages: 'My secret. What is the context length?' };
    const answer = answerJson({ detail: [{ ...fault, input }] }, 422);
    for (const { failure, message } of await bothFailuresOf(answer)) {
      expect(failure).toBe('bad_request');
      expect(message).toContain('It said: body.model: Field required');
      expect(message).not.toContain('secret');
    }
  });

  it.each([
    [
      'OpenRouter relays them',
      { message: 'Provider returned error', metadata: { raw: 'x/y is limited upstream.' } },
      'x/y is limited upstream.',
    ],
    [
      'OpenRouter relays them as JSON',
      { message: 'Provider returned error', metadata: { raw: '{"error":{"message":"no word"}}' } },
      'no word',
    ],
    [
      'Mistral lists its faults',
      { message: { detail: [{ loc: ['body', 'n'], msg: 'Extra', input: 'mine' }] } },
      'body.n: Extra',
    ],
    ['Cloudflare lists its errors', [{ code: 5006, message: 'Bad input' }], 'Bad input'],
  ])('is quoted where %s', async (_how, error, words) => {
    for (const { message } of await bothFailuresOf(answerJson({ error }, 400))) {
      expect(message).toBe(`openai:gpt-test does not accept the request (400). It said: ${words}`);
    }
  });

  it('is told as too long where OpenRouter relays that', async () => {
    const raw = JSON.stringify({ error: { message: 'prompt is too long: 9 tokens' } });
    const error = { message: 'Provider returned error', code: 400, metadata: { raw } };
    for (const { failure } of await bothFailuresOf(answerJson({ error }, 400))) {
      expect(failure).toBe('context_too_long');
    }
  });

  it('is quoted in one line of bounded length', async () => {
    const answer = answerJson(openAiError('too\n\nlong '.repeat(500)), 400);
    for (const { message } of await bothFailuresOf(answer)) {
      expect(message).not.toContain('\n');
      expect(message.length).toBeLessThan(500);
    }
  });

  it('may say so behind a success, too', async () => {
    const limited = { error: { message: 'slow down', code: 429 } };
    await using server = await startRawModelServer(
      answerJson(limited),
      answerStream(text('Yes, b'), { error: { message: 'slow down', code: '429' } }),
      answerStream(text('Yes, b'), { error: { message: 'oops' } }),
      answerStream(text('Yes, b'), { error: { message: 'oops', code: 1 } }),
    );
    const model = modelAt(server.baseUrl);
    expect(await failureOf(model.complete(question()))).toMatchObject({ failure: 'rate_limited' });
    expect(await failureOf(chunksOf(model.stream(question())))).toMatchObject({
      failure: 'rate_limited',
      partialText: 'Yes, b',
    });
    for (const _code of ['none', "the vendor's own"]) {
      expect(await failureOf(chunksOf(model.stream(question())))).toMatchObject({
        failure: 'broken_stream',
        partialText: 'Yes, b',
      });
    }
  });

  it('may say so beside a choice, as OpenRouter does', async () => {
    const error = { message: 'Upstream is full.', code: 429 };
    const choice = { message: { content: '' }, finish_reason: 'error', error };
    for (const failed of await bothFailuresOf(answerJson({ choices: [choice] }))) {
      expect(failed.failure).toBe('rate_limited');
      expect(failed.message).toContain('It said: Upstream is full.');
    }
  });

  it('wants a key where none is set', async () => {
    await using server = await startRawModelServer(answerJson(openAiError('no key'), 401));
    const model = createOpenAiModel({
      provider: 'vllm',
      model: 'qwen3',
      baseUrl: server.baseUrl,
      structuredOutput: 'prompt',
      streamUsage: true,
    });
    const error = await failureOf(model.complete(question()));
    expect(error.message).toBe('vllm wants a key and none is set (401). Set the key of vllm.');
  });

  it('names the command that installs a model at Ollama', async () => {
    await using server = await startRawModelServer(answerJson(openAiError('no such model'), 404));
    const model = modelAt(server.baseUrl, { provider: 'ollama', model: 'llama3.2:3b' });
    const error = await failureOf(model.complete(question()));
    expect(error.message).toContain('ollama pull llama3.2:3b');
  });
});

it.each([
  [{ 'retry-after': '120' }, 120_000],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '1.5' }, 1500],
  [{ 'retry-after': '-5' }, undefined],
  [{ 'retry-after': 'in 5' }, undefined],
  [{ 'retry-after': '' }, undefined],
  [{ 'retry-after-ms': '250' }, 250],
  [{ 'retry-after-ms': 'soon', 'retry-after': '2' }, 2000],
  [{}, undefined],
])('reads %o as %s milliseconds', (headers, expected) => {
  expect(readRetryAfter(new Headers(Object.entries(headers)))).toBe(expected);
});

it('reads nothing where there are no headers', () => {
  expect(readRetryAfter(undefined)).toBeUndefined();
});

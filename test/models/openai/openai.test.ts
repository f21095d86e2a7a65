import { describe, expect, it } from 'vitest';
import { createOpenAiModel } from '../../../src/models/openai/openai.ts';
import {
  answerJson,
  answerStream,
  answerWhole,
  delta,
  done,
  finish,
  startRawModelServer,
  text,
} from '../../fakes/raw-model-server.ts';
import { chunksOf, failureOf, modelAt, question } from '../ask.ts';

const schema = { name: 'answer', json: { type: 'object', properties: {}, required: [] } };

describe('a request to the server', () => {
  it('carries the messages and the schema, and no temperature', async () => {
    await using server = await startRawModelServer(answerWhole('{}'));
    await modelAt(server.baseUrl, { reasoningEffort: 'low' }).complete(
      question({ replySchema: schema, maxOutputTokens: 200 }),
    );
    expect(server.requests[0]?.path).toBe('/v1/chat/completions');
    expect(server.requests[0]?.body).toEqual({
      model: 'gpt-test',
      messages: question().messages,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', schema: schema.json, strict: true },
      },
      max_completion_tokens: 200,
      reasoning_effort: 'low',
    });
  });

  it('has no half signs, which a cut may leave, because servers refuse them', async () => {
    await using server = await startRawModelServer(answerWhole('{}'));
    const messages = [{ role: 'user', content: 'cut \ud83d' }] as const;
    await modelAt(server.baseUrl).complete(question({ messages }));
    expect(server.requests[0]?.body.messages).toEqual([{ role: 'user', content: 'cut \ufffd' }]);
  });

  it.each([
    ['json_object', { type: 'json_object' }],
    ['prompt', undefined],
  ] as const)('has the schema in the system message for %s', async (structuredOutput, format) => {
    await using server = await startRawModelServer(answerWhole('{}'));
    const messages = [
      { role: 'system', content: 'You are Seneca.' },
      { role: 'user', content: 'Why?' },
    ] as const;
    await modelAt(server.baseUrl, { structuredOutput }).complete(
      question({ messages, replySchema: schema }),
    );
    const body = server.requests[0]?.body;
    expect(body?.response_format).toEqual(format);
    expect(body?.messages).toEqual([
      {
        role: 'system',
        content: expect.stringMatching(/^You are Seneca\.\n\n.*JSON.*"type":"object"/s),
      },
      { role: 'user', content: 'Why?' },
    ]);
  });

  it('begins with the schema where there is no system message', async () => {
    await using server = await startRawModelServer(answerWhole('{}'));
    await modelAt(server.baseUrl, { structuredOutput: 'prompt' }).complete(
      question({ replySchema: schema }),
    );
    expect(server.requests[0]?.body.messages).toEqual([
      { role: 'system', content: expect.stringContaining('"type":"object"') },
      ...question().messages,
    ]);
  });

  it('asks for figures at the end of a stream only where the server allows it', async () => {
    await using server = await startRawModelServer(answerStream(text('Yes.'), finish(), done));
    await chunksOf(modelAt(server.baseUrl, { streamUsage: true }).stream(question()));
    await chunksOf(modelAt(server.baseUrl, { streamUsage: false }).stream(question()));
    expect(server.requests.map(({ body }) => body.stream_options)).toEqual([
      { include_usage: true },
      undefined,
    ]);
  });

  it('asks OpenRouter, and no one else, for the price', async () => {
    await using server = await startRawModelServer(answerWhole('Yes.'));
    await modelAt(server.baseUrl, { provider: 'openrouter', statesCost: true }).complete(
      question(),
    );
    await modelAt(server.baseUrl, { provider: 'ollama' }).complete(question());
    expect(server.requests.map(({ body }) => body.usage)).toEqual([{ include: true }, undefined]);
  });

  it('limits the output under the name that other servers know', async () => {
    await using server = await startRawModelServer(answerWhole('Yes.'));
    const model = modelAt(server.baseUrl, { provider: 'ollama', outputLimit: 'max_tokens' });
    await model.complete(question({ maxOutputTokens: 9 }));
    expect(server.requests[0]?.body).toMatchObject({ max_tokens: 9 });
  });

  it('fails where its limit is refused by either name, rather than go without one', async () => {
    const message = 'max_tokens and max_completion_tokens are unknown';
    await using server = await startRawModelServer(answerJson({ error: { message } }, 400));
    const call = modelAt(server.baseUrl).complete(question({ maxOutputTokens: 9 }));
    expect((await failureOf(call)).failure).toBe('bad_request');
  });

  it.each(['json_validate_failed', 'tool_use_failed'])(
    'is sent without its format this once where Groq refuses the reply that it made: %s',
    async (code) => {
      const broken = {
        message: 'Failed to generate JSON. See “failed_generation”.',
        type: 'invalid_request_error',
        code,
        failed_generation: 'About max_completion_tokens: {"a":',
      };
      await using server = await startRawModelServer(
        answerJson({ error: broken }, 400),
        answerJson({ error: broken }, 400),
        answerWhole('{}'),
      );
      const model = modelAt(server.baseUrl);
      for (let call = 0; call < 2; call += 1) {
        await model.complete(question({ replySchema: schema, maxOutputTokens: 9 }));
      }
      const sent = server.requests.map(({ body }) => JSON.stringify(body));
      const formats = sent.map((body) => /"type":"(json_\w+)"/.exec(body)?.[1]);
      expect(formats).toEqual(['json_schema', 'json_object', undefined, 'json_schema']);
      expect(sent.every((body) => body.includes('"max_completion_tokens":9'))).toBe(true);
    },
  );

  it('has no key where none is set, whatever the environment holds', async () => {
    await using server = await startRawModelServer(answerWhole('Yes.'));
    const model = createOpenAiModel({
      provider: 'ollama',
      model: 'llama3.2:3b',
      baseUrl: server.baseUrl,
      structuredOutput: 'prompt',
      streamUsage: true,
    });
    await model.complete(question());
    expect(model.id).toBe('ollama:llama3.2:3b');
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  it('says that a council asks, so that no council answers itself', async () => {
    await using server = await startRawModelServer(answerWhole('Yes.'));
    const model = createOpenAiModel({
      provider: 'council',
      model: 'council',
      baseUrl: server.baseUrl,
      apiKey: 'k',
      ...({ structuredOutput: 'prompt', streamUsage: true } as const),
    });
    await model.complete(question());
    expect(server.requests[0]?.headers['x-council-depth']).toBe('1');
  });

  it('is refused beforehand for a key that cannot be sent', () => {
    expect(() => modelAt('http://127.0.0.1:1/v1', { apiKey: 'sk-1234\n5678' })).toThrow(
      /^OPENAI_API_KEY (?!.*1234)/,
    );
  });
});

describe('a whole reply', () => {
  it('is the text with the figures that the server states', async () => {
    const usage = {
      prompt_tokens: 12,
      completion_tokens: 30,
      total_tokens: 42,
      completion_tokens_details: { reasoning_tokens: 20 },
      cost: 0.0125,
    };
    await using server = await startRawModelServer(answerWhole('Yes.', { beside: { usage } }));
    expect(await modelAt(server.baseUrl).complete(question())).toEqual({
      text: 'Yes.',
      reasoning: '',
      finishReason: 'stop',
      usage: { inputTokens: 12, outputTokens: 30, reasoningTokens: 20, costUsd: 0.0125 },
    });
  });

  it.each([
    [
      'OpenRouter’s fee and what the provider charges',
      0.01,
      { upstream_inference_cost: 0.25 },
      0.26,
    ],
    ['no cost where the provider’s is missing', 0, null, undefined],
  ])(
    'states for a call with one’s own key of a provider: %s',
    async (_, cost, details, costUsd) => {
      const tokens = { prompt_tokens: 12, completion_tokens: 30 };
      const usage = { ...tokens, cost, is_byok: true, cost_details: details };
      await using server = await startRawModelServer(answerWhole('Yes.', { beside: { usage } }));
      const reply = await modelAt(server.baseUrl).complete(question());
      expect(reply.usage?.costUsd).toBe(costUsd);
    },
  );

  it('states for any other call what OpenRouter charges', async () => {
    const usage = {
      prompt_tokens: 12,
      completion_tokens: 30,
      cost: 0.25,
      is_byok: false,
      cost_details: { upstream_inference_cost: 0.25 },
    };
    await using server = await startRawModelServer(answerWhole('Yes.', { beside: { usage } }));
    const reply = await modelAt(server.baseUrl).complete(question());
    expect(reply.usage?.costUsd).toBe(0.25);
  });

  it('counts reasoning as output where the server leaves it out', async () => {
    const usage = {
      prompt_tokens: 12,
      completion_tokens: 10,
      total_tokens: 42,
      completion_tokens_details: { reasoning_tokens: 20 },
    };
    await using server = await startRawModelServer(answerWhole('Yes.', { beside: { usage } }));
    const reply = await modelAt(server.baseUrl).complete(question());
    expect(reply.usage).toMatchObject({ outputTokens: 30, reasoningTokens: 20 });
  });

  it.each([
    ['a cache', { prompt_tokens_details: { cached_tokens: 1024 } }, 1024],
    ['no cache', { prompt_tokens_details: null }, undefined],
    ['less than nothing', { prompt_tokens_details: { cached_tokens: -1 } }, undefined],
  ])('states how much of the input came from %s', async (_what, said, cachedTokens) => {
    const usage = { prompt_tokens: 2000, completion_tokens: 10, ...said };
    await using server = await startRawModelServer(answerWhole('Yes.', { beside: { usage } }));
    const reply = await modelAt(server.baseUrl).complete(question());
    expect(reply.usage?.inputTokens).toBe(2000);
    expect(reply.usage?.cachedTokens).toBe(cachedTokens);
  });

  it.each([
    ['absent', {}],
    ['null', { usage: null }],
    ['unreadable', { usage: { prompt_tokens: 'many' } }],
    ['no whole numbers', { usage: { prompt_tokens: 12.5, completion_tokens: 3 } }],
    ['beyond counting', { usage: { prompt_tokens: 12, completion_tokens: 1e18 } }],
  ])('has no figures where they are %s', async (_how, beside) => {
    await using server = await startRawModelServer(answerWhole('Yes.', { beside }));
    const reply = await modelAt(server.baseUrl).complete(question());
    expect(reply).toEqual({ text: 'Yes.', reasoning: '', finishReason: 'stop' });
  });

  it.each([
    ['a limit', 'length'],
    ['the end of the context, by GLM', 'model_context_window_exceeded'],
  ])('says that it was cut at %s', async (_where, finishReason) => {
    await using server = await startRawModelServer(answerWhole('Yes, b', { finishReason }));
    const reply = await modelAt(server.baseUrl).complete(question());
    expect(reply).toMatchObject({ text: 'Yes, b', finishReason: 'length' });
  });

  it.each([
    ['reasoning', { reasoning: 'Hm.' }],
    ['reasoning_content', { reasoning_content: 'Hm.' }],
    ['reasoning_details', { reasoning_details: [{ text: 'H' }, { summary: 'm.' }, { data: 'x' }] }],
    ['both at once', { reasoning: 'Hm.', reasoning_content: 'Hm.' }],
  ])('keeps the reasoning apart that comes as %s', async (_how, more) => {
    await using server = await startRawModelServer(answerWhole('Yes.', { more }));
    const reply = await modelAt(server.baseUrl).complete(question());
    expect(reply).toMatchObject({ text: 'Yes.', reasoning: 'Hm.' });
  });

  it('keeps the reasoning apart that comes as parts of the content, as from Mistral', async () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] };
    const content = [thinking, { type: 'text', text: 'Yes.' }];
    await using server = await startRawModelServer(
      answerWhole(null, { more: { content } }),
      answerStream(delta({ content: [thinking] }), text('Yes.'), finish(), done),
      answerWhole(null, { more: { content: [thinking] } }),
    );
    const model = modelAt(server.baseUrl);
    const apart = { text: 'Yes.', reasoning: 'Hm.' };
    expect(await model.complete(question())).toMatchObject(apart);
    const chunks = await chunksOf(model.stream(question()));
    expect(chunks.at(-1)).toMatchObject({ reply: apart });
    expect(await failureOf(model.complete(question()))).toMatchObject({ failure: 'output_limit' });
  });

  it('keeps the reasoning apart that comes in the text', async () => {
    await using server = await startRawModelServer(answerWhole('<think>Hm.</think>\n\nYes.'));
    const reply = await modelAt(server.baseUrl).complete(question());
    expect(reply).toMatchObject({ text: 'Yes.', reasoning: 'Hm.' });
  });

  it('keeps the reasoning apart whose beginning stands in the prompt', async () => {
    await using server = await startRawModelServer(
      answerWhole('Hm.\n</think>\n\nYes.'),
      answerStream(text('Hm.\n</thi'), text('nk>\n\nYes.'), finish(), done),
      answerWhole('Write <think> and </think>.'),
    );
    const model = modelAt(server.baseUrl);
    const apart = { text: 'Yes.', reasoning: 'Hm.\n' };
    expect(await model.complete(question())).toMatchObject(apart);
    const chunks = await chunksOf(model.stream(question()));
    expect(chunks.at(-1)).toMatchObject({ reply: apart });
    const reply = await model.complete(question());
    expect(reply).toMatchObject({ text: 'Write <think> and </think>.', reasoning: '' });
  });

  it('is the JSON that LM Studio and vLLM leave among the reasoning', async () => {
    const json = '{"answer":"Yes."}\n';
    const cut = { reasoning_content: '{"answer":"Ye' };
    await using server = await startRawModelServer(
      answerWhole(null, { more: { reasoning_content: json } }),
      answerStream(delta({ reasoning_content: json }), finish(), done),
      answerWhole('Yes.', { more: { reasoning_content: json } }),
      answerWhole('', { more: cut, finishReason: 'length' }),
    );
    const model = modelAt(server.baseUrl);
    expect(await model.complete(question())).toMatchObject({ text: json, reasoning: '' });
    const chunks = await chunksOf(model.stream(question()));
    expect(chunks.at(-1)).toMatchObject({ reply: { text: json, reasoning: '' } });
    expect(await model.complete(question())).toMatchObject({ text: 'Yes.', reasoning: json });
    expect(await failureOf(model.complete(question()))).toMatchObject({ failure: 'output_limit' });
  });

  it('is the JSON at the end of the thoughts of a model that closes none', async () => {
    const said = { reasoning: 'Hm, {"a": 1}?\n```json\n{"answer":\n "Yes."}\n```\n' };
    await using server = await startRawModelServer(answerWhole('', { more: said }));
    expect(await modelAt(server.baseUrl).complete(question())).toMatchObject({
      text: expect.stringContaining('{"answer":\n "Yes."}'),
      reasoning: 'Hm, {"a": 1}?\n```json',
    });
  });

  it('is what a model hands to a tool that no one offered', async () => {
    const call = (args: string, index = 0) => ({ index, function: { name: 'x', arguments: args } });
    const whole = [{ function: { name: 'json', arguments: '{"answer":"Yes."}' } }];
    await using server = await startRawModelServer(
      answerWhole(null, { more: { tool_calls: whole }, finishReason: 'tool_calls' }),
      answerStream(
        delta({ reasoning: 'Hm.', tool_calls: [call('{"answer":')] }),
        delta({ tool_calls: [call('"Yes."}')] }),
        delta({ tool_calls: [call('{}', 1)] }),
        finish('tool_calls'),
        done,
      ),
    );
    const model = modelAt(server.baseUrl);
    expect(await model.complete(question())).toMatchObject({ text: '{"answer":"Yes."}' });
    const chunks = await chunksOf(model.stream(question()));
    const reply = { text: '{"answer":"Yes."}', reasoning: 'Hm.' };
    expect(chunks.at(-1)).toMatchObject({ reply });
  });

  it('is put together from parts where the vendor sends parts', async () => {
    const content = [{ type: 'text', text: 'Y' }, { type: 'image' }, { type: 'text', text: 'es.' }];
    await using server = await startRawModelServer(answerWhole(null, { more: { content } }));
    expect(await modelAt(server.baseUrl).complete(question())).toMatchObject({ text: 'Yes.' });
  });

  it.each([
    ['Ollama by half of its window', 13_000, 2050, true],
    ['Ollama by a fifth, to its window', 21_000, 4096, true],
    ['no one', 10_000, 2050, false],
    ['no one, in words that are long', 11_000, 2051, false],
    ['a server that counts only what it had not cached', 13_000, 40, false],
  ])(
    'says how much of the prompt was read where it was cut by %s',
    async (_, chars, read, isCut) => {
      const beside = { usage: { prompt_tokens: read, completion_tokens: 9 } };
      await using server = await startRawModelServer(answerWhole('Yes.', { beside }));
      const messages = [{ role: 'user', content: 'Why? '.repeat(chars / 5) }] as const;
      const { remarks = [] } = await modelAt(server.baseUrl).complete(question({ messages }));
      const remark = `got only ${read} tokens of a longer prompt: raise the context length of its server`;
      expect(remarks).toEqual(isCut ? [remark] : []);
    },
  );
});

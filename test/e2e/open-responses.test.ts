/**
 * The cases of the Open Responses compliance suite, by its names, with the schemas of its specification as far as a
 * council tells anything of them. Not among them: `tool-calling` and `tool-calling-streaming` (a council calls no tools of a
 * program), `websocket-*` (it is asked over HTTP) and `compaction-*` (it hands out no sealed state).
 *
 * @see https://www.openresponses.org/compliance
 */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openWebCouncil } from './open-web.ts';
import { startRehearsedModels } from './rehearsed-models.ts';

const textPart = z.strictObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.never()),
  logprobs: z.array(z.never()),
});
const summaryPart = z.strictObject({ type: z.literal('summary_text'), text: z.string() });
const item = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message'),
    id: z.string().min(1),
    status: z.enum(['in_progress', 'completed', 'incomplete']),
    role: z.literal('assistant'),
    content: z.array(textPart),
  }),
  z.strictObject({
    type: z.literal('reasoning'),
    id: z.string().min(1),
    summary: z.array(summaryPart),
  }),
]);
const usage = z.looseObject({
  input_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: z.int(),
  input_tokens_details: z.looseObject({ cached_tokens: z.int() }),
  output_tokens_details: z.looseObject({ reasoning_tokens: z.int() }),
});
/** Every field that the specification requires. */
const response = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: z.string(),
  model: z.string(),
  incomplete_details: z.null(),
  previous_response_id: z.string().nullable(),
  instructions: z.string().nullable(),
  output: z.array(item),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  tools: z.array(z.never()),
  tool_choice: z.literal('none'),
  truncation: z.enum(['auto', 'disabled']),
  parallel_tool_calls: z.boolean(),
  text: z.looseObject({ format: z.looseObject({ type: z.literal('text') }) }),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: z.int(),
  temperature: z.number(),
  reasoning: z.looseObject({}).nullable(),
  usage: usage.nullable(),
  max_output_tokens: z.int().nullable(),
  max_tool_calls: z.int().nullable(),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: z.string(),
  metadata: z.unknown(),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
});
const inItem = { item_id: z.string(), output_index: z.int() };
const inSummary = { ...inItem, summary_index: z.int() };
const inContent = { ...inItem, content_index: z.int() };
const events: Readonly<Record<string, z.ZodRawShape>> = {
  'response.created': { response },
  'response.in_progress': { response },
  'response.completed': { response },
  'response.failed': { response },
  'response.output_item.added': { output_index: z.int(), item },
  'response.output_item.done': { output_index: z.int(), item },
  'response.reasoning_summary_part.added': { ...inSummary, part: summaryPart },
  'response.reasoning_summary_part.done': { ...inSummary, part: summaryPart },
  'response.reasoning_summary_text.delta': { ...inSummary, delta: z.string() },
  'response.reasoning_summary_text.done': { ...inSummary, text: z.string() },
  'response.content_part.added': { ...inContent, part: textPart },
  'response.content_part.done': { ...inContent, part: textPart },
  'response.output_text.delta': { ...inContent, delta: z.string(), logprobs: z.array(z.never()) },
  'response.output_text.done': { ...inContent, text: z.string(), logprobs: z.array(z.never()) },
};

/** A red heart. */
const heart =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function message(role: string, content: unknown) {
  return { type: 'message', role, content };
}

const cases = {
  'basic-response': [message('user', 'Say hello in exactly 3 words.')],
  'system-prompt': [
    message('system', 'You are a pirate. Always respond in pirate speak.'),
    message('user', 'Say hello.'),
  ],
  'image-input': [
    message('user', [
      { type: 'input_text', text: 'What do you see in this image? Answer in one sentence.' },
      { type: 'input_image', image_url: heart },
    ]),
  ],
  'multi-turn': [
    message('user', 'My name is Alice.'),
    message('assistant', 'Hello Alice! Nice to meet you. How can I help you today?'),
    message('user', 'What is my name?'),
  ],
  'a reasoning item that is sent back': [
    message('user', 'My name is Alice.'),
    { type: 'reasoning', id: 'rs_1', summary: [] },
    message('assistant', [{ type: 'output_text', text: 'Hello Alice!', annotations: [] }]),
    message('user', 'What is my name?'),
  ],
};

async function post(body: object): Promise<Response> {
  const models = await startRehearsedModels();
  const { origin } = await openWebCouncil(models.settings);
  return fetch(`${origin}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
    body: JSON.stringify({ model: 'council-quick', ...body }),
  });
}

describe('Open Responses', () => {
  test.each(Object.entries(cases))('%s', async (_, input) => {
    const reply = await post({ input });
    expect(reply.status).toBe(200);
    const read = response.parse(await reply.json());
    expect(read.status).toBe('completed');
    expect(read.output.at(-1)).toMatchObject({ type: 'message', status: 'completed' });
  });

  test('streaming-response', async () => {
    const reply = await post({ input: [message('user', 'Count from 1 to 5.')], stream: true });
    const frames = (await reply.text()).trimEnd().split('\n\n');
    const read = frames.map((frame) => {
      const [name = '', data = ''] = frame.split('\n');
      const event = z.looseObject({ type: z.string(), sequence_number: z.int() });
      const parsed = event.parse(JSON.parse(data.replace(/^data: /, '')));
      expect(name).toBe(`event: ${parsed.type}`);
      const shape = events[parsed.type];
      if (!shape) throw new Error(`${parsed.type} is not in the specification.`);
      z.looseObject(shape).parse(parsed);
      return parsed;
    });
    expect(read.at(-1)).toMatchObject({
      type: 'response.completed',
      response: { status: 'completed' },
    });
  });
});

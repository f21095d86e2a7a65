/** What servers behind the OpenAI API do, each as a stand-in for a server that does it. */

import type { ServerResponse } from 'node:http';
import {
  answerJson,
  answerStream,
  answerWhole,
  delta,
  done,
  finish,
  type RawAnswer,
  type RawRequest,
  sse,
  text,
} from '../fakes/raw-model-server.ts';

/** An answer that every part of a council can use. */
export const useful = JSON.stringify({
  summary: 'In short: yes.',
  answer: 'Yes, in parts.',
  verdict: 'Do it in parts.',
  consensus: [],
  disagreements: [],
  minority_report: '',
  confidence: 'high',
});

/** Says a text in one of the two ways that it may be asked in. */
export function says(content: string, reason = 'stop'): RawAnswer {
  return (request, response) =>
    request.body.stream === true
      ? answerStream(text(content), finish(reason), done)(request, response)
      : answerWhole(content, { finishReason: reason })(request, response);
}

/** Sends what it is given as one message, whole or in a stream. */
export function sends(message: object, reason = 'stop', beside: object = {}): RawAnswer {
  return (request, response) => {
    const whole = { choices: [{ index: 0, message, finish_reason: reason }], ...beside };
    return request.body.stream === true
      ? answerStream({ ...delta(message), ...beside }, finish(reason), done)(request, response)
      : answerJson(whole)(request, response);
  };
}

/** Refuses requests in which something is found, and answers the others. */
function refuses(found: (body: RawRequest['body']) => boolean, said: object, status = 400) {
  return (request: RawRequest, response: ServerResponse) =>
    (found(request.body) ? answerJson(said, status) : says(useful))(request, response);
}

const hasFormat = (type: string) => (body: RawRequest['body']) =>
  JSON.stringify(body.response_format ?? '').includes(`"type":"${type}"`);
const error = (message: string, more: object = {}) => ({ error: { message, ...more } });

/** Says one thing the first time and another from then on. */
function first(before: RawAnswer, after: RawAnswer): RawAnswer {
  let count = 0;
  return (request, response) => {
    count += 1;
    return (count === 1 ? before : after)(request, response);
  };
}

/** Streams what it has in the form that is given, whatever it was asked for. */
function streams(...events: readonly unknown[]): RawAnswer {
  return (request, response) =>
    request.body.stream === true
      ? answerStream(...events)(request, response)
      : says(useful)(request, response);
}

export interface Row {
  readonly answer: RawAnswer;
  /** What both must say. */
  readonly says: RegExp;
  readonly more?: string;
  /** Further settings of the provider. */
  readonly provider?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Each server fails a question, and doctor says so in the same words. */
export const failing: Readonly<Record<string, Row>> = {
  'a rejected key': {
    answer: answerJson(error('wrong key'), 401),
    says: /key for raw was rejected \(401\)\. Check RAW_KEY/,
  },
  'a key that is not set': {
    answer: answerJson(error('no key'), 401),
    says: /raw wants a key and none is set \(401\)\. Set RAW_KEY/,
    environment: {},
  },
  'a 402': { answer: answerJson(error('pay first'), 402), says: /Top it up at raw/ },
  'a quota that is used up': {
    answer: answerJson(error('quota', { code: 'insufficient_quota' }), 429),
    says: /wants to be paid.*Top it up at raw/,
  },
  'a model that does not exist': {
    answer: answerJson(error('The model `big-model` does not exist'), 404),
    says: /Model raw:big-model does not exist at http:\/\/127\.0\.0\.1:\d+\/v1/,
  },
  'nothing at the address': {
    answer: answerJson('404 page not found', 404, { 'content-type': 'text/plain' }),
    says: /What answers at http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions does not speak OpenAI's API \(404\)/,
  },
  'a web page for an answer': {
    answer: answerJson('<html>Welcome</html>', 200, { 'content-type': 'text/html' }),
    says: /What answers at .* does not speak OpenAI's API\. Correct models\.providers\.raw\.baseUrl.*\/v1/,
  },
  'a web page under another content type': {
    answer: answerJson('<html>Welcome</html>', 200, { 'content-type': 'text/plain' }),
    says: /does not speak OpenAI's API\. Correct models\.providers\.raw\.baseUrl/,
  },
  'an error under another content type': {
    answer: answerJson(error('wrong key', { code: 401 }), 200, {
      'content-type': 'text/event-stream',
    }),
    says: /key for raw was rejected \(401\)\. Check RAW_KEY/,
  },
  'a wait of ten minutes': {
    answer: answerJson(error('slow down'), 429, { 'retry-after': '600' }),
    says: /more requests than it allows.*slow down/,
  },
  'a context that is too long': {
    answer: answerJson(error("This model's maximum context length is 8192 tokens."), 400),
    says: /longer than raw:big-model can read.*raise the context length if.*8192/,
  },
  'a content filter': {
    answer: answerJson(error('filtered', { code: 'content_filter' }), 400),
    says: /refuses to answer this/,
  },
  'a filter in the reply': {
    answer: says('Yes', 'content_filter'),
    says: /stopped by its provider's content filter/,
  },
  'a refusal': {
    answer: sends({ content: null, refusal: 'I must not.' }),
    says: /refuses to answer this\..*I must not\./,
  },
  'an output limit that is reached by thinking alone': {
    answer: answerJson(
      error('Could not finish the message because max_tokens or model output limit was reached.'),
      400,
    ),
    says: /Raise limits\.maxOutputTokens/,
    more: '\nlimits: { maxOutputTokens: 20 }',
  },
  'reasoning and no answer': {
    answer: sends({ content: '', reasoning_content: 'Let me see.' }),
    says: /Raise limits\.maxOutputTokens/,
  },
  'a thought that is never closed': {
    answer: says('<think>Let me see.', 'length'),
    says: /Raise limits\.maxOutputTokens/,
  },
  'a call of a tool': {
    answer: sends({ content: null, tool_calls: [{ id: 'a' }] }, 'tool_calls'),
    says: /called a tool instead of answering/,
  },
  'a stream that is cut off': {
    answer: streams(text('{"answer":"Ye')),
    says: /broke off its answer/,
  },
  'an error in the middle of a stream': {
    answer: streams(text('{"answer":"Ye'), error('out of memory')),
    says: /broke off its answer.*out of memory/,
  },
  'a stream of comments': {
    answer: streams(': hello\n\n', ': hello again\n\n'),
    says: /broke off its answer/,
  },
  'a redirect to another host': {
    answer: answerJson('', 302, { location: 'http://elsewhere.example/v1/chat?x=secret' }),
    says: /redirects to http:\/\/elsewhere\.example\/v1\/chat\. (?!.*secret)/,
  },
  'a header of 300 kB': {
    answer: answerJson(useful, 200, { 'x-large': 'x'.repeat(300_000) }),
    says: /can't be reached \(UND_ERR_HEADERS_OVERFLOW\)/,
  },
  'an answer of 20 MB': {
    answer: says('x'.repeat(20_000_000)),
    says: /more than an answer may hold/,
  },
};

/** Each server fails the first call in a way that may pass. */
export const passing: Readonly<Record<string, () => RawAnswer>> = {
  'a wait of a second': () => first(answerJson({}, 429, { 'retry-after': '1' }), says(useful)),
  'a 500': () => first(answerJson(error('oops'), 500), says(useful)),
  'a 503 as a web page': () => first(answerJson('<html>down</html>', 503), says(useful)),
  'a 529': () => first(answerJson(error('overloaded'), 529), says(useful)),
  'an empty answer': () => first(says(''), says(useful)),
  'an answer of null': () => first(sends({ content: null }), says(useful)),
};

/** Each server answers, in its own manner, which no one needs to be told. */
export const answering: Readonly<Record<string, RawAnswer>> = {
  'JSON in a fence': says(`\`\`\`json\n${useful}\n\`\`\``),
  'JSON between sentences': says(`Here it is: ${useful} Anything else?`),
  'null for what is absent, and keys nobody asked for': says(
    JSON.stringify({ ...JSON.parse(useful), focus: null, mood: 'good' }),
  ),
  'a thought before the answer': says(`<think>Hm. {"answer": 1}</think>\n${useful}`),
  'reasoning beside the answer': sends({ content: useful, reasoning_content: 'Hm.' }),
  'reasoning under another name': sends({ content: useful, reasoning: 'Hm.' }),
  'a stream without its last line': streams(text(useful), finish()),
  'a stream with carriage returns': streams(
    sse(text(useful)).replaceAll('\n', '\r\n'),
    sse(finish()).replaceAll('\n', '\r\n'),
  ),
  'a whole reply to a request for a stream': (_request, response) =>
    answerWhole(useful)(_request, response),
  'a stream for every reply': answerStream(text(useful), finish(), done),
  'one byte at a time': async (request, response) => {
    if (request.body.stream !== true) return says(useful)(request, response);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const byte of Buffer.from(sse(text(useful)) + sse(finish()) + done)) {
      await new Promise((resolve) => response.write(Buffer.of(byte), resolve));
    }
    response.end();
  },
};

const effort = '  reasoningEffort: low';
const limit = '\nlimits: { maxOutputTokens: 500 }';
const isWhole = (body: RawRequest['body']) => body.stream !== true;
const hasSystem = ({ messages }: RawRequest['body']) =>
  JSON.stringify(messages).includes('"role":"system"');
const hasField = (name: string) => (body: RawRequest['body']) => body[name] !== undefined;

/** Each server refuses a part of the request, which is left out from then on. */
export const refusing: Readonly<
  Record<string, { found: (body: RawRequest['body']) => boolean; row: Row }>
> = {
  'a schema, in the words of DeepSeek': {
    found: hasFormat('json_schema'),
    row: {
      answer: refuses(
        hasFormat('json_schema'),
        error('This response_format type is unavailable now', { type: 'invalid_request_error' }),
      ),
      says: /speaks JSON without schema/,
    },
  },
  'any format of the reply, as a list of mistakes': {
    found: hasField('response_format'),
    row: {
      answer: refuses(
        hasField('response_format'),
        { detail: [{ loc: ['body', 'response_format'], msg: 'Extra inputs are not permitted' }] },
        422,
      ),
      says: /is asked for JSON in words alone/,
    },
  },
  'JSON, in the words of Gemini for Gemma': {
    found: hasField('response_format'),
    row: {
      answer: refuses(hasField('response_format'), [
        error('JSON mode is not enabled for models/gemma-3-27b-it'),
      ]),
      says: /is asked for JSON in words alone/,
    },
  },
  ...Object.fromEntries(
    [
      'Developer instruction is not enabled for models/gemma-3-27b-it',
      'System role not supported',
      'Conversation roles must alternate user/assistant/user/assistant/...',
      "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
    ].map((words) => [
      `a system message, as “${words}”`,
      {
        found: hasSystem,
        row: { answer: refuses(hasSystem, error(words)), says: /takes no system message/ },
      },
    ]),
  ),
  'a schema that it fails to compile': {
    found: hasFormat('json_schema'),
    row: {
      answer: refuses(hasFormat('json_schema'), error('failed to parse grammar'), 500),
      says: /speaks JSON without schema/,
    },
  },
  streaming: {
    found: hasField('stream'),
    row: {
      answer: refuses(
        hasField('stream'),
        error('Your organization must be verified to stream this model.', {
          type: 'invalid_request_error',
          param: 'stream',
          code: 'unsupported_value',
        }),
      ),
      says: /does not stream/,
    },
  },
  'a reply that is not streamed, in the words of Alibaba': {
    found: isWhole,
    row: {
      answer: refuses(
        isWhole,
        error('This model only support stream mode, please enable the stream parameter.'),
      ),
      says: /only streams/,
    },
  },
  'a thought that is not streamed, in the words of Alibaba': {
    found: isWhole,
    row: {
      answer: refuses(
        isWhole,
        error('parameter.enable_thinking must be set to false for non-streaming calls'),
      ),
      says: /only streams/,
    },
  },
  stream_options: {
    found: hasField('stream_options'),
    row: {
      answer: refuses(hasField('stream_options'), {
        message: 'Unknown parameter: stream_options',
      }),
      says: /counts no tokens in streams/,
    },
  },
  max_tokens: {
    found: hasField('max_tokens'),
    row: {
      answer: refuses(
        hasField('max_tokens'),
        error("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
      ),
      says: /takes its output limit as max_completion_tokens/,
      more: limit,
    },
  },
  max_completion_tokens: {
    found: hasField('max_completion_tokens'),
    row: {
      answer: refuses(
        hasField('max_completion_tokens'),
        {
          object: 'error',
          message: {
            detail: [
              { loc: ['body', 'max_completion_tokens'], msg: 'Extra inputs are not permitted' },
            ],
          },
        },
        422,
      ),
      says: /takes its output limit as max_tokens/,
      more: limit,
      provider: ', outputLimit: max_completion_tokens',
    },
  },
  reasoning_effort: {
    found: hasField('reasoning_effort'),
    row: {
      answer: refuses(
        hasField('reasoning_effort'),
        error('Unrecognized request argument supplied: reasoning_effort'),
      ),
      says: /takes no reasoning effort/,
      more: effort,
    },
  },
  'an effort, in the words of Ollama': {
    found: hasField('reasoning_effort'),
    row: {
      answer: refuses(
        hasField('reasoning_effort'),
        error('"llama3.1:8b" does not support thinking', { type: 'invalid_request_error' }),
      ),
      says: /takes no reasoning effort/,
      more: effort,
    },
  },
  'several parts, one after the other': {
    found: (body) => body.stream_options !== undefined || body.response_format !== undefined,
    row: {
      answer: (request, response) =>
        (request.body.stream_options
          ? answerJson(error('stream_options is not supported'), 400)
          : refuses(hasField('response_format'), error('response_format is not supported')))(
          request,
          response,
        ),
      says: /counts no tokens.*words alone|words alone.*counts no tokens/,
    },
  },
};

/** Requests that no well-behaved program sends to the endpoints of a council, made from those that one sends. */

import { seededRandom } from '../../../council/simulated-elections.ts';

export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

const chat = {
  model: 'council',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Should we?' }], name: 'Uma' },
    { role: 'assistant', content: 'No.', tool_calls: [{ id: 'c', type: 'function' }] },
    {
      role: 'user',
      content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
    },
  ],
  stream: true,
  stream_options: { include_usage: true },
  n: 1,
};
const responses = {
  model: 'council-deep',
  instructions: 'Be brief.',
  input: [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Should we?' }] },
    { type: 'function_call_output', call_id: 'c', output: 'no' },
    { type: 'message', role: 'user', content: [{ type: 'input_file', file_data: 'data:,x' }] },
  ],
  previous_response_id: 'resp_1',
  stream: false,
};

const junk: readonly unknown[] = [
  ...[null, true, -1, 1e308, 0.5, '', ' ', '\0', '\ud800', 'x'.repeat(20_000), '<'.repeat(9000)],
  ...['data:', 'data:,%', 'data:image/png;base64', `data:${';'.repeat(5000)},`, 'javascript:1'],
  ...['../../etc/passwd', 'resp_', 'resp_../x', 'sage/', 'council/__proto__', 'council-\n'],
  ...['### Task:\nGenerate a', `${'### Task:\n'.repeat(900)}<chat_history>`, [], {}, [[[[]]]]],
  ...[{ toString: 1 }, { length: -1 }, { valueOf: 1 }, Array.from({ length: 3000 }, () => null)],
  JSON.parse('{"__proto__": {"isStreamed": true}, "constructor": {"prototype": 1}}'),
];
const paths = [
  ...['/v1/models/%00', '/v1/models/..%2f..%2fetc', '/v1//chat/completions', '/v1/models/%e0%a4%a'],
  ...['/v1/chat/completions?x=%', '/v1/responses/../../', `/v1/models/${'a/'.repeat(2000)}`, '/v1'],
];
const headers = {
  'x-session-id': ['', 'é'.repeat(500), '../..', '%00', '__proto__'],
  'idempotency-key': ['', 'x'.repeat(5000)],
  'content-type': ['', 'text/plain', 'application/json; charset=utf-7', 'multipart/form-data'],
  'content-encoding': ['gzip', 'br, gzip'],
  authorization: ['Bearer', 'Basic Og==', 'Bearer x'],
  accept: ['*', 'text/event-stream;q=x'],
  'last-event-id': ['-1'],
} as const;

/** The same ones each time for a seed. */
export function* hostilePrograms(count: number, seed = 1): Generator<HostileRequest> {
  const random = seededRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => {
    return items[Math.floor(random() * items.length)] as Item;
  };
  for (let at = 0; at < count; at += 1) {
    const isChat = random() < 0.5;
    const spoilt = spoil(isChat ? chat : responses, () => pick(junk), random);
    const names = Object.keys(headers) as (keyof typeof headers)[];
    const name = pick(names);
    yield {
      method: random() < 0.95 ? 'POST' : pick(['GET', 'PUT', 'DELETE', 'HEAD', 'PATCH']),
      path: random() < 0.9 ? (isChat ? '/v1/chat/completions' : '/v1/responses') : pick(paths),
      headers:
        random() < 0.3
          ? { [name]: Buffer.from(pick<string>(headers[name])).toString('latin1') }
          : {},
      body: bodyOf(spoilt, random()),
    };
  }
}

function bodyOf(value: unknown, chance: number): string | Buffer {
  const text = JSON.stringify(value) ?? '';
  if (chance < 0.05) return text.slice(0, Math.floor(text.length * chance * 20));
  if (chance < 0.07) return `${'['.repeat(50_000)}`;
  if (chance < 0.09) return Buffer.from(text, 'utf16le');
  if (chance < 0.1) return `{"messages":${'[{"role":"user","content":'.repeat(2000)}`;
  return text;
}

/** With some of its parts replaced, or left out. */
function spoil(value: unknown, other: () => unknown, random: () => number): unknown {
  if (random() < 0.07) return other();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => spoil(one, other, random));
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) =>
      random() < 0.03 ? [] : [[key, spoil(one, other, random)]],
    ),
  );
}

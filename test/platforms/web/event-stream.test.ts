import { text } from 'node:stream/consumers';
import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { afterEach, expect, test, vi } from 'vitest';
import { type Log, silentLog } from '../../../src/domain/log.ts';
import type { WebEnv } from '../../../src/platforms/web/caller.ts';
import { eventStream, type Frame } from '../../../src/platforms/web/event-stream.ts';
import { CodedError, failureOf } from '../../../src/platforms/web/refusals.ts';
import { framesOf } from '../../../src/platforms/web/v1/v1-routes.ts';
import { each } from './v1/pieces.ts';

const noted: unknown[] = [];
const log: Log = { ...silentLog, error: (facts) => void noted.push(facts.error) };
const inWords = (error: unknown): Frame | undefined => ({
  data: JSON.stringify(failureOf(error, log).body),
});

afterEach(() => {
  noted.length = 0;
  vi.useRealTimers();
});

function appOf(frames: AsyncIterable<Frame>, onError = inWords): Hono<WebEnv> {
  const gone = new AbortController();
  gone.signal.addEventListener('abort', () => noted.push('gone'));
  const app = new Hono<WebEnv>();
  return app.get('/', (context) => eventStream(context, frames, { gone, onError }));
}

/** The stream as its reader gets it. */
async function sent(
  frames: AsyncIterable<Frame>,
  onError = inWords,
): Promise<ReadableStream<Uint8Array>> {
  const { body } = await appOf(frames, onError).request('/');
  if (!body) throw new Error('The stream has no body.');
  return body;
}

/** The next frame, as text. */
async function frameOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const { value } = await reader.read();
  return new TextDecoder().decode(value);
}

test.each([
  ['of the same site', new Hono<WebEnv>()],
  ['of another site', new Hono<WebEnv>().use(cors({ origin: 'https://chat.example' }))],
])('leaves the connection and the framing to HTTP, for a reader %s', async (_, app) => {
  const origin = { headers: { origin: 'https://chat.example' } };
  const { headers } = await app.route('/', appOf(each([{ data: '1' }]))).request('/', origin);
  expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-cache, no-transform');
  expect([headers.has('transfer-encoding'), headers.has('connection')]).toEqual([false, false]);
});

test('sends each event in a frame, and what comes last behind them', async () => {
  const events = each([{ id: 'a', text: 'one\ntwo' }, { id: 'b' }]);
  expect(await text(await sent(framesOf(events, '[DONE]')))).toBe(
    'data: {"id":"a","text":"one\\ntwo"}\n\ndata: {"id":"b"}\n\ndata: [DONE]\n\n',
  );
});

test('names its frames where they are read by name', async () => {
  const events = each([{ type: 'response.created' }]);
  expect(await text(await sent(framesOf(events)))).toBe(
    'event: response.created\ndata: {"type":"response.created"}\n\n',
  );
});

test('is never silent for long, and loses nothing for it', async () => {
  vi.useFakeTimers();
  const late = Promise.withResolvers<object>();
  async function* events() {
    yield await late.promise;
  }
  const reader = (await sent(framesOf(events()))).getReader();
  for (let time = 0; time < 2; time += 1) {
    const frame = frameOf(reader);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await frame).toBe(': keepalive\n\n');
  }
  late.resolve({ id: 'verdict' });
  expect(await frameOf(reader)).toBe('data: {"id":"verdict"}\n\n');
  expect((await reader.read()).done).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test('writes one sign of life and no more while its reader takes nothing', async () => {
  vi.useFakeTimers();
  const late = Promise.withResolvers<object>();
  async function* events() {
    yield await late.promise;
    yield { id: 'last' };
  }
  const stream = await sent(framesOf(events()));
  await vi.advanceTimersByTimeAsync(600_000);
  late.resolve({ id: 'first' });
  await vi.advanceTimersByTimeAsync(600_000);
  expect(await text(stream)).toMatch(
    /^(?:: keepalive\n\n){1,2}data: {"id":"first"}\n\ndata: {"id":"last"}\n\n$/,
  );
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  ['before its first event', () => new Promise<object>(() => {})],
  ['with events', async () => ({ id: 'next' })],
])('keeps no timer for a request whose body nobody reads, %s', async (_when, next) => {
  vi.useFakeTimers();
  async function* events() {
    for (;;) yield await next();
  }
  await appOf(framesOf(events())).request('/', { method: 'HEAD' });
  await vi.advanceTimersByTimeAsync(600_000);
  expect(vi.getTimerCount()).toBe(0);
});

test('asks for nothing more than its reader takes', async () => {
  let asked = 0;
  async function* events() {
    for (;;) {
      asked += 1;
      yield { type: 'grown' };
    }
  }
  const reader = (await sent(framesOf(events()))).getReader();
  await reader.read();
  await new Promise(setImmediate);
  expect(asked).toBeLessThanOrEqual(3);
  await reader.cancel();
  expect(noted).toEqual(['gone']);
});

test('tells what goes wrong in a last frame', async () => {
  async function* failing() {
    yield { id: 'a' };
    throw new CodedError(502, 'council_failed', 'The key was rejected.');
  }
  const said = await text(await sent(framesOf(failing(), '[DONE]')));
  expect(said).toMatch(
    /^data: \{"id":"a"\}\n\ndata: \{"error":\{"message":"The key was rejected\."/,
  );
  expect(said).not.toContain('[DONE]');
  expect(noted).toEqual([]);
});

test('keeps a fault of the program for the log', async () => {
  const fault = new Error('the password is 1234');
  const failing = (async function* () {
    yield { id: 'a' };
    throw fault;
  })();
  const said = await text(await sent(framesOf(failing)));
  expect(said).not.toMatch(/1234|\.ts:/);
  expect(said).toContain('"type":"server_error"');
  expect(noted).toEqual([fault]);
});

test('names each event, and says after which one reading goes on', async () => {
  const frames = each([{ event: 'seated', data: '{}', id: '1' }]);
  expect(await text(await sent(frames))).toBe('event: seated\ndata: {}\nid: 1\n\n');
});

test('ends without a word where there is none for the reader', async () => {
  const failing = (async function* () {
    yield { data: '1' };
    throw new Error('the password is 1234');
  })();
  const onError = () => undefined;
  expect(await text(await sent(failing, onError))).toBe('data: 1\n\n');
});

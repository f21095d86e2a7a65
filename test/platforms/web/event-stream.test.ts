import { text } from 'node:stream/consumers';
import { afterEach, expect, test, vi } from 'vitest';
import { type Log, silentLog } from '../../../src/domain/log.ts';
import { eventStream } from '../../../src/platforms/web/event-stream.ts';
import { failureOf, V1Failure } from '../../../src/platforms/web/v1/failure.ts';
import { framesOf } from '../../../src/platforms/web/v1/v1-routes.ts';
import { each } from './v1/pieces.ts';

const noted: unknown[] = [];
const log: Log = { ...silentLog, error: (facts) => void noted.push(facts.error) };
const usual = {
  onGone: () => void noted.push('gone'),
  onError: (error: unknown) => ({
    data: JSON.stringify(failureOf(error, log).body),
  }),
};
const plain = { isNamed: false };

afterEach(() => {
  noted.length = 0;
  vi.useRealTimers();
});

/** The next frame, as text. */
async function frameOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const { value } = await reader.read();
  return new TextDecoder().decode(value);
}

test('sends each event in a frame, and what comes last behind them', async () => {
  const events = each([{ type: 'a', text: 'one\ntwo' }, { type: 'b' }]);
  expect(await text(eventStream(framesOf(events, { isNamed: false, last: '[DONE]' }), usual))).toBe(
    'data: {"type":"a","text":"one\\ntwo"}\n\ndata: {"type":"b"}\n\ndata: [DONE]\n\n',
  );
});

test('names its frames where they are read by name', async () => {
  const events = each([{ type: 'response.created' }]);
  expect(await text(eventStream(framesOf(events, { isNamed: true }), usual))).toBe(
    'event: response.created\ndata: {"type":"response.created"}\n\n',
  );
});

test('is never silent for long, and loses nothing for it', async () => {
  vi.useFakeTimers();
  const late = Promise.withResolvers<object>();
  async function* events() {
    yield await late.promise;
  }
  const reader = eventStream(framesOf(events(), plain), usual).getReader();
  for (let time = 0; time < 2; time += 1) {
    const frame = frameOf(reader);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await frame).toBe(': keepalive\n\n');
  }
  late.resolve({ type: 'verdict' });
  expect(await frameOf(reader)).toBe('data: {"type":"verdict"}\n\n');
  expect((await reader.read()).done).toBe(true);
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
  const reader = eventStream(framesOf(events(), plain), usual).getReader();
  await reader.read();
  await new Promise(setImmediate);
  expect(asked).toBeLessThanOrEqual(3);
  await reader.cancel();
  expect(noted).toEqual(['gone']);
});

test('tells what goes wrong in a last frame', async () => {
  async function* failing() {
    yield { type: 'a' };
    throw new V1Failure(502, 'council_failed', 'The key was rejected.');
  }
  const sent = await text(
    eventStream(framesOf(failing(), { isNamed: false, last: '[DONE]' }), usual),
  );
  expect(sent).toMatch(
    /^data: \{"type":"a"\}\n\ndata: \{"error":\{"message":"The key was rejected\."/,
  );
  expect(sent).not.toContain('[DONE]');
  expect(noted).toEqual([]);
});

test('keeps a fault of the program for the log', async () => {
  const fault = new Error('the password is 1234');
  const failing = (async function* () {
    yield { type: 'a' };
    throw fault;
  })();
  const sent = await text(eventStream(framesOf(failing, plain), usual));
  expect(sent).not.toMatch(/1234|\.ts:/);
  expect(sent).toContain('"type":"server_error"');
  expect(noted).toEqual([fault]);
});

test('names each event, and says after which one reading goes on', async () => {
  const frames = each([{ event: 'seated', data: '{}', id: '1' }]);
  expect(await text(eventStream(frames, usual))).toBe('event: seated\ndata: {}\nid: 1\n\n');
});

test('ends without a word where there is none for the reader', async () => {
  const failing = (async function* () {
    yield { data: '1' };
    throw new Error('the password is 1234');
  })();
  const onError = () => undefined;
  expect(await text(eventStream(failing, { ...usual, onError }))).toBe('data: 1\n\n');
});

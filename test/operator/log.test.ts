import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLog, type LogOptions } from '../../src/operator/log.ts';
import { StoreError } from '../../src/store/store.ts';

const secret = 'sk-live-"quoted"\\and/slashed+0123456789';

function openLog(more: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const log = createLog({ level: 'info', destination, secrets: [secret], ...more });
  return {
    log,
    lines,
    get written() {
      return lines.join('');
    },
    get last(): unknown {
      return JSON.parse(lines.at(-1) ?? '');
    },
  };
}

describe('the log', () => {
  it('writes one line of JSON: the facts, then a sentence', () => {
    const opened = openLog();
    opened.log.info({ turnId: 't1', latencyMs: 812 }, 'sage answered');
    expect(opened.lines).toHaveLength(1);
    expect(opened.last).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      pid: process.pid,
      turnId: 't1',
      latencyMs: 812,
      msg: 'sage answered',
    });
  });

  it('writes nothing below its level', () => {
    const opened = openLog({ level: 'warn' });
    opened.log.info({}, 'b');
    opened.log.warn({}, 'c');
    opened.log.error({}, 'd');
    expect(opened.lines).toHaveLength(2);
    const silent = openLog({ level: 'silent' });
    silent.log.error({}, 'e');
    expect(silent.lines).toEqual([]);
  });

  it('adds the facts of a child to each of its lines', () => {
    const opened = openLog();
    opened.log.child({ turnId: 't1', apiKey: 'abc' }).child({ sage: 'x' }).warn({}, 'late');
    expect(opened.last).toMatchObject({ turnId: 't1', apiKey: '[redacted]', sage: 'x' });
  });

  it('tells an error with its own facts and all its causes', () => {
    const opened = openLog();
    const root = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const error = new TypeError('no answer', { cause: new Error('unreachable', { cause: root }) });
    opened.log.error({ error }, 'sage failed');
    expect(opened.last).toMatchObject({
      error: {
        type: 'TypeError',
        message: 'no answer',
        stack: expect.stringContaining('log.test.ts'),
        cause: { message: 'unreachable', cause: { message: 'refused', code: 'ECONNREFUSED' } },
      },
    });
  });
});

describe('secrets', () => {
  it.each([
    'apiKey',
    'api_key',
    'OPENAI_API_KEY',
    'authorization',
    'token',
    'botToken',
    'password',
    'set-cookie',
    'headers',
  ])('do not appear under the name %s, however deep', (name) => {
    const opened = openLog({ secrets: [] });
    opened.log.info(
      { [name]: 'abc123xyz', request: { options: [{ [name]: { x: 'abc123xyz' } }] } },
      'x',
    );
    expect(opened.written).not.toContain('abc123xyz');
    expect(opened.written).toContain('[redacted]');
  });

  it('are not what counts of tokens are', () => {
    const opened = openLog();
    opened.log.info({ inputTokens: 3, maxOutputTokens: 4 }, 'counted');
    expect(opened.last).toMatchObject({ inputTokens: 3, maxOutputTokens: 4 });
  });

  it('do not appear in messages, stacks, causes, fields, names, lists or sentences', () => {
    const opened = openLog();
    const cause = Object.assign(new Error(`401 for ${secret}`), { body: `{"key":"${secret}"}` });
    const error = new AggregateError([new Error(secret)], `failed with ${secret}`, { cause });
    opened.log.error(
      {
        error,
        [secret]: 1,
        url: new URL(`https://x.example/?key=${encodeURIComponent(secret)}`),
        body: JSON.stringify({ key: secret }),
        list: [new Set([secret]), new Map([['x', secret]])],
      },
      `the key ${secret} was rejected`,
    );
    for (const spelling of [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
    ]) {
      expect(opened.written).not.toContain(spelling);
    }
    expect(opened.written).not.toContain('0123456789');
    expect(opened.last).toMatchObject({
      msg: 'the key [redacted] was rejected',
      error: { message: 'failed with [redacted]', cause: { message: '401 for [redacted]' } },
    });
  });

  it('do not appear as a bearer or as the password in an address, known or not', () => {
    const opened = openLog({ secrets: [] });
    opened.log.warn(
      { url: 'redis://default:hunter2@db.example:6379/0' },
      'sent Bearer abc.def-123',
    );
    expect(opened.last).toMatchObject({
      url: 'redis://default:[redacted]@db.example:6379/0',
      msg: 'sent Bearer [redacted]',
    });
  });

  it('do not appear as a token of Slack, which nobody named before', () => {
    const opened = openLog({ secrets: [] });
    opened.log.warn(
      { body: '{"access_token":"xoxb-12-ab-Cd"}' },
      'took xoxe.xoxp-1-Mi0y and xapp-1-A2',
    );
    expect(opened.last).toMatchObject({
      body: '{"access_token":"[redacted]"}',
      msg: 'took [redacted] and [redacted]',
    });
  });

  it('leave a line of JSON behind, whatever they are and wherever they stand', () => {
    const anySecret = fc.string({ unit: 'binary', minLength: 4 });
    fc.assert(
      fc.property(anySecret, fc.jsonValue(), (one, value) => {
        const opened = openLog({ secrets: [one] });
        opened.log.info({ facts: [value, `a${one}b`, { deep: new Error(one) }] }, one);
        expect(opened.last).toMatchObject({ msg: '[redacted]' });
      }),
    );
  });
});

describe('what is logged', () => {
  it('may be circular, deep, long or no data at all', () => {
    const opened = openLog();
    const circle: Record<string, unknown> = { name: 'circle' };
    circle.self = circle;
    let deep: unknown = 'bottom';
    for (let level = 0; level < 1000; level += 1) deep = { deep };
    opened.log.info(
      {
        circle,
        deep,
        long: 'x'.repeat(50_000),
        big: 1n,
        call: () => 1,
        bytes: new Uint8Array(9),
        date: new Date(0),
      },
      'odd',
    );
    expect(opened.last).toMatchObject({
      circle: { name: 'circle', self: '(circular)' },
      ...{ big: '1', call: '(function)', bytes: '(9 bytes)', date: '1970-01-01T00:00:00.000Z' },
    });
    expect(opened.written.length).toBeLessThan(12_000);
  });

  it('can be read by people, on one line and without terminal sequences', () => {
    const opened = openLog({ pretty: true });
    opened.log.warn({ sage: 'nassim_taleb', text: 'a \u001b[31m\u009b\nb' }, 'it was "late"');
    expect(opened.written).toMatch(
      /^\d\d:\d\d:\d\d warn {2}it was \\"late\\" {2}sage=nassim_taleb text="a \\u001b\[31m\\nb"\n$/,
    );
  });

  it('tells people what an error says that was made for them, and all of a fault of the program', () => {
    const opened = openLog({ pretty: true });
    const away = new StoreError('The server is away. Start it.', { reason: 'unreachable' });
    opened.log.error({ error: away }, 'the store failed');
    expect(opened.written).toMatch(/the store failed {2}error="The server is away. Start it."\n$/);
    opened.log.error({ error: new TypeError('x is not a function') }, 'a fault');
    expect(opened.written).toMatch(/a fault {2}error=\{"type":"TypeError",.*"stack":".*at .*\n$/);
  });
});

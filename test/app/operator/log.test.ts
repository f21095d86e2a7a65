import { PassThrough } from 'node:stream';
import { inspect } from 'node:util';
import { WebAPIPlatformError } from '@slack/web-api';
import { DiscordAPIError } from 'discord.js';
import fc from 'fast-check';
import { APIError } from 'openai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createLog,
  type LogOptions,
  openLog as openOperatorsLog,
} from '../../../src/app/operator/log.ts';
import { ModelError } from '../../../src/models/chat-model.ts';
import { toModelError } from '../../../src/models/openai/openai-failure.ts';
import { withoutRequest } from '../../../src/platforms/discord/rest/discord-rest.ts';
import { UndeliveredError } from '../../../src/platforms/platform.ts';
import { StoreError } from '../../../src/store/store.ts';
import { load } from '../../settings/config-folder.ts';

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

  it('is readable in a terminal, and JSON elsewhere', () => {
    for (const isTTY of [true, false]) {
      const errors = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY });
      openOperatorsLog({ config: load({}), errors }, false).info({ latencyMs: 8 }, 'sage answered');
      expect(errors.read()).toMatch(
        isTTY ? /^\d\d:\d\d:\d\d info {2}sage answered {2}latencyMs=8\n$/ : /^\{"level":"info"/,
      );
    }
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

  it('do not appear as a token of Slack, which no one named before', () => {
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

  it.each([
    'sk-proj-MARKED0123456789',
    'gsk_MARKED0123456789',
    'AIzaSyMARKED0123456789abcdefghij',
    'MTIzNDU2Nzg5MDEyMzQ1Njc4OQ.GMARKd.MARKED0123456789abcdefghijklmnop',
    'xoxb-12-MARKED',
    'https://x.example/v1?api_key=MARKED&n=1',
    'https://x.example/v1?n=1&key=MARKED',
    'https://discord.com/api/v10/webhooks/123/MARKED-0123456789',
    'https://hooks.slack.com/services/T0/B0/MARKED',
    'Authorization: MARKED',
    'authorization: Bot MARKED.x',
    '{"Authorization":"Bearer MARKED"}',
    'x-api-key: MARKED',
    'password=MARKED',
    '"refresh_token": "MARKED"',
  ])('do not appear where no one named them: %s', (one) => {
    const opened = openLog({ secrets: [] });
    const error = new Error(`It said ${one} once.`, { cause: new Error(one) });
    opened.log.error({ error, url: one, deep: [one] }, `sent ${one} there`);
    expect(opened.written).not.toContain('MARKED');
    expect(opened.last).toMatchObject({
      msg: expect.stringMatching(/^sent .*\[redacted\].* there$/),
    });
  });

  it('do not appear in part where a text is cut within one', () => {
    const opened = openLog();
    opened.log.info({ text: `${'x'.repeat(9990)}${secret}` }, 'cut');
    expect(opened.last).toMatchObject({ text: expect.stringMatching(/^x{9990}… \(\d+ char/) });
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

function openAiError(message: string): Error {
  const body = { error: { message, param: message } };
  return APIError.generate(400, body, undefined, new Headers());
}

/** Stands for what someone asked, or a model said. */
const words = 'orchids, harbourside';

/** Errors that carry it, each as its maker makes it. */
const carriers: Readonly<Record<string, () => unknown>> = {
  'a model’s, with what had arrived': () =>
    new ModelError('It broke off.', {
      failure: 'broken_stream',
      model: 'a:b',
      partialText: words,
    }),
  'a model’s, which quotes the server': () =>
    toModelError(openAiError(words), { provider: 'a', model: 'b', baseUrl: 'http://a.test/v1' }),
  'a model’s, after a wait that is too long': () => {
    const facts = { failure: 'rate_limited', model: 'a:b', said: words } as const;
    return new UndeliveredError('x', { cause: new ModelError(`It said: ${words}`, facts) });
  },
  'of the openai library': () => openAiError(words),
  'of discord.js, with the request': () =>
    new DiscordAPIError(
      { message: 'Missing Permissions', code: 50013 },
      ...([50013, 403, 'POST', 'https://discord.com/api/v10/channels/1/messages'] as const),
      { files: undefined, body: { content: words } },
    ),
  'a refusal of Discord that quotes what it refuses': () =>
    withoutRequest(
      new DiscordAPIError(
        {
          message: 'Invalid Form Body',
          code: 50035,
          errors: { content: { _errors: [{ code: 'X', message: `Value "${words}" is not it` }] } },
        },
        ...([50035, 400, 'POST', 'https://discord.com/api/v10/channels/1/messages'] as const),
        { files: undefined, body: {} },
      ),
    ),
  'of Slack’s library': () => {
    // Slack says more than the type knows.
    const answer = { message: { text: words }, response_metadata: { messages: [words] } };
    return new WebAPIPlatformError({ ok: false, error: 'invalid_blocks', ...answer });
  },
  'of zod, with its input': () =>
    z.strictObject({ a: z.enum(['x']) }).safeParse({ a: words, [words]: 1 }, { reportInput: true })
      .error,
  'of JSON, which quotes the text': () => {
    try {
      return JSON.parse(`{"a": ${words}}`);
    } catch (error) {
      return error;
    }
  },
  'of an expression, which quotes it': () => {
    try {
      return new RegExp(`(${words}`);
    } catch (error) {
      return error;
    }
  },
  'of an address': () => {
    try {
      return new URL(words);
    } catch (error) {
      return error;
    }
  },
  'any, with it in a field, a stack and a cause that is none': () =>
    Object.assign(new Error('failed', { cause: { body: words } }), {
      code: words,
      request: { body: words },
      stack: `Error: failed\n${words}\n    at ${words}\n    at run (file:///a.ts:1:2)`,
    }),
};

describe('what was said', () => {
  it.each(Object.entries(carriers))('is not logged with an error %s', (_, make) => {
    const error = make();
    expect(error).toBeInstanceOf(Error);
    for (const pretty of [false, true]) {
      const opened = openLog({ pretty });
      opened.log.error({ error }, 'it failed');
      const around = new AggregateError([error], 'several', { cause: error });
      opened.log.warn({ nested: { errors: [around] } }, 'they failed');
      expect(opened.written).not.toMatch(/orch|side/);
      expect(opened.written).toMatch(/it failed/);
    }
  });

  it('is told to people all the same', () => {
    const error = toModelError(openAiError(words), {
      provider: 'a',
      model: 'b',
      baseUrl: 'http://a.test/v1',
    });
    expect(error.message).toContain(words);
    expect(
      inspect(new ModelError('x', { failure: 'empty', model: 'a:b', partialText: words })),
    ).not.toContain('orchids');
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
      big: '1',
      call: '(function)',
      bytes: '(9 bytes)',
      date: '1970-01-01T00:00:00.000Z',
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

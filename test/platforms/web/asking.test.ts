import { describe, expect, test } from 'vitest';
import { AwayError } from '../../../src/domain/failure.ts';
import { type Log, silentLog } from '../../../src/domain/log.ts';
import { endedTurn } from './ended-turn.ts';
import { formHeaders as headers, keyed, openWeb, raw, v1Limits } from './web-world.ts';

const sent = (port: number, body: string) =>
  raw(port, '/ask', { method: 'POST', headers, body: new URLSearchParams(body).toString() });
const wished = 'question=Why%3F&thread=t1&depth=quick&preset=hiring&sages=ada&sages=ben';

test('a preset, sages and a depth are chosen in the form', async () => {
  const { port, asked } = await openWeb();
  const { body } = await raw(port, '/');
  expect(body).toContain('a chair sums it all up in one verdict');
  expect(body).not.toContain('autofocus');
  expect(body).toContain('<option value="hiring">Hiring</option>');
  expect(body).toContain('<input type="checkbox" name="sages" value="ada"> Ada');
  expect((await sent(port, wished)).headers.location).toBe('/turns/turn-1');
  await sent(port, 'question=+Why%3F+&depth=&preset=');
  const choice = { preset: 'hiring', sages: ['ada', 'ben'], depth: 'quick' };
  expect(asked[0]).toMatchObject({ question: 'Why?', ...choice });
  expect(asked[0]?.threadId).toBe('web:local:council:t1');
  expect(asked[1]?.question).toBe('Why?');
  for (const name of Object.keys(choice)) expect(asked[1]).not.toHaveProperty(name);
});

test('a text as long as one that is read arrives in every script, also past the sign-in', async () => {
  const key = keyed('k1', 'local', 'ask', 'read');
  const { port, asked } = await openWeb([], {
    keyed: { ck_1: key },
    publicUrl: 'https://c.example',
  });
  const authorization = { host: 'c.example', authorization: 'Bearer ck_1' };
  const question = '長'.repeat(v1Limits.sourceChars);
  const fields = { question, key: 'ck_1' };
  const send = async (form: string, more: Readonly<Record<string, string>>) => {
    const [, path = ''] = /<form class="ask"[^>]* action="([^"]+)"/.exec(form) ?? [];
    const [, type] = /<form class="ask"[^>]* enctype="([^"]+)"/.exec(form) ?? [];
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) data.append(name, value);
    const sent = new Response(type === 'multipart/form-data' ? data : new URLSearchParams(fields));
    const body = Buffer.from(await sent.arrayBuffer());
    const headers = { ...more, 'content-type': sent.headers.get('content-type') ?? '' };
    return raw(port, path, { method: 'POST', headers, body });
  };
  const { body: page } = await raw(port, '/', { headers: authorization });
  expect((await send(page, authorization)).status).toBe(303);
  expect(asked[0]?.heard?.messages[0]?.sources?.[0]).toMatchObject({ text: question });
  const signIn = await send(page, { host: 'c.example', accept: 'text/html' });
  expect([signIn.status, signIn.body]).toEqual([401, expect.stringContaining('Sign in')]);
  const { status, headers: said } = await send(signIn.body, { host: 'c.example' });
  expect([status, said.location]).toEqual([307, '/ask']);
});

describe('a question that is refused', () => {
  const reason = 'There is no sage <ben>: see `sages`. It renews <t:1795305600>.';
  const refusing = (isAway: boolean) => ({
    ask: async () => ({ status: 'refused', reason, ...(isAway && { isAway }) }) as const,
  });
  const kept = [
    ...[
      'required autofocus aria-describedby="problem">\nWhy?</textarea>',
      'name="thread" value="t1"',
      '<option value="quick" selected>',
    ],
    ...['<option value="hiring" selected>', 'value="ada" checked', 'value="ben" checked'],
  ];

  test('comes back in its form, with the reason beside it', async () => {
    const { port } = await openWeb([], {}, refusing(false));
    const { status, body } = await sent(port, wished);
    expect(status).toBe(422);
    for (const part of kept) expect(body).toContain(part);
    expect(body).toMatch(
      /id="problem" role="alert">There is no sage &lt;ben&gt;: see <code>sages<\/code>\. It renews 2026-11-22 00:00 UTC\./,
    );
    expect(body).toMatch(/<textarea[^>]* aria-describedby="problem"/);
  });

  test('is kept too while the store is away and nothing else can be shown', async () => {
    const away = async (): Promise<never> => {
      throw new AwayError('10.0.0.1 does not answer.');
    };
    const { port } = await openWeb([], {}, { ...refusing(true), settings: away, suggest: away });
    const { status, body, headers: said } = await sent(port, wished);
    expect([status, said['retry-after']]).toEqual([503, '30']);
    for (const part of kept) expect(body).toContain(part);
  });
});

test('what is no question is refused in words', async () => {
  const { port, asked } = await openWeb();
  const { status, body } = await sent(port, 'question=+');
  expect([status, asked]).toEqual([400, []]);
  expect(body).toContain('The question is empty.');
  const deepest = await sent(port, 'question=Why&depth=deepest');
  expect(deepest.status).toBe(400);
  expect(deepest.body).toContain('There is no such depth.');
  // Each would be a choice of the form, compared with all others.
  const many = Array.from({ length: 20_000 }, (_, at) => `sages=s${at}`).join('&');
  expect((await sent(port, `question=+&${many}`)).body).not.toContain('s19999');
  const long = await raw(port, '/ask', { method: 'POST', headers, body: 'x'.repeat(300_000) });
  expect(long.status).toBe(413);
});

test.each([
  ['/ask', 400],
  ['/sign-in', 401],
  ['/turns/t1/next', 400],
])('a form that can’t be read is no fault of the program: %s', async (path, status) => {
  const faults: unknown[] = [];
  const log: Log = { ...silentLog, error: (facts) => void faults.push(facts) };
  const { port } = await openWeb([endedTurn('Wait.')], { log });
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=x']) {
    const options = { method: 'POST', headers: { 'content-type': type }, body: 'question' };
    expect((await raw(port, path, options)).status).toBe(status);
  }
  expect(faults).toEqual([]);
});

test('thanks and the like seat no council, unless more than the default is chosen', async () => {
  const { port, asked } = await openWeb([], {}, { interpret: async () => undefined });
  const { status, body } = await sent(port, 'question=Thanks%21&thread=t1');
  expect([status, asked]).toEqual([422, []]);
  expect(body).toContain('That asks nothing');
  expect(body).toContain('>\nThanks!</textarea>');
  expect((await sent(port, 'question=Thanks%21&depth=quick')).status).toBe(303);
  expect(asked).toHaveLength(1);
});

import { expect, test } from 'vitest';
import { openWebCouncil } from './open-web.ts';
import { startRehearsedModels } from './rehearsed-models.ts';

const odd = [
  ...['', ' ', '..', '%00', '%ff', 'a:b:c', '__proto__', '%F0%9F%92%A9', '-1', 'NaN', 'Infinity'],
  ...['1e400', '9'.repeat(400), '%2e%2e%2fetc', "'; drop table turns; --", '<t:1>', '\u{d800}'],
].map((text) => (text.startsWith('%') ? text : encodeURIComponent(text.toWellFormed())));
const values: readonly unknown[] = [
  ...[null, true, -1, 1e308, '', '\u0000', '\ud800', 'x'.repeat(300_000), [], {}, [[[]]]],
  { toString: 'x', ['__proto__']: { isAdmin: true } },
];
const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;

test('no request, however odd, is answered with a fault or a stack', async () => {
  const models = await startRehearsedModels();
  const { origin } = await openWebCouncil(models.settings);
  const failed: unknown[] = [];
  const send = async (method: string, path: string, body?: string) => {
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${origin}/api${path}`, { method, headers, ...(body && { body }) });
    const text = await reply.text();
    const hasStack = /\.ts\b|node:internal|\bat .*:\d+:\d+/.test(text);
    if (reply.status >= 500 || hasStack) failed.push([method, path, body?.slice(0, 80), text]);
  };
  for (const part of odd) {
    for (const path of [
      ...[`/turns/${part}`, `/turns/${part}/events`, `/turns/${part}/charts/ranking`],
      ...[`/turns/x/charts/${part}`, `/threads/${part}`, `/threads/${part}/export?format=${part}`],
      ...[`/threads?search=${part}&before=${part}&limit=${part}`, `/threads/a?before=${part}`],
      ...[`/memory?search=${part}&thread=${part}`, `/memory?search=${part}`],
      ...[`/leaderboard?by=${part}&days=${part}`, `/leaderboard?days=${part}`],
    ]) {
      await send('GET', path);
    }
    for (const verb of ['stop', 'again', 'deeper', 'feedback']) {
      await send('POST', `/turns/${part}/${verb}`, '{"sage":"ben","rating":"good"}');
    }
  }
  const message = { id: '1', thread: 'log', author: 'Uma', text: 'x', at: 1 };
  for (const value of values) {
    for (const field of ['question', 'thread', 'depth', 'sages', 'preset', 'other']) {
      const valid = { question: 'Why?', depth: 'quick', sages: ['zed'] };
      await send('POST', '/turns', JSON.stringify({ ...valid, [field]: value }));
    }
    for (const field of Object.keys(message)) {
      const messages = [{ ...message, [field]: value }];
      await send('POST', '/ingest', JSON.stringify({ messages }));
    }
    for (const path of ['/turns', '/ingest', '/turns/x/again', '/turns/x/feedback']) {
      await send('POST', path, JSON.stringify(value));
    }
  }
  for (const body of [deep, '{', '\u0000', '{"question":"a","question":"b","sages":["zed"]}']) {
    for (const path of ['/turns', '/ingest', '/turns/x/again']) await send('POST', path, body);
  }
  expect(failed).toEqual([]);
});

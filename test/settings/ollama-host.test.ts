import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ollamaBaseUrl } from '../../src/settings/environment.ts';

it.each([
  ['box', 'http://box:11434/v1'],
  ['box:1234', 'http://box:1234/v1'],
  ['box:80', 'http://box/v1'],
  ['0.0.0.0', 'http://127.0.0.1:11434/v1'],
  ['0.0.0.0:1234', 'http://127.0.0.1:1234/v1'],
  [':1234', 'http://127.0.0.1:1234/v1'],
  ['::1', 'http://[::1]:11434/v1'],
  ['[::1]', 'http://[::1]:11434/v1'],
  ['[::]:1234', 'http://[::1]:1234/v1'],
  ['http://box', 'http://box/v1'],
  ['http://box:1234/', 'http://box:1234/v1'],
  ['https://box.example.org', 'https://box.example.org/v1'],
  ['https://box.example.org/ollama/', 'https://box.example.org/ollama/v1'],
  ['http://box:1234/v1', 'http://box:1234/v1'],
  ['box/ollama', 'http://box:11434/ollama/v1'],
])('reads the host %s as %s', (host, baseUrl) => {
  expect(ollamaBaseUrl(host)).toBe(baseUrl);
});

it.each(['', 'a b', 'box:99999', 'ftp://box', 'me:pass@box', 'http://box?key=1', 'http://'])(
  'refuses what is no address: %s',
  (host) => {
    expect(ollamaBaseUrl(host)).toBeUndefined();
  },
);

it('gives a plain web address or nothing for any text', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.webAuthority({ withIPv6: true, withPort: true })),
      (host) => {
        const baseUrl = ollamaBaseUrl(host);
        if (baseUrl !== undefined) expect(baseUrl).toMatch(/^https?:\/\/[^/@?#]+.*\/v1$/);
      },
    ),
  );
});

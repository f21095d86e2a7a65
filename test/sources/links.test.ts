import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { fetchPage, isPublicAddress, linksIn } from '../../src/sources/fetch-page.ts';
import { type MayConnect, readSources } from '../../src/sources/sources.ts';
import { serve } from '../fakes/loopback.ts';
import { pageSaying, pdfOf, pngOf } from './files.ts';

/** What comes of links; absent: as in production, nothing but the public internet. */
async function follow(addresses: readonly string[], mayConnect?: MayConnect) {
  const pointed = addresses.map((address) => {
    return { status: 'pointed', kind: 'page', name: address, address } as const;
  });
  const taken = await readSources(pointed, {
    openFile: async () => ({ status: 'withheld', why: 'no file' }),
    maxChars: 40_000,
    now: () => 1000,
    signal: new AbortController().signal,
    mayConnect,
  });
  return taken.map(({ source }) => source);
}

const page = `<!doctype html><html><head><title>Falcon &amp; Co</title></head><body>
  <nav><a href="/">Home</a></nav>
  <article><h1>Falcon flies</h1><p>${'The bridge is closed until May. '.repeat(10)}</p></article>
  <script>alert('never')</script><footer>Imprint</footer></body></html>`;
const html = { 'content-type': 'text/html; charset=utf-8' };

test('a page is read for what it says, under its title', async () => {
  const server = await serve((_, response) => response.writeHead(200, html).end(page));
  const [source] = await follow([`${server.origin}/falcon`], (_, port) => port === server.port);
  expect(source).toMatchObject({
    status: 'read',
    kind: 'page',
    name: 'Falcon & Co',
    address: `${server.origin}/falcon`,
    text: expect.stringMatching(/^Falcon flies\s+The bridge is closed until May/),
    readAt: 1000,
  });
  expect(JSON.stringify(source)).not.toMatch(/never|Imprint|Home/);
});

test('a picture that a link leads to is shown to models', async () => {
  const png = pngOf(40, 30);
  const server = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'image/png' }).end(png);
  });
  const address = `${server.origin}/a.png`;
  const pointed = { status: 'pointed', kind: 'page', name: 'a.png', address } as const;
  const [taken] = await readSources([pointed], {
    openFile: async () => ({ status: 'withheld', why: 'no file' }),
    maxChars: 40_000,
    now: () => 1000,
    signal: new AbortController().signal,
    mayConnect: (_, port) => port === server.port,
  });
  expect(taken?.source).toMatchObject({ status: 'picture', kind: 'page', width: 40, address });
  expect(taken?.picture?.base64).toBe(png.toString('base64'));
});

test.each([
  ['application/octet-stream', pdfOf([pageSaying('The ferry costs 40k.')])],
  ['binary/octet-stream', pdfOf([pageSaying('The ferry costs 40k.')])],
  ['text/x-rst', Buffer.from('The ferry costs 40k.')],
])('what a server gives as %s is judged by its bytes', async (type, bytes) => {
  const server = await serve((_, response) => {
    response.writeHead(200, { 'content-type': type }).end(bytes);
  });
  const [source] = await follow([server.origin], (_, port) => port === server.port);
  expect(source).toMatchObject({ status: 'read', text: 'The ferry costs 40k.' });
});

test('of a page its lines, lists, tables and code stay apart', async () => {
  const body =
    '<h1>A</h1><p>One <b>two</b>\n three<br>four</p><ul><li>x</li><li>y</li></ul>' +
    '<pre>if a\n  b</pre><table><tr><th>h</th><td>1</td></tr><tr><td>2</td><td>3</td></tr></table>';
  const server = await serve((_, response) => response.writeHead(200, html).end(body));
  const [source] = await follow([server.origin], (_, port) => port === server.port);
  expect(source).toMatchObject({
    text: 'A\n\nOne two three\nfour\n\n- x\n- y\n\nif a\n  b\n\nh | 1 |\n2 | 3 |',
  });
});

test('a page nested without measure is read, or given up in time', {
  timeout: 30_000,
}, async () => {
  const body = `${'<div>'.repeat(100_000)}${'The bridge is closed. '.repeat(10)}`;
  const server = await serve((_, response) => response.writeHead(200, html).end(body));
  const [source] = await follow([server.origin], (_, port) => port === server.port);
  expect(['read', 'unread']).toContain(source?.status);
});

const nowhere = 'it is not an address on the public internet';

describe('a link into the machine or its network is never followed', () => {
  test.each([
    ['loopback', '127.0.0.1'],
    ['loopback in one number', '2130706433'],
    ['loopback in hexadecimal', '0x7f000001'],
    ['loopback in octal', '0177.0.0.1'],
    ['loopback in short', '127.1'],
    ['loopback in wide digits', '１２７.０.０.１'],
    ['loopback of IPv6', '[::1]'],
    ['loopback mapped into IPv6', '[::ffff:127.0.0.1]'],
    ['loopback mapped in hexadecimal', '[::ffff:7f00:1]'],
    ['loopback in IPv6 of old', '[::127.0.0.1]'],
    ['loopback through NAT64', '[64:ff9b::7f00:1]'],
    ['loopback through 6to4', '[2002:7f00:1::]'],
    ['this host', '0.0.0.0'],
    ['a name of loopback', 'localhost'],
    ['a private network', '10.0.0.1'],
    ['a private network, hexadecimal', '0x0a000001'],
    ['another private network', '172.16.5.4'],
    ['a home network', '192.168.1.1'],
    ['a network of a provider', '100.64.0.1'],
    ['the metadata of clouds', '169.254.169.254'],
    ['the metadata of clouds in one number', '2852039166'],
    ['the metadata of clouds in IPv6', '[fd00:ec2::254]'],
    ['the metadata of Alibaba', '100.100.100.200'],
    ['the services of Azure', '168.63.129.16'],
    ['link-local IPv6', '[fe80::1]'],
    ['unique local IPv6', '[fc00::1]'],
    ['everybody', '255.255.255.255'],
    ['many', '224.0.0.1'],
  ])('%s', async (_, host) => {
    const server = await serve((_, response) => response.writeHead(200, html).end(page));
    const [onPort, usual] = await follow([`http://${host}:${server.port}/`, `http://${host}/`]);
    for (const source of [onPort, usual])
      expect(source).toMatchObject({ status: 'unread', why: nowhere });
    expect(server.asked).toEqual([]);
  });

  test('by a redirect', async () => {
    const inner = await serve((_, response) => response.writeHead(200, html).end(page));
    const outer = await serve((_, response) =>
      response.writeHead(302, { location: `${inner.origin}/secret` }).end(),
    );
    const [source] = await follow([outer.origin], (_, port) => port === outer.port);
    expect(source).toMatchObject({ status: 'unread', why: nowhere });
    expect(outer.asked).toHaveLength(1);
    expect(inner.asked).toEqual([]);
  });

  test('by a name whose address is checked as it is connected to', async () => {
    const server = await serve((_, response) => response.writeHead(200, html).end(page));
    const seen: string[] = [];
    const mayConnect: MayConnect = (address) => {
      seen.push(address);
      return isPublicAddress(address);
    };
    const [source] = await follow([`http://localhost:${server.port}/`], mayConnect);
    expect(source).toMatchObject({ status: 'unread', why: nowhere });
    expect(seen.some((address) => ['127.0.0.1', '::1'].includes(address))).toBe(true);
    expect(server.asked).toEqual([]);
  });

  test.each(['ftp://example.org/', 'file:///etc/passwd', 'http://me:secret@example.org/'])(
    'by %s',
    async (address) => {
      expect(await follow([address], () => true)).toMatchObject([
        { status: 'unread', why: nowhere },
      ]);
    },
  );

  test('at a port that is not for pages', async () => {
    expect(await follow(['http://93.184.216.34:6379/'])).toMatchObject([{ why: nowhere }]);
  });
});

test.each([
  ['93.184.216.34', true],
  ['2606:2800:220:1:248:1893:25c8:1946', true],
  ['172.32.0.1', true],
  ['172.31.255.255', false],
  ['198.18.0.1', false],
  ['192.0.2.1', false],
  ['240.0.0.1', false],
  ['2001::1', false],
  ['2001:db8::1', false],
  ['no address', false],
])('%s is public: %s', (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});

test.each<readonly [string, RequestListener, RegExp]>([
  [
    'leads in a circle',
    (_, response) => response.writeHead(302, { location: '/again' }).end(),
    /redirects too often/,
  ],
  [
    'never ends',
    (_, response) => {
      response.writeHead(200, html);
      const more = () => void response.write('x'.repeat(65_536), () => setImmediate(more));
      more();
    },
    /larger than 2 MB/,
  ],
  [
    'is packed though nobody asked for it',
    (_, response) =>
      response.writeHead(200, { ...html, 'content-encoding': 'gzip' }).end(gzipSync(page)),
    /sends it compressed/,
  ],
  [
    'is a film',
    (_, response) => response.writeHead(200, { 'content-type': 'video/mp4' }).end('x'),
    /not a page with text/,
  ],
  ['is not there', (_, response) => response.writeHead(404, html).end(page), /answered with 404/],
  [
    'breaks off',
    (_, response) => response.writeHead(200, html).flushHeaders() ?? response.destroy(),
    /broke the connection/,
  ],
  [
    'says nothing',
    (_, response) => response.writeHead(200, html).end('<body></body>'),
    /no text in it/,
  ],
])('of a page that %s it is said why it is not read', async (_, answer, why) => {
  const server = await serve(answer);
  const [source] = await follow([server.origin], (_address, port) => port === server.port);
  expect(source).toMatchObject({ status: 'unread', why: expect.stringMatching(why) });
});

test('a page that takes its time is given up, before and within its body', async () => {
  const late = new Error('Late.');
  for (const begin of [false, true]) {
    const time = new AbortController();
    const server = await serve((_, response) => {
      if (begin) response.writeHead(200, html).write('x');
      setImmediate(() => time.abort(late));
    });
    const limits = { maxBytes: 1000, mayConnect: () => true };
    await expect(fetchPage(server.origin, limits, time.signal)).rejects.toBe(late);
  }
});

test('three links are followed, and the others are named', async () => {
  const server = await serve((_, response) => response.writeHead(200, html).end(page));
  const addresses = ['a', 'b', 'c', 'd'].map((name) => `${server.origin}/${name}`);
  const sources = await follow(addresses, (_, port) => port === server.port);
  expect(sources.map(({ status }) => status)).toEqual(['read', 'read', 'read', 'unread']);
  expect(server.asked).toHaveLength(3);
});

test('a page that is a form as a whole, as some servers write them, is read without its choices', async () => {
  const list = '<select><option>Albania</option></select>';
  const body = `<body><form><p>The bridge is closed.</p>${list}</form></body>`;
  const server = await serve((_, response) => response.writeHead(200, html).end(body));
  const [source] = await follow([server.origin], (_, port) => port === server.port);
  expect(source).toMatchObject({ status: 'read', text: 'The bridge is closed.' });
});

test('links are found in sentences, each once, and the platform’s own are none', () => {
  const text =
    'See https://example.org/a_(b)?c=1, (https://example.org/d). <https://example.org/e> https://example.org/e#part https://chat.example/m/1 https://x.chat.example/2 javascript:alert(1)';
  const isOwn = (host: string) => /(?:^|\.)chat\.example$/.test(host);
  expect(linksIn(text, isOwn)).toEqual([
    'https://example.org/a_(b)?c=1',
    'https://example.org/d',
    'https://example.org/e',
  ]);
  const beside =
    '请看https://example.org/f。谢谢（https://example.org/g）、https://example.org/文 (https://example.org/h_(i)).';
  expect(linksIn(beside, isOwn)).toEqual([
    'https://example.org/f',
    'https://example.org/g',
    'https://example.org/%E6%96%87',
    'https://example.org/h_(i)',
  ]);
  expect(linksIn('https://a.example/ '.repeat(1000), () => false)).toHaveLength(1);
});

/** Requests that no well-behaved client sends, byte by byte, to whatever listens on loopback. */

import { connect } from 'node:net';

const host = 'host: localhost\r\n';
/** A whole request without a body, closed after its answer. */
const get = (target: string, method = 'GET') =>
  `${method} ${target} HTTP/1.1\r\n${host}connection: close\r\n\r\n`;
const post = (body: string, headers = '') =>
  `POST / HTTP/1.1\r\n${host}connection: close\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`;

/** By what is wrong with each. */
export const hostileRequests: Readonly<Record<string, string>> = {
  'two slashes': get('//'),
  'three slashes': get('///'),
  'a slash and a backslash': get('/\\'),
  'an address that is cut off': get('http://['),
  'a name without a host': get('//@'),
  'a port beyond all': get('http://a:99999/'),
  'an address in full': get('http://localhost/healthz'),
  'a star': get('*', 'OPTIONS'),
  'a question mark alone': get('?'),
  'a percent sign that ends nowhere': get('/%'),
  'half a character': get('/%e0%a4%a'),
  'a path of 9,000 characters': get(`/${'a'.repeat(9000)}`),
  'a header of 300 kB': `GET / HTTP/1.1\r\n${host}x: ${'a'.repeat(300_000)}\r\n\r\n`,
  '5,000 headers': `GET / HTTP/1.1\r\n${host}${'a: b\r\n'.repeat(5000)}\r\n`,
  'no host': 'GET / HTTP/1.1\r\n\r\n',
  'two hosts': `GET / HTTP/1.1\r\n${host}${host}\r\n`,
  'a method that there is not': get('/', 'CONJURE'),
  'a method in small letters': get('/', 'get'),
  'a connection through': get('localhost:443', 'CONNECT'),
  'an upgrade': `GET / HTTP/1.1\r\n${host}connection: upgrade\r\nupgrade: websocket\r\n\r\n`,
  'something to expect': post('', 'expect: 100-continue\r\n'),
  'something else to expect': post('', 'expect: miracles\r\n'),
  'no protocol': 'GET /\r\n\r\n',
  'another protocol': '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  'no line end': 'GET / HTTP/1.1',
  'nothing but NULs': '\0'.repeat(100),
  'a length that is none': `POST / HTTP/1.1\r\n${host}content-length: many\r\n\r\n`,
  'a length below nothing': `POST / HTTP/1.1\r\n${host}content-length: -1\r\n\r\n`,
  'a body shorter than told': `POST / HTTP/1.1\r\n${host}content-length: 100\r\n\r\n{}`,
  'chunks that are none': `POST / HTTP/1.1\r\n${host}transfer-encoding: chunked\r\n\r\nzz\r\n`,
  'a body of null': post('null', 'content-type: application/json\r\n'),
  'a head alone': get('/', 'HEAD'),
};

/**
 * Sends bytes to a port of 127.0.0.1, ends its own side, and waits for the other to end.
 *
 * @returns All that came back; empty where nothing did.
 */
export function sendBytes(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  // A server may cut what it does not understand.
  socket.on('error', () => undefined);
  socket.end(bytes, 'latin1');
  return new Promise((resolve) => {
    socket.on('close', () => resolve(Buffer.concat(parts).toString('latin1')));
  });
}

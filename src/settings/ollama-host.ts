/**
 * The base URL that an `OLLAMA_HOST` stands for, or `undefined` where it is none. All forms that
 * Ollama itself takes are understood: `host`, `host:port`, `:port`, `[::1]:port`, an http or https
 * address, with or without a path. An address that means "all interfaces" to a server that
 * listens, such as `0.0.0.0`, means this machine to one who calls. Refuses a user name or password.
 */
export function ollamaBaseUrl(host: string): string | undefined {
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(host);
  const address = hasScheme ? host : `http://${withHost(host)}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '') return undefined;
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.hostname === '[::]') url.hostname = '[::1]';
  if (!hasScheme && !hasPort(host)) url.port = '11434';
  const path = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${path.endsWith('/v1') ? path : `${path}/v1`}`;
}

/** Puts the host in where only a port is given, and brackets around a bare IPv6 address. */
function withHost(host: string): string {
  if (/^:\d/.test(host)) return `127.0.0.1${host}`;
  return /^[\da-f]*:[\da-f:]*:[\da-f]*$/i.test(host) ? `[${host}]` : host;
}

/** Port 80 is the default of http and vanishes from a parsed address: it has to be seen before. */
function hasPort(host: string): boolean {
  return /(?:^[^:]*|\]):\d+(?:\/|$)/.test(host);
}

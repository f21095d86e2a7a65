/** Finds links in a text and fetches what they lead to, from the public internet alone: the address is checked at every hop and at each connection. */

import { lookup } from 'node:dns';
import { get as getPlain, type IncomingMessage, type RequestOptions } from 'node:http';
import { get as getSecure } from 'node:https';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { readCapped, Unreadable } from './unreadable.ts';

/** Public by its number, and answered by the host of the machine: Azure's own services. */
const servicesOfHosts: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * Whether this is an address of the public internet, so that neither private, loopback, link-local nor
 * metadata services are behind it. Addresses that carry another one inside (mapped, 6to4, NAT64, Teredo) are none.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || servicesOfHosts.has(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  // What is not given to anybody yet, e.g. `::127.0.0.1` of old, is not public either.
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parseCIDR('2000::/3'));
}

/** The address that a host is written as, in brackets or not; absent: it is a name. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(bare) ? bare : undefined;
}

/** How far a text is looked at. */
const maxChars = 20_000;
/** Found and not read, they are told; beyond these nothing is said. */
const maxLinks = 10;

const link = /https?:\/\/[^\s<>"`|\\^{}]{1,2000}/gi;

/**
 * @param isOwn - Of a host whose links lead to messages and not to pages.
 * @returns Each once, in order, at most ten.
 */
export function linksIn(text: string, isOwn: (host: string) => boolean): readonly string[] {
  const found = new Set<string>();
  for (const [written] of text.slice(0, maxChars).matchAll(link)) {
    const url = URL.parse(withoutTail(written));
    if (!url || isOwn(url.hostname)) continue;
    url.hash = '';
    found.add(url.href);
    if (found.size === maxLinks) break;
  }
  return [...found];
}

/** Without what belongs to the sentence around it. */
function withoutTail(written: string): string {
  const bare = written.replace(/[.,;:!?'’”»*_~\]]{1,20}$/, '');
  return bare.endsWith(')') && !bare.includes('(') ? bare.slice(0, -1) : bare;
}

const maxHops = 5;
const readableTypes =
  /^(?:text\/(?:html|plain|markdown|csv)|application\/(?:xhtml\+xml|pdf|json)|image\/(?:png|jpeg|gif|webp))\s*(?:;|$)/i;

export interface FetchLimits {
  readonly maxBytes: number;
  /** Whether a connection to this IP address and port may be made. */
  readonly mayConnect: (address: string, port: number) => boolean;
}

export interface FetchedPage {
  readonly bytes: Uint8Array;
  /** As the server states it, e.g. `text/html; charset=utf-8`. */
  readonly contentType: string;
  /** Where it was in the end. */
  readonly address: string;
}

/**
 * @param signal - Ends it, also in the middle of a body.
 * @throws {Unreadable} for all that goes wrong but the signal's reason.
 */
export async function fetchPage(
  address: string,
  limits: FetchLimits,
  signal: AbortSignal,
): Promise<FetchedPage> {
  let url = new URL(address);
  for (let hop = 0; hop <= maxHops; hop += 1) {
    const response = await open(url, limits, signal);
    try {
      const { statusCode = 0, headers } = response;
      if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
        const next = URL.parse(headers.location, url.href);
        if (!next) throw new Unreadable('its redirect leads nowhere');
        url = next;
        continue;
      }
      if (statusCode !== 200) throw new Unreadable(`its server answered with ${statusCode}`);
      const { 'content-type': contentType = '', 'content-encoding': encoding = 'identity' } =
        headers;
      if (!readableTypes.test(contentType)) throw new Unreadable('it is not a page with text');
      // Nothing else was asked for, and what unpacks itself may have no end.
      if (encoding !== 'identity') throw new Unreadable('its server sends it compressed');
      const bytes = await readCapped(response, limits.maxBytes);
      return { bytes, contentType, address: url.href };
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof Unreadable
        ? error
        : new Unreadable('its server broke the connection', { cause: error });
    } finally {
      response.destroy();
    }
  }
  throw new Unreadable('it redirects too often');
}

/** Sends one request and waits for the head of its answer. */
async function open(
  url: URL,
  { mayConnect }: FetchLimits,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const isSecure = url.protocol === 'https:';
  if (!(isSecure || url.protocol === 'http:') || url.username !== '' || url.password !== '') {
    throw notPublic();
  }
  const port = Number(url.port || (isSecure ? 443 : 80));
  const literal = literalAddress(url.hostname);
  // A literal address is connected to without being looked up.
  if (literal !== undefined && !mayConnect(literal, port)) throw notPublic();
  const options: RequestOptions = {
    // A connection of its own: one that is kept alive may have been opened without a check.
    agent: false,
    lookup: checkedLookup((found) => mayConnect(found, port)),
    signal,
    headers: {
      accept: 'text/html, text/plain;q=0.9, application/pdf;q=0.8, image/*;q=0.7',
      'accept-encoding': 'identity',
      'user-agent': 'Council (reads a page that a person has asked about)',
    },
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const get = isSecure ? getSecure : getPlain;
  get(url.href, options, resolve).on('error', reject);
  try {
    return await promise;
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof Unreadable
      ? error
      : new Unreadable('its server could not be reached', { cause: error });
  }
}

function notPublic(): Unreadable {
  return new Unreadable('it is not an address on the public internet');
}

/** Looks a name up and refuses it if any of its addresses is refused; what is connected to is what was checked. */
function checkedLookup(isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const [first] = found ?? [];
      if (error || !first) return done(error ?? new Error('The name has no address.'), []);
      if (!found.every(({ address }) => isAllowed(address))) return done(notPublic(), []);
      if (options.all) done(null, found);
      else done(null, first.address, first.family);
    });
  };
}

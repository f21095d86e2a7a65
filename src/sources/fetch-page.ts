/** Finds links in a text and fetches them, only from the public internet: every redirect and every connection is checked. */

import { lookup } from 'node:dns';
import { get as getPlain, type IncomingMessage, type RequestOptions } from 'node:http';
import { get as getSecure } from 'node:https';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { readCapped, Unreadable } from './file-content.ts';

/** Public addresses that the machine's host answers: Azure's platform services. */
const hostServices: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * Whether an address is on the public internet: not private, loopback, link-local or a metadata service, and
 * not one that embeds another address (mapped, 6to4, NAT64, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || hostServices.has(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  // Unassigned ranges, e.g. the deprecated `::127.0.0.1`, are not public either.
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parseCIDR('2000::/3'));
}

/** Texts are searched up to this length. */
const maxChars = 20_000;
/** Only some of these are read, but people are told about each; further links are ignored. */
const maxLinks = 10;

/** Chinese and Japanese punctuation follows a link without a blank. */
const link = /https?:\/\/[^\s<>"`|\\^{}、。，；：！？（）「」『』《》【】]{1,2000}/gi;

/**
 * @param isOwn - Whether links to this host lead to chat messages rather than pages.
 * @returns Distinct links in order, at most ten.
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

/** Strips punctuation that belongs to the surrounding sentence. */
function withoutTail(written: string): string {
  const bare = written.replace(/[.,;:!?'’”»*_~\]]{1,20}$/, '');
  const isClosed = bare.split('(').length >= bare.split(')').length;
  return bare.endsWith(')') && !isClosed ? bare.slice(0, -1) : bare;
}

const maxHops = 5;
const readableTypes =
  /^(?:text\/[\w.+-]+|application\/(?:xhtml\+xml|pdf|json)|(?:application|binary)\/octet-stream|image\/(?:png|jpeg|gif|webp))\s*(?:;|$)/i;

export interface FetchLimits {
  readonly maxBytes: number;
  /** Whether connections to this IP address and port are allowed. */
  readonly mayConnect: (address: string, port: number) => boolean;
}

export interface FetchedPage {
  readonly bytes: Uint8Array;
  /** As stated by the server, e.g. `text/html; charset=utf-8`. */
  readonly contentType: string;
  /** The final address, after redirects. */
  readonly address: string;
}

/**
 * @param signal - Cancels the fetch, even in the middle of a body.
 * @throws {Unreadable} for every failure; the signal's reason when it is aborted.
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
      // No compression was requested, and a compressed body may unpack without limit.
      if (encoding !== 'identity') throw new Unreadable('its server sends it compressed');
      const bytes = await readCapped(response, limits.maxBytes);
      return { bytes, contentType, address: url.href };
    } catch (error) {
      throw unreadable('its server broke the connection', error, signal);
    } finally {
      response.destroy();
    }
  }
  throw new Unreadable('it redirects too often');
}

/** Sends one request and waits for the response headers. */
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
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  // Literal addresses are never looked up, so `lookup` below doesn't check them.
  if (ipaddr.isValid(host) && !mayConnect(host, port)) throw notPublic();
  const options: RequestOptions = {
    // No keep-alive: a reused connection may have been opened without a check.
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
    throw unreadable('its server could not be reached', error, signal);
  }
}

/** Says why a page can't be read, unless the error does already. Throws the signal's reason. */
function unreadable(why: string, cause: unknown, signal: AbortSignal): Unreadable {
  signal.throwIfAborted();
  return cause instanceof Unreadable ? cause : new Unreadable(why, { cause });
}

function notPublic(): Unreadable {
  return new Unreadable('it is not an address on the public internet');
}

/** Resolves a name and refuses it if any address is refused. The connection uses the checked addresses. */
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

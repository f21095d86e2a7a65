/** Finds out whether an address says TLS of a port that has none, or the other way round. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectEncrypted } from 'node:tls';
import type { StoreError } from '../store.ts';
import {
  clusterAddress,
  type Host,
  isClusterAddress,
  isSentinelAddress,
  sentinelAddress,
  shownAddress,
} from './address.ts';
import { encryptionTrouble, nameToShow } from './encryption.ts';
import { refusal } from './errors.ts';

/** A connection that takes longer is looked into, in milliseconds. */
const lookAfterMs = 1000;
/** One that is slower to answer tells nothing, in milliseconds. */
const patienceMs = 2000;

/**
 * Waits for a connection to the servers of an address. One that speaks otherwise than the address says
 * may leave it waiting for ever, or break each without a word.
 *
 * @throws {@link StoreError} `refused` when a server does so, else what the connection fails with.
 */
export async function unlessMisspoken<Result>(
  url: string,
  connecting: Promise<Result>,
): Promise<Result> {
  const { promise: misspoken, resolve } = Promise.withResolvers<StoreError>();
  const look = async () => {
    const trouble = await wrongSpeech(url);
    if (trouble !== undefined) resolve(trouble);
  };
  const timer = setTimeout(() => void look(), lookAfterMs);
  const refused = misspoken.then((trouble) => Promise.reject(trouble));
  try {
    return await Promise.race([connecting, refused]);
  } finally {
    clearTimeout(timer);
  }
}

/** Asks them in the other way than the address says. Nothing secret is sent. */
async function wrongSpeech(url: string): Promise<StoreError | undefined> {
  const isEncrypted = url.startsWith('rediss');
  const ask = isEncrypted ? speaksPlainly : speaksTls;
  const answers = await Promise.all(hostsOf(url).map(ask));
  if (!answers.includes(true)) return undefined;
  return refusal(shownAddress(url), isEncrypted ? 'NOTLS' : 'TLS');
}

function hostsOf(url: string): readonly Host[] {
  if (isSentinelAddress(url)) return sentinelAddress(url).sentinels;
  if (isClusterAddress(url)) return clusterAddress(url).hosts;
  const { hostname = '', port = '' } = URL.parse(url) ?? {};
  // Brackets are of the address, not of the host.
  return [{ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) }];
}

async function speaksPlainly({ host, port }: Host): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    socket.write('PING\r\n');
    const [answer] = await heard(socket, 'data');
    // Done, or refused, e.g. because a password is wanted.
    return /^[+-]/.test(String(answer));
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function speaksTls({ host, port }: Host): Promise<boolean> {
  const socket = connectEncrypted({ host, port, ...nameToShow(host) });
  try {
    await heard(socket, 'secureConnect');
    return true;
  } catch (error) {
    // Who shows a certificate speaks it, whatever is wrong with that.
    return encryptionTrouble(error) !== undefined;
  } finally {
    socket.destroy();
  }
}

async function heard(socket: Socket, event: string): Promise<readonly unknown[]> {
  // What comes after the first is of no interest, and would end the process.
  socket.on('error', () => undefined);
  return once(socket, event, { signal: AbortSignal.timeout(patienceMs) });
}

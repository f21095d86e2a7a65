import { isIP } from 'node:net';
import { StoreError } from '../store.ts';

/** What a server says in the first word of a refusal, and what an operator does about it. */
const refusals: Readonly<
  Record<string, { readonly reason: StoreError['reason']; readonly text: string }>
> = {
  OOM: {
    reason: 'full',
    text: 'has no memory left. What was stored before is safe, the last change was not stored. Raise its maxmemory, or keep less (memory.retentionDays), then go on.',
  },
  MISCONF: {
    reason: 'full',
    text: 'can’t save to its disk, and refuses writes until it can. Check its log, free space on its disk, then go on.',
  },
  READONLY: {
    reason: 'read_only',
    text: 'is a replica and may only be read. Give the address of the primary; after a failover, the name that follows it.',
  },
  NOREPLICAS: {
    reason: 'read_only',
    text: 'refuses writes while it has too few replicas (min-replicas-to-write). Bring the replicas back.',
  },
  WRONGPASS: {
    reason: 'refused',
    text: 'refuses the user name or the password. Correct them in the address; signs such as @ : / are written there as %40 %3A %2F.',
  },
  NOAUTH: {
    reason: 'refused',
    text: 'needs a password. Put it into the address: redis://user:password@host:6379.',
  },
  NOPERM: {
    reason: 'refused',
    text: 'does not let this user do what the store needs: all keys that begin with council:, the categories @read, @write, @scripting and @connection, and INFO.',
  },
  MOVED: {
    reason: 'refused',
    text: 'is part of a cluster. Write its address as that of one: redis+cluster://user:password@host:6379,host:6379.',
  },
  // Not Redis' own word: it has none for this.
  NOCLUSTER: {
    reason: 'refused',
    text: 'is not a cluster. Write its address as that of one server: redis://user:password@host:6379.',
  },
  // Nor for this: a sentinel says it.
  NOMASTER: {
    reason: 'refused',
    text: 'knows no primary by the name at the end. Write the one that its sentinels monitor.',
  },
  // Not Redis' own words either: of a port that speaks otherwise than the address says.
  NOTLS: {
    reason: 'refused',
    text: 'speaks without TLS at this port. Write the address with redis:// instead of rediss:// (redis+sentinel://, redis+cluster://), or give the port for TLS.',
  },
  TLS: {
    reason: 'refused',
    text: 'only speaks TLS at this port. Write the address with rediss:// instead of redis:// (rediss+sentinel://, rediss+cluster://).',
  },
  CLUSTERDOWN: {
    reason: 'unreachable',
    text: 'belongs to a cluster that is partly down. Bring its servers back; Council goes on when all slots are served.',
  },
  TRYAGAIN: {
    reason: 'unreachable',
    text: 'belongs to a cluster that is still moving the requested keys to another server. Council goes on when it is done; if the move is stuck, finish it (redis-cli --cluster fix).',
  },
  WRONGTYPE: {
    reason: 'corrupt',
    text: 'has other data under a key that begins with council:. Give Council its own database, e.g. redis://host:6379/1.',
  },
};

/** What a server says without a word of its own. */
const unnamed = [
  ['cluster support disabled', 'NOCLUSTER'],
  ['No such master', 'NOMASTER'],
] as const;

/** Refusals that pass by themselves: the server is starting, or is being taken over. */
const passing = ['LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'TRYAGAIN', 'BUSY'];

/** The first word of what a server says, e.g. `OOM`. */
export function refusalCode(message: string): string {
  return /^-?([A-Z]+)\b/.exec(message)?.[1] ?? '';
}

/** Refuses a change because it follows another server, or none follows it: perhaps since a failover. */
export function isDemotedPrimary(message: string): boolean {
  return ['READONLY', 'NOREPLICAS'].includes(refusalCode(message));
}

/** The password was changed while the connection was made: it has no user, and has to be made again. */
export function isUnauthenticated(message: string): boolean {
  return refusalCode(message) === 'NOAUTH';
}

/** A part of the cluster is down, or is being moved. */
export function isClusterError(message: string): boolean {
  return ['CLUSTERDOWN', 'TRYAGAIN'].includes(refusalCode(message));
}

export function isTransient(message: string): boolean {
  return passing.includes(refusalCode(message));
}

/**
 * Says what a server refused in words that an operator can act on.
 *
 * @param server - Its address without user and password.
 * @param message - What it said. It may quote what was asked for, so only its first word is shown.
 */
export function refusal(server: string, message: string): StoreError {
  const nameless = unnamed.find(([said]) => message.includes(said));
  const code = nameless?.[1] ?? refusalCode(message);
  const known = refusals[code];
  if (known !== undefined) {
    return new StoreError(`The Redis server ${server} ${known.text}`, {
      reason: known.reason,
      cause: new Error(code),
    });
  }
  // An error inside a script is named by the script and the line.
  const script = /script: \w+, on [^.]*/.exec(message)?.[0];
  const said = [code || 'an error', ...(script === undefined ? [] : [script])].join(', ');
  return new StoreError(
    `The Redis server ${server} refused a command (${said}). Council needs Redis 7 or newer, with scripts allowed.`,
    { reason: 'refused', cause: new Error(code) },
  );
}

/**
 * Says what is wrong with the encryption of the way to a server.
 *
 * @param server - Its address without user and password.
 * @returns `undefined` when that is not what is wrong.
 */
export function encryptionRefusal(server: string, cause: unknown): StoreError | undefined {
  const text = encryptionTrouble(cause);
  if (text === undefined) return undefined;
  return new StoreError(`The Redis server ${server} ${text}`, { reason: 'refused', cause });
}

/**
 * The server does not answer.
 *
 * @param waitMs - For how long it was waited for.
 * @param cause - The last that was heard of the connection.
 */
export function unreachable(server: string, waitMs: number, cause: unknown): StoreError {
  const said = cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : '';
  // At a port without it, a server waits for more.
  const port = server.startsWith('rediss') ? ', and its port one for TLS' : '';
  return new StoreError(
    `The Redis server ${server} did not answer within ${waitMs / 1000} s${said}. Check that it runs and that its address is right${port}. What was acknowledged is safe; Council goes on when it is back.`,
    { reason: 'unreachable', cause },
  );
}

/** The store was used after it was closed. */
export function closed(server: string): StoreError {
  return new StoreError(`The store ${server} was closed. Open it again to use it.`, {
    reason: 'unreachable',
  });
}

const notSigned =
  'shows a certificate from an unknown authority. If it is one of your own, start Council with NODE_EXTRA_CA_CERTS=FILE, where FILE holds the authority’s certificate as PEM. Set it in the environment of the process: in the file .env it is read too late.';
const wantsCertificate =
  'wants to see a certificate of its clients, and Council has none. Set tls-auth-clients no there; who Council is, user and password tell.';

/** What Node and OpenSSL say, by code. What passes by itself is not among it. */
const troubles: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: notSigned,
  SELF_SIGNED_CERT_IN_CHAIN: notSigned,
  UNABLE_TO_GET_ISSUER_CERT: notSigned,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: notSigned,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: notSigned,
  CERT_SIGNATURE_FAILURE: notSigned,
  CERT_HAS_EXPIRED:
    'shows a certificate that has expired, or whose signer’s has. Renew it there, and see that the clock here is right.',
  CERT_NOT_YET_VALID:
    'shows a certificate that is not valid yet. See that the clocks here and there are right.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'shows a certificate for another name than it is reached by. Write a name in the address that is in the certificate, or have one made for this name; sentinels and clusters have to tell such a name as well.',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: wantsCertificate,
  // With TLS 1.2.
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: wantsCertificate,
};

/**
 * Why a server can't be spoken to by TLS, as the end of a sentence that begins with who it is;
 * `undefined` when the trouble is another one, or passes by itself.
 */
export function encryptionTrouble(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error)) return undefined;
  const text = troubles[String(error.code)];
  if (text === undefined || !('reason' in error && 'host' in error)) return text;
  // Names alone: the one it was reached by, and those of the certificate.
  return `${text} (${error.reason})`;
}

/** Says by which name a server is reached, for one that has several certificates; an IP address is none. */
export function serverName(host: string): { readonly servername?: string } {
  return isIP(host) === 0 ? { servername: host } : {};
}

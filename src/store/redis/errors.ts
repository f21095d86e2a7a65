import { isIP } from 'node:net';
import { StoreError } from '../store.ts';

/** Messages for the operator, by the first word of Redis' error reply. */
const refusals: Readonly<
  Record<string, { readonly reason: StoreError['reason']; readonly text: string }>
> = {
  OOM: {
    reason: 'full',
    text: 'has no memory left. Everything stored before is safe; the last change was not stored. Raise its maxmemory, or keep less (memory.retentionDays).',
  },
  MISCONF: {
    reason: 'full',
    text: 'can’t save to its disk, and refuses writes until it can. Check its log, and free space on its disk.',
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
    text: 'refuses the user name or the password. Correct them in the address; characters such as @ : / are written there as %40 %3A %2F.',
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
  // From here to TLS: not Redis' own codes.
  NOCLUSTER: {
    reason: 'refused',
    text: 'is not a cluster. Write its address as that of one server: redis://user:password@host:6379.',
  },
  NOMASTER: {
    reason: 'refused',
    text: 'knows no primary by the name at the end. Write the one that its sentinels monitor.',
  },
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
    text: 'belongs to a cluster that is partly down. Bring its servers back; Council continues once all slots are served.',
  },
  TRYAGAIN: {
    reason: 'unreachable',
    text: 'belongs to a cluster that is still moving the requested keys to another server. Council continues once it is done; if the move is stuck, finish it (redis-cli --cluster fix).',
  },
  WRONGTYPE: {
    reason: 'corrupt',
    text: 'has other data under a key that begins with council:. Give Council its own database, e.g. redis://host:6379/1.',
  },
};

/** Replies that have no code, by a part of their text. */
const uncoded = [
  ['cluster support disabled', 'NOCLUSTER'],
  ['No such master', 'NOMASTER'],
] as const;

/** Refusals that pass: the server is starting, busy, or being replaced. */
const transient = ['LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'TRYAGAIN', 'BUSY'];

/** The first word of an error reply, e.g. `OOM`. */
export function refusalCode(message: string): string {
  return /^-?([A-Z]+)\b/.exec(message)?.[1] ?? '';
}

/** The server refuses writes as a replica, or because it lacks replicas, perhaps after a failover. */
export function isDemotedPrimary(message: string): boolean {
  return ['READONLY', 'NOREPLICAS'].includes(refusalCode(message));
}

/** The password changed while connecting, so the connection isn't authenticated and has to be reopened. */
export function isUnauthenticated(message: string): boolean {
  return refusalCode(message) === 'NOAUTH';
}

/** Part of the cluster is down or being moved. */
export function isClusterError(message: string): boolean {
  return ['CLUSTERDOWN', 'TRYAGAIN'].includes(refusalCode(message));
}

export function isTransient(message: string): boolean {
  return transient.includes(refusalCode(message));
}

/**
 * Describes an error reply so that the operator can act on it.
 *
 * @param server - Its address without user and password.
 * @param message - The reply. Only its code is shown, because the rest may quote the command.
 */
export function refusal(server: string, message: string): StoreError {
  const uncodedReply = uncoded.find(([text]) => message.includes(text));
  const code = uncodedReply?.[1] ?? refusalCode(message);
  const known = refusals[code];
  if (known !== undefined) {
    return new StoreError(`The Redis server ${server} ${known.text}`, {
      reason: known.reason,
      cause: new Error(code),
    });
  }
  // Errors inside a script name the script and the line.
  const script = /script: \w+, on [^.]*/.exec(message)?.[0];
  const facts = [code || 'an error', ...(script === undefined ? [] : [script])].join(', ');
  return new StoreError(
    `The Redis server ${server} refused a command (${facts}). Council needs Redis 7 or newer, with scripts allowed.`,
    { reason: 'refused', cause: new Error(code) },
  );
}

/**
 * Describes a TLS error for the operator; `undefined` for other errors.
 *
 * @param server - Its address without user and password.
 */
export function tlsRefusal(server: string, cause: unknown): StoreError | undefined {
  const text = tlsProblem(cause);
  if (text === undefined) return undefined;
  return new StoreError(`The Redis server ${server} ${text}`, { reason: 'refused', cause });
}

/**
 * The error for a server that doesn't answer.
 *
 * @param cause - The last error of the connection.
 */
export function unreachable(server: string, waitMs: number, cause: unknown): StoreError {
  const reason = cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : '';
  // On a port without TLS, a server waits silently for the rest of the command.
  const port = server.startsWith('rediss') ? ', and its port one for TLS' : '';
  return new StoreError(
    `The Redis server ${server} did not answer within ${waitMs / 1000} s${reason}. Check that it runs and that its address is right${port}. Everything acknowledged is safe; Council continues once the server is back.`,
    { reason: 'unreachable', cause },
  );
}

const untrusted =
  'shows a certificate from an unknown authority. If it is one of your own, start Council with NODE_EXTRA_CA_CERTS=FILE, where FILE holds the authority’s certificate as PEM. Set it in the environment of the process: in the file .env it is read too late.';
const wantsCertificate =
  'requires a certificate of its clients, and Council has none. Set tls-auth-clients no there; Council authenticates with its user and password.';

/** Messages by the error codes of Node and OpenSSL, without transient errors. */
const tlsProblems: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  CERT_HAS_EXPIRED:
    'shows a certificate that has expired, or whose signer’s has. Renew it there, and check that the clock here is right.',
  CERT_NOT_YET_VALID:
    'shows a certificate that is not valid yet. Check that the clocks here and there are right.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'shows a certificate for another name than the one in the address. Write a name that is in the certificate, or get a certificate for this name; sentinels and clusters have to announce such a name as well.',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: wantsCertificate,
  // With TLS 1.2.
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: wantsCertificate,
};

/**
 * Why TLS to a server fails, as a predicate to put after the server's name; `undefined` for other and for
 * transient errors.
 */
export function tlsProblem(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error)) return undefined;
  const text = tlsProblems[String(error.code)];
  if (text === undefined || !('reason' in error && 'host' in error)) return text;
  // The reason contains only names: the one in the address and those in the certificate.
  return `${text} (${error.reason})`;
}

/** The TLS server name of a host, for servers with several certificates; IP addresses have none. */
export function serverName(host: string): { readonly servername?: string } {
  return isIP(host) === 0 ? { servername: host } : {};
}

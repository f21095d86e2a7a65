import { isIP } from 'node:net';
import { StoreError } from '../store.ts';

/** Messages for the operator, by reason and by the first word of Redis' error reply. */
const refusals: readonly (readonly [StoreError['reason'], Readonly<Record<string, string>>])[] = [
  [
    'full',
    {
      OOM: 'has no memory left. Everything stored before is safe; the last change was not stored. Raise its maxmemory, or keep less (memory.retentionDays).',
      MISCONF:
        'can’t save to its disk, and refuses writes until it can. Check its log, and free space on its disk.',
    },
  ],
  [
    'read_only',
    {
      READONLY:
        'is a replica and may only be read. Give the address of the primary; after a failover, the name that follows it.',
      NOREPLICAS:
        'refuses writes while it has too few replicas (min-replicas-to-write). Bring the replicas back.',
    },
  ],
  [
    'refused',
    {
      WRONGPASS:
        'refuses the user name or the password. Correct them in the address; characters such as @ : / are written there as %40 %3A %2F.',
      NOAUTH:
        'needs a password, and the address has none or a wrong one. Write user:password@ before the host there.',
      NOPERM:
        'does not let this user do what the store needs: all keys that begin with council:, the categories @read, @write, @scripting and @connection, and INFO.',
      MOVED:
        'is part of a cluster. Write its address as that of one: redis+cluster://user:password@host:6379,host:6379.',
      // From here on: not Redis' own codes.
      SENTINEL:
        'is a sentinel. Write its address as redis+sentinel://user:password@host:26379,host:26379/name.',
      NOSENTINEL:
        'is not a sentinel. Write its address as that of one server: redis://user:password@host:6379.',
      NOCLUSTER:
        'is not a cluster. Write its address as that of one server: redis://user:password@host:6379.',
      NOMASTER:
        'knows no primary by the name at the end. Write the one that its sentinels monitor.',
      NODATABASE:
        'has no database with the number at the end. It has 0 to 15, unless its setting databases says otherwise.',
    },
  ],
  [
    'unreachable',
    {
      CLUSTERDOWN:
        'belongs to a cluster that is partly down. Bring its servers back; Council continues once all slots are served.',
      TRYAGAIN:
        'belongs to a cluster that is still moving the requested keys to another server. Council continues once it is done; if the move is stuck, finish it (redis-cli --cluster fix).',
    },
  ],
  [
    'corrupt',
    {
      WRONGTYPE:
        'has other data under a key that begins with council:. Give Council its own database, e.g. redis://host:6379/1.',
    },
  ],
];

/** Replies that have no code, by a part of their text. */
const uncoded = [
  ['cluster support disabled', 'NOCLUSTER'],
  ["unknown command 'SENTINEL'", 'NOSENTINEL'],
  ['DB index is out of range', 'NODATABASE'],
  ['No such master', 'NOMASTER'],
  // Long commands are refused in this way before a password is asked for.
  ['Protocol error: unauthenticated', 'NOAUTH'],
] as const;

/** Refusals that pass: the server is starting, busy, or being replaced. */
const transient = ['LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'TRYAGAIN', 'BUSY'];

/** The first word of an error reply, e.g. `OOM`, or what stands for it above. */
export function refusalCode(message: string): string {
  const known = uncoded.find(([text]) => message.includes(text))?.[1];
  return known ?? /^-?([A-Z]+)\b/.exec(message)?.[1] ?? '';
}

/** The server refuses writes as a replica, or because it lacks replicas, perhaps after a failover. */
export function isDemotedPrimary(message: string): boolean {
  return ['READONLY', 'NOREPLICAS'].includes(refusalCode(message));
}

export function isTransient(message: string): boolean {
  return transient.includes(refusalCode(message));
}

/** Describes an error reply for the operator, by its code alone: the rest may quote the command. */
export function refusal(server: string, message: string): StoreError {
  const code = refusalCode(message);
  for (const [reason, texts] of refusals) {
    const text = texts[code];
    const facts = { reason, cause: new Error(code) };
    if (text !== undefined) return new StoreError(`The Redis server ${server} ${text}`, facts);
  }
  // Errors inside a script name the script and the line.
  const script = /script: \w+, on [^.]*/.exec(message)?.[0];
  const facts = [code || 'an error', ...(script === undefined ? [] : [script])].join(', ');
  return new StoreError(
    `The Redis server ${server} refused a command (${facts}). Council needs Redis 7 or newer, with scripts allowed.`,
    { reason: 'refused', cause: new Error(code) },
  );
}

/** Whether TLS to a server fails until someone changes a certificate or the server. */
export function isCertificateError(error: unknown): error is Error {
  if (!(error instanceof Error && 'code' in error)) return false;
  return /CERT|UNABLE_TO_VERIFY/.test(String(error.code));
}

/** Describes a certificate error for the operator. Its reason contains only names of servers. */
export function certificateRefusal(server: string, cause: Error): StoreError {
  const reason = 'reason' in cause ? cause.reason : cause.message;
  return new StoreError(
    `The Redis server ${server} offers no TLS that Council can use (${reason}). Its certificate has to be valid, for the name in the address, and from an authority that Node knows. For an authority of your own, start Council with NODE_EXTRA_CA_CERTS=FILE in the environment of the process: in the file .env it is read too late. Council has no certificate of its own, so set tls-auth-clients no there; sentinels and clusters have to announce the names in the certificates.`,
    { reason: 'refused', cause },
  );
}

/** The error for a server that doesn't answer. @param cause - The last error of the connection. */
export function unreachable(server: string, waitMs: number, cause: unknown): StoreError {
  const reason = cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : '';
  // With TLS on one side only, the server is silent or hangs up.
  return new StoreError(
    `The Redis server ${server} did not answer within ${waitMs / 1000} s${reason}. Check that it runs and that its address is right (rediss: for a port with TLS, redis: for one without). Everything acknowledged is safe; Council continues once the server is back.`,
    { reason: 'unreachable', cause },
  );
}

/** The TLS server name of a host, for servers with several certificates; IP addresses have none. */
export function serverName(host: string): { readonly servername?: string } {
  return isIP(host) === 0 ? { servername: host } : {};
}

/** Who calls: by a key, by a session that a key has opened, or from this machine itself. */

import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { getSignedCookie, setSignedCookie } from 'hono/cookie';
import { HTTPException } from 'hono/http-exception';
import type { Person } from '../../../commands/command.ts';

export type Scope = 'ask' | 'read' | 'ingest';

/** The person or program that makes a request, and what they may do in which workspace. */
export interface Caller {
  /** Second part of the thread ids that they reach; nothing of another one is reachable. */
  readonly workspace: string;
  readonly person: Person;
  readonly scopes: ReadonlySet<Scope>;
  /** Absent: they call from this machine without a key. */
  readonly keyId?: string;
  /** Absent: as many as they like. */
  readonly requestsPerMinute?: number;
}

/** The keys that were made, as far as a request needs them. Every verb throws an `AwayError` while the store is away. */
export interface KeyRecords {
  /** The caller of a key, by its secret. Nothing: there is no such key, or it was withdrawn. */
  find(secret: string): Promise<Caller | undefined>;
  /** The caller of a key, by its id. Nothing: it was withdrawn. */
  named(keyId: string): Promise<Caller | undefined>;
  /** Whether any key was made; asked at the start. */
  any(): Promise<boolean>;
}

/** What each request carries through the routes. */
export interface WebEnv {
  readonly Bindings: Partial<HttpBindings>;
  readonly Variables: { caller: Caller | undefined };
}

/** What a caller may not do, in words for them. */
export class ForbiddenError extends Error {
  override readonly name = 'ForbiddenError';
}

const scopeWords: Readonly<Record<Scope, string>> = {
  ask: 'ask questions',
  read: 'read',
  ingest: 'bring messages in',
};

/** @throws {ForbiddenError} */
export function assertMay({ scopes }: Caller, scope: Scope): void {
  if (!scopes.has(scope)) throw new ForbiddenError(`This key may not ${scopeWords[scope]}.`);
}

/** The person at this machine, who may do everything in its own workspace. */
export const localCaller: Caller = {
  workspace: 'local',
  person: { id: 'local', name: 'You', isManager: true, isServerManager: true },
  scopes: new Set<Scope>(['ask', 'read', 'ingest']),
};

const sessionCookie = 'council_session';
const sessionSeconds = 30 * 86_400;
/** A request that came through a proxy does not come from this machine, whatever its connection says. */
const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];
const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const loopbackAddresses: ReadonlySet<string> = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/** Whether a name, e.g. of a `Host` header without its port, or an address to listen on, is this machine's alone. */
export function isLoopback(host: string): boolean {
  return loopbackHosts.has(host) || loopbackAddresses.has(host);
}

export interface CallersOptions {
  readonly keys: KeyRecords;
  /** Signs the sessions. Of at least 32 random bytes, and the same after a restart. */
  readonly sessionSecret: string;
  /** Address under which the pages are reached from elsewhere; absent: only from this machine. */
  readonly publicUrl?: string | undefined;
}

/** Finds out who calls, and opens sessions. */
export class Callers {
  readonly #options: CallersOptions;

  constructor(options: CallersOptions) {
    this.#options = options;
  }

  /**
   * Reads who makes a request. Nothing: a person who has to sign in.
   *
   * @throws HTTPException 401 for a key that is not known.
   */
  async of(context: Context<WebEnv>): Promise<Caller | undefined> {
    const { keys, sessionSecret } = this.#options;
    const secret = /^Bearer +(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1];
    if (secret !== undefined) {
      const caller = await keys.find(secret);
      // Programs send a key even where none is needed.
      if (caller || this.#isLocal(context)) return caller ?? localCaller;
      throw new HTTPException(401, { message: 'This key is not known here, or was withdrawn.' });
    }
    const session = await getSignedCookie(context, sessionSecret, sessionCookie);
    if (session) {
      const [keyId = '', until] = session.split('.');
      const caller = Number(until) > Date.now() ? await keys.named(keyId) : undefined;
      if (caller) return caller;
    }
    return this.#isLocal(context) ? localCaller : undefined;
  }

  /** The id of a key, by its secret. Nothing: it is not known. */
  async keyIdOf(secret: string): Promise<string | undefined> {
    return (await this.#options.keys.find(secret))?.keyId;
  }

  /** Opens a session for a caller with a key: the browser sends it along from now on. */
  async remember(context: Context<WebEnv>, keyId: string): Promise<void> {
    const { sessionSecret, publicUrl } = this.#options;
    const until = Date.now() + sessionSeconds * 1000;
    await setSignedCookie(context, sessionCookie, `${keyId}.${until}`, sessionSecret, {
      ...({ path: '/', httpOnly: true, sameSite: 'Lax', maxAge: sessionSeconds } as const),
      secure: publicUrl?.startsWith('https:') ?? false,
    });
  }

  /** Closes the session. */
  async forget(context: Context<WebEnv>): Promise<void> {
    await setSignedCookie(context, sessionCookie, '', this.#options.sessionSecret, {
      ...({ path: '/', httpOnly: true, sameSite: 'Lax', maxAge: 0 } as const),
    });
  }

  #isLocal({ req, env }: Context<WebEnv>): boolean {
    if (this.#options.publicUrl !== undefined) return false;
    const address = env.incoming?.socket.remoteAddress ?? '';
    const isProxied = proxyHeaders.some((name) => req.header(name) !== undefined);
    return loopbackAddresses.has(address) && isLoopback(hostOf(req.header('host'))) && !isProxied;
  }
}

/** Where a request comes from. Behind a proxy on this machine, it is what the proxy says. */
export function addressOf({ req, env }: Context<WebEnv>): string {
  const address = env.incoming?.socket.remoteAddress ?? '';
  // What stands before the last one may be anything that the sender has made up.
  const told = req.header('x-forwarded-for')?.split(',').at(-1)?.trim();
  return (loopbackAddresses.has(address) && told) || address;
}

/** Name in a `Host` header. */
export function hostOf(header = ''): string {
  return header.replace(/:\d+$/, '').toLowerCase();
}

/** Who calls, for a route that needs to know. @throws HTTPException 401 where the caller is unknown. */
export function callerIn(context: Context<WebEnv>): Caller {
  const { caller } = context.var;
  if (caller) return caller;
  throw new HTTPException(401, { message: 'Sign in, or send a key: Authorization: Bearer …' });
}

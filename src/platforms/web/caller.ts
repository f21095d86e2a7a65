/** Identifies the caller: by a key, by a session opened with a key, or as the person at this machine. */

import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { getSignedCookie, setSignedCookie } from 'hono/cookie';
import { HTTPException } from 'hono/http-exception';
import type { Person } from '../../../commands/command.ts';
import type { TurnRequest } from '../../domain/turn.ts';

/** What a key may allow. */
export const scopes = ['ask', 'read', 'ingest'] as const;
export type Scope = (typeof scopes)[number];

/** The person or program that makes a request, with their workspace and permissions. */
export interface Caller {
  /** Second part of the thread ids that they can reach. */
  readonly workspace: string;
  readonly person: Person;
  readonly scopes: ReadonlySet<Scope>;
  /** Absent: the person at this machine, without a key. */
  readonly keyId?: string;
  /** Absent: no limit. */
  readonly requestsPerMinute?: number;
}

/** Looks up keys. Every method throws an `AwayError` while the store is unreachable. */
export interface KeyRecords {
  /** Finds the caller by the key's secret. `undefined`: unknown or withdrawn. */
  find(secret: string): Promise<Caller | undefined>;
  /** Finds the caller by the key's id. `undefined`: withdrawn. */
  named(keyId: string): Promise<Caller | undefined>;
  /** Whether there is any key; checked at start. */
  any(): Promise<boolean>;
}

/** The Hono environment of every request. */
export interface WebEnv {
  readonly Bindings: Partial<HttpBindings>;
  readonly Variables: { caller: Caller | undefined };
}

const scopeWords: Readonly<Record<Scope, string>> = {
  ask: 'ask questions',
  read: 'read',
  ingest: 'import messages',
};

/** @throws HTTPException 403. */
export function assertMay({ scopes }: Caller, scope: Scope): void {
  const message = `This key may not ${scopeWords[scope]}.`;
  if (!scopes.has(scope)) throw new HTTPException(403, { message });
}

/** Whether the caller asked a question, or manages the council. All who use the same key are one person. */
export function isTheirs({ person }: Caller, { author }: Pick<TurnRequest, 'author'>): boolean {
  return person.isManager || author.id === person.id;
}

/** @param what - E.g. `stop`. @throws HTTPException 403. */
export function assertTheirs(caller: Caller, asked: Pick<TurnRequest, 'author'>, what: string) {
  const message = `Only the person who asked this question may ${what} it.`;
  if (!isTheirs(caller, asked)) throw new HTTPException(403, { message });
}

/** The person at this machine, who may do everything in the `local` workspace. */
export const localCaller: Caller = {
  workspace: 'local',
  person: { id: 'local', name: 'You', isManager: true, isServerManager: true },
  scopes: new Set(scopes),
};

/** Refuses a key, when a program sends it or a person signs in. */
export const unknownKeyWords = 'This key is unknown or was withdrawn.';

const sessionCookie = 'council_session';
const sessionSeconds = 30 * 86_400;
/** Headers of a proxy: the request may come from elsewhere although its connection is local. */
const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];
const loopback = ['localhost', '127.0.0.1', '[::1]', '::1', '::ffff:127.0.0.1'];

/** Whether a host name without port, or an address, is loopback. */
export function isLoopback(host: string): boolean {
  return loopback.includes(host);
}

export type Callers = ReturnType<typeof createCallers>;

/**
 * Identifies callers and opens sessions.
 *
 * @param sessionSecret - Signs sessions: at least 32 random bytes, the same after a restart.
 * @param publicUrl - The URL for other machines; absent: reachable only from this machine.
 */
export function createCallers(keys: KeyRecords, sessionSecret: string, publicUrl?: string) {
  const isLocal = ({ req, env }: Context<WebEnv>): boolean => {
    if (publicUrl !== undefined) return false;
    const address = env.incoming?.socket.remoteAddress ?? '';
    const isProxied = proxyHeaders.some((name) => req.header(name) !== undefined);
    return isLoopback(address) && isLoopback(hostOf(req.header('host'))) && !isProxied;
  };
  const setSession = (context: Context<WebEnv>, value: string, maxAge: number) =>
    setSignedCookie(context, sessionCookie, value, sessionSecret, {
      path: '/',
      httpOnly: true,
      sameSite: 'Lax',
      maxAge,
      secure: publicUrl?.startsWith('https:') ?? false,
    });

  return {
    /**
     * Identifies the caller of a request. `undefined`: a person who has to sign in.
     *
     * @throws HTTPException 401 for an unknown key.
     */
    async of(context: Context<WebEnv>): Promise<Caller | undefined> {
      const secret = /^Bearer +(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1];
      if (secret !== undefined) {
        const caller = await keys.find(secret);
        // Many programs always send a key; a local caller needs none, so any is accepted.
        if (caller || isLocal(context)) return caller ?? localCaller;
        throw new HTTPException(401, { message: unknownKeyWords });
      }
      const session = await getSignedCookie(context, sessionSecret, sessionCookie);
      if (session) {
        const [keyId = '', until] = session.split('.');
        const caller = Number(until) > Date.now() ? await keys.named(keyId) : undefined;
        if (caller) return caller;
      }
      return isLocal(context) ? localCaller : undefined;
    },
    /** The id of a key, by its secret; `undefined` if unknown. */
    keyIdOf: async (secret: string) => (await keys.find(secret))?.keyId,
    /** Opens a session for the caller of a key, as a cookie. */
    remember: (context: Context<WebEnv>, keyId: string) =>
      setSession(context, `${keyId}.${Date.now() + sessionSeconds * 1000}`, sessionSeconds),
    /** Closes the session. */
    forget: (context: Context<WebEnv>) => setSession(context, '', 0),
  };
}

/** The client's address. Behind a proxy on this machine, as reported by the proxy. */
export function addressOf({ req, env }: Context<WebEnv>): string {
  const address = env.incoming?.socket.remoteAddress ?? '';
  // Only the last address comes from the proxy; a client can make up the others.
  const forwarded = req.header('x-forwarded-for')?.split(',').at(-1)?.trim();
  return (isLoopback(address) && forwarded) || address;
}

/** The host name in a `Host` header, without the port. */
export function hostOf(header = ''): string {
  return header.replace(/:\d+$/, '').toLowerCase();
}

/** The caller, for routes that require one. @throws HTTPException 401 if nobody is signed in. */
export function callerIn(context: Context<WebEnv>): Caller {
  const { caller } = context.var;
  if (caller) return caller;
  throw new HTTPException(401, { message: 'Sign in, or send a key: Authorization: Bearer …' });
}

/** How often {@link whileKnown} looks up a key, in milliseconds: texts grow many times a second. */
const keyCheckMs = 1000;

/** Passes on what a caller watches. @throws {HTTPException} 401 instead of the next item, once their key is withdrawn. */
export async function* whileKnown<Item>(
  { keyId }: Caller,
  keys: Pick<KeyRecords, 'named'>,
  items: AsyncIterable<Item>,
): AsyncGenerator<Item> {
  let checkedAt = Date.now();
  for await (const item of items) {
    if (keyId !== undefined && Date.now() - checkedAt >= keyCheckMs) {
      // An unreachable store is no reason to end what was allowed.
      const isKnown = await keys.named(keyId).catch(() => true);
      if (!isKnown) throw new HTTPException(401, { message: unknownKeyWords });
      checkedAt = Date.now();
    }
    yield item;
  }
}

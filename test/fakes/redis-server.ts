/** Real Redis servers for tests: each on a free port of loopback, in a folder of its own. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { RedisClient } from '@redis/client';
import type { Certificate } from './certificates.ts';

/** Ended with the tests, however those end. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** How a server is started. */
export interface RedisServerOptions {
  /** Command-line settings by name, e.g. `{ appendonly: 'yes' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Has it take connections by TLS alone, and show this. */
  readonly certificate?: Certificate | undefined;
}

/** How a server is spoken to. */
export interface Speaking {
  readonly password?: string | undefined;
  /** By TLS, trusting who signed this. */
  readonly certificate?: Certificate | undefined;
}

/** A connection that stays open until it is closed. */
export interface RedisConnection {
  command(...words: readonly string[]): Promise<unknown>;
  close(): void;
}

/** A server that runs. */
export interface RedisServer {
  readonly port: number;
  /** `redis://127.0.0.1:<port>`, with TLS `rediss://localhost:<port>`; the test adds user and password. */
  readonly url: string;
  /** Sends a command on a connection of its own. */
  command(...words: readonly string[]): Promise<unknown>;
  /** Opens a connection beside those of the store. */
  connect(password?: string): Promise<RedisConnection>;
  /** Halts it, so that it takes what is sent and answers nothing, until `resume`. */
  pause(): void;
  resume(): void;
  /** Ends it as a crash would, and waits until it is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same port, with what it kept in its folder. */
  restart(): Promise<void>;
  /** Ends it and removes its folder. */
  remove(): Promise<void>;
}

const program = 'redis-server';
const saidByServer = 'Ready to accept connections';
const mostTries = 5;

/** Debian's and Ubuntu's package. */
const install = 'apt-get install -y --no-install-recommends redis-server';

/**
 * Installs Debian's package where there is no `redis-server` on the path and where it may be done
 * without asking: as root, or by sudo without a password. Runs once, before all tests.
 */
export function installRedisServer(environment = process.env): void {
  if (hasRedisServer(environment)) return;
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const apt = (...words: readonly string[]) => {
    const [first = 'apt-get', ...rest] = [...asRoot, 'apt-get', ...words];
    return runs(first, rest, { ...environment, DEBIAN_FRONTEND: 'noninteractive' });
  };
  // Whether it worked is seen by the tests that need it: the others run all the same.
  if (apt('update')) apt(...install.split(' ').slice(1));
}

/** Throws an error that says what to install where there is no `redis-server` on the path. */
export function assertRedisServer(environment = process.env): void {
  if (hasRedisServer(environment)) return;
  throw new Error(
    `These tests need the program redis-server (7 or newer) on the path. Install it, e.g. on Debian or Ubuntu: sudo ${install}; on macOS: brew install redis. Then run them again.`,
  );
}

function hasRedisServer(environment: NodeJS.ProcessEnv): boolean {
  return runs(program, ['--version'], environment);
}

function runs(name: string, words: readonly string[], environment: NodeJS.ProcessEnv): boolean {
  return spawnSync(name, words, { env: environment, stdio: 'ignore' }).status === 0;
}

let isFound = false;

/** Starts a server that keeps nothing on disk unless the settings say so. */
export async function startRedisServer({
  settings = {},
  certificate,
}: RedisServerOptions = {}): Promise<RedisServer> {
  if (!isFound) assertRedisServer();
  isFound = true;
  const folder = await mkdtemp(join(tmpdir(), 'council-redis-'));
  const common = {
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'no',
    ...(certificate && encryption(certificate)),
    ...settings,
  };
  const words = Object.entries(common).flatMap(([name, value]) => [`--${name}`, value]);
  const first = await startOnFreePort({ words, certificate });
  const { port } = first;
  let { child } = first;

  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  return {
    port,
    url: certificate ? `rediss://localhost:${port}` : `redis://127.0.0.1:${port}`,
    command: async (...sent) => {
      const connection = await connect(port, { certificate });
      try {
        return await connection.command(...sent);
      } finally {
        connection.close();
      }
    },
    connect: (password) => connect(port, { password, certificate }),
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    kill,
    restart: async () => {
      await kill();
      child = await start([...words, ...portWords(port, certificate)], saidByServer);
    },
    remove: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Settings, of servers and sentinels, to speak by TLS with everybody. */
export function encryption({ certificateFile, keyFile, authorityFile }: Certificate) {
  return {
    'tls-cert-file': certificateFile,
    'tls-key-file': keyFile,
    'tls-ca-cert-file': authorityFile,
    'tls-auth-clients': 'no',
    'tls-replication': 'yes',
    'tls-cluster': 'yes',
  } as const;
}

const replies = { RESP: 2 } as const;
/** `createClient` would make all of the library's commands anew for each port, in 30 ms of CPU. */
const makeClient = RedisClient.factory(replies);

/** Connects to a server, or to a sentinel, on loopback. */
export async function connect(
  port: number,
  { password, certificate }: Speaking = {},
): Promise<RedisConnection> {
  const socket = certificate
    ? { host: 'localhost', tls: true as const, ca: readFileSync(certificate.authorityFile) }
    : { host: '127.0.0.1' };
  const client = makeClient({
    ...replies,
    ...(password !== undefined && { password }),
    socket: { ...socket, port },
    maintNotifications: 'disabled',
  });
  // Trouble is thrown by the command itself.
  client.on('error', () => undefined);
  await client.connect();
  return {
    command: (...words) => client.sendCommand([...words]),
    close: () => client.destroy(),
  };
}

/** How a program is started, but for its port. */
interface Start {
  readonly words: readonly string[];
  readonly certificate?: Certificate | undefined;
  /** Default: what a server says. */
  readonly saidWhenReady?: string;
}

/** Between the look for a free port and its use, someone else may have taken it: then another is tried. */
export async function startOnFreePort({
  words,
  certificate,
  saidWhenReady = saidByServer,
}: Start): Promise<{ readonly port: number; readonly child: ChildProcess }> {
  for (let tries = 1; ; tries += 1) {
    const port = await freePort();
    try {
      const child = await start([...words, ...portWords(port, certificate)], saidWhenReady);
      return { port, child };
    } catch (error) {
      const isTaken = error instanceof Error && error.message.includes('Address already in use');
      if (!isTaken || tries === mostTries) throw error;
    }
  }
}

function portWords(port: number, certificate: Certificate | undefined): readonly string[] {
  return certificate ? ['--port', '0', '--tls-port', String(port)] : ['--port', String(port)];
}

/** Starts the program and waits until it says that it takes connections. */
async function start(words: readonly string[], saidWhenReady: string): Promise<ChildProcess> {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (line.includes(saidWhenReady)) {
      // What it says later is read and dropped: a full pipe would halt it.
      child.stdout.resume();
      return child;
    }
  }
  const needsTls = words.includes('--tls-port')
    ? ' It has to be one that is built with TLS, as those of Debian and Homebrew are (make BUILD_TLS=yes).'
    : '';
  throw new Error(`redis-server ended before it was ready.${needsTls}\n${said.join('\n')}`);
}

/**
 * A port that no one listens on now. It is below those that systems give to outgoing connections: one of
 * them, often of a program that tries to reach a server that is away, could hold the port when the
 * server comes back.
 */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = randomInt(10_000, 32_768);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (tries === mostTries) throw error;
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}

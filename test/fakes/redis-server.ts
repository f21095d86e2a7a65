/** Real Redis servers for tests: each on a free port of loopback, in a folder of its own. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient } from 'redis';

/** Ended with the tests, however those end. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** How a server is started. */
export interface RedisServerOptions {
  /** Command-line settings by name, e.g. `{ appendonly: 'yes' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A connection that stays open until it is closed. */
export interface RedisConnection {
  command(...words: readonly string[]): Promise<unknown>;
  close(): void;
}

/** A server that runs. */
export interface RedisServer {
  readonly port: number;
  /** `redis://127.0.0.1:<port>`; the test adds user and password. */
  readonly url: string;
  /** Sends a command on a connection of its own. */
  command(...words: readonly string[]): Promise<unknown>;
  /** Opens a connection beside those of the store. */
  connect(): Promise<RedisConnection>;
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

/** Debian's and Ubuntu's package. */
const install = 'apt-get install -y --no-install-recommends redis-server';

/**
 * The program `redis-server`: from the path, or else installed as Debian's package where that may be
 * done without asking (root, or sudo without a password). Throws an error that says what to install.
 */
export function redisServerProgram(environment = process.env): string {
  const program = 'redis-server';
  const isThere = () => runs(program, ['--version'], environment);
  if (isThere()) return program;
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const apt = (...words: readonly string[]) => {
    const [first = 'apt-get', ...rest] = [...asRoot, 'apt-get', ...words];
    return runs(first, rest, { ...environment, DEBIAN_FRONTEND: 'noninteractive' });
  };
  const isInstalled = apt('update') && apt(...install.split(' ').slice(1));
  if (isInstalled && isThere()) return program;
  throw new Error(
    `These tests need the program redis-server (7 or newer) on the path. Install it, e.g. on Debian or Ubuntu: sudo ${install}; on macOS: brew install redis. Then run them again.`,
  );
}

function runs(program: string, words: readonly string[], environment: NodeJS.ProcessEnv): boolean {
  return spawnSync(program, words, { env: environment, stdio: 'ignore' }).status === 0;
}

/** Starts a server that keeps nothing on disk unless the settings say so. */
export async function startRedisServer({
  settings = {},
}: RedisServerOptions = {}): Promise<RedisServer> {
  const program = redisServerProgram();
  const folder = await mkdtemp(join(tmpdir(), 'council-redis-'));
  const port = await freePort();
  const words = Object.entries({
    bind: '127.0.0.1',
    port: String(port),
    dir: folder,
    save: '',
    appendonly: 'no',
    'enable-debug-command': 'yes',
    ...settings,
  }).flatMap(([name, value]) => [`--${name}`, value]);
  let child = await start(program, words);

  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    command: async (...sent) => {
      const connection = await connect(port);
      try {
        return await connection.command(...sent);
      } finally {
        connection.close();
      }
    },
    connect: () => connect(port),
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    kill,
    restart: async () => {
      await kill();
      child = await start(program, words);
    },
    remove: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function connect(port: number): Promise<RedisConnection> {
  const client = createClient({
    url: `redis://127.0.0.1:${port}`,
    RESP: 2,
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

/** Starts the program and waits until it says that it takes connections. */
async function start(program: string, words: readonly string[]): Promise<ChildProcess> {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (line.includes('Ready to accept connections')) {
      // What it says later is read and dropped: a full pipe would halt it.
      child.stdout.resume();
      return child;
    }
  }
  throw new Error(`redis-server ended before it was ready:\n${said.join('\n')}`);
}

/** A port that nobody listens on now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port was given.');
  server.close();
  await once(server, 'close');
  return address.port;
}

/** The entry point, and the only file that reads the environment. Starts one task. */

import { fstatSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { parseArguments } from './app/operator/command-line.ts';
import { exitNow, listenForSignals } from './app/operator/ending.ts';
import type { Invocation, TaskContext } from './app/tasks/task.ts';
import { canRedraw, isReaderGone, wantsColour } from './platforms/terminal/page.ts';

// Each task's code is loaded when that task starts: `--version` should not load a database.

const root = join(import.meta.dirname, '..');

/** Below this width no layout is readable. */
const leastColumns = 20;

/** Time for cleanup after the grace period of running questions, in milliseconds. */
const cleanupMs = 5000;

async function main(): Promise<number> {
  process.stdout.on('error', (error) => {
    if (!isReaderGone(error)) giveUp(`The output can't be written: ${error.message}`);
  });
  // The bot goes on if its log can't be written, e.g. to a full disk.
  process.stderr.on('error', () => undefined);
  const invocation = parseArguments(process.argv.slice(2), ownVersion());
  if (invocation.task === 'print') {
    const stream = invocation.exitCode === 0 ? process.stdout : process.stderr;
    stream.write(invocation.text);
    return invocation.exitCode;
  }
  try {
    return await run(invocation, await readContext(invocation));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const code = await exitCodeOf(error);
    if (code === undefined) throw error;
    process.stderr.write(`${error.message}\n`);
    return code;
  }
}

async function run(
  invocation: Exclude<Invocation, { task: 'print' }>,
  context: TaskContext,
): Promise<number> {
  switch (invocation.task) {
    case 'chat':
      return converse(context, invocation);
    case 'ask':
      return (await import('./app/tasks/ask.ts')).ask(context, invocation);
    case 'command':
      return (await import('./app/tasks/ask.ts')).runCommandTask(context, invocation);
    case 'export':
      return (await import('./app/tasks/records.ts')).exportTask(context, invocation);
    case 'person':
      return (await import('./app/tasks/maintenance.ts')).personTask(context, invocation);
    case 'leaderboard':
      return (await import('./app/tasks/records.ts')).leaderboardTask(context, invocation);
    case 'import':
      return (await import('./app/tasks/records.ts')).importTask(context, invocation);
    case 'queue':
      return (await import('./app/tasks/queue.ts')).queueTask(context, invocation);
    case 'keys':
      return (await import('./app/tasks/maintenance.ts')).keysTask(context, invocation);
    case 'store':
      return (await import('./app/tasks/maintenance.ts')).storeTask(context, invocation);
    case 'setup':
      return (await import('./app/tasks/setup.ts')).setupTask(context, invocation.options);
    case 'doctor':
      return (await import('./app/tasks/doctor.ts')).doctor(context, invocation.reach);
    case 'health':
      return (await import('./app/operator/health.ts')).healthTask(context);
    case 'web':
      await (await import('./app/tasks/serve.ts')).serveWeb(context, invocation.port);
      return 0;
    case 'mcp':
      await (await import('./app/tasks/serve.ts')).mcpTask(context);
      return 0;
    case 'try-live':
      return (await import('./app/tasks/try-live.ts')).tryLive(context, invocation.channels);
  }
}

/**
 * Serves the platforms that are configured. Talks in the terminal if there are none, or if the command line
 * asks for it.
 */
async function converse(
  context: TaskContext,
  invocation: Extract<Invocation, { task: 'chat' }>,
): Promise<number> {
  const { isHere, thread, first } = invocation;
  if (isHere === undefined && thread === undefined && first === undefined) {
    const { assertServable, hasPlatforms } = await import('./app/platforms.ts');
    if (hasPlatforms(context.config)) {
      await (await import('./app/tasks/serve.ts')).serve(context);
      return 0;
    }
    assertServable(context.config);
  }
  const { chat } = await import('./app/tasks/chat.ts');
  let current = context;
  let exit = await chat(current, invocation);
  while (exit === 'setup') {
    current = await setUp(current);
    if (current.ending.aborted) return 0;
    exit = await chat(current, thread === undefined ? {} : { thread });
  }
  return exit === 'failed' ? 1 : 0;
}

/** Runs the set-up, and reloads the configuration if it wrote anything. */
async function setUp(context: TaskContext): Promise<TaskContext> {
  const { setup } = await import('./app/tasks/setup.ts');
  if (!(await setup(context))) return context;
  const { loadConfig } = await import('./settings/load.ts');
  return { ...context, config: loadConfig(context.places) };
}

/** Reads the configuration and the environment. */
async function readContext({ task, configFolder }: Invocation): Promise<TaskContext> {
  const { configPathIn, loadConfig } = await import('./settings/load.ts');
  const user = personAtTerminal();
  // npm runs the program in its own folder, wherever it was called.
  const folder = process.env.INIT_CWD ?? process.cwd();
  const named = configFolder ?? configPathIn(process.env) ?? join(root, 'config');
  const places = { directory: resolve(folder, named), environment: process.env };
  const config = loadConfig(places);
  const { proxy } = config;
  // For all that goes out over HTTP or by WebSocket. Node before 24.14 reads only NODE_USE_ENV_PROXY.
  http.setGlobalProxyFromEnv?.(Object.fromEntries(proxy.names.map((one) => [one, proxy.get(one)])));
  return {
    config,
    places,
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    colour: wantsColour(process.env, process.stdout),
    isLive: canRedraw(process.env, process.stdout),
    columns: printedColumns(),
    ...listenForSignals(
      config.settings.limits.shutdownGraceMs + cleanupMs,
      task === 'chat' || task === 'web' || task === 'mcp',
    ),
    giveUp,
    userName: user.name,
    historyPath: join(user.home, '.council_history'),
    folder,
  };
}

function giveUp(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  exitNow(1);
}

/** The width to wrap printed output to: a terminal, `less` and the like would break long lines inside words. */
function printedColumns(): number | undefined {
  const { stdout, stderr, env } = process;
  const isPipe = !stdout.isTTY && fstatSync(stdout.fd).isFIFO();
  const columns = stdout.columns || Number(env.COLUMNS) || (isPipe ? stderr.columns : 0);
  return columns > 0 ? Math.max(leastColumns, columns) : undefined;
}

/** The person at the terminal. In a container the user id may have no name and no home directory. */
function personAtTerminal(): { readonly name: string; readonly home: string } {
  try {
    return { name: userInfo().username, home: homedir() };
  } catch {
    return { name: 'somebody', home: process.env.HOME ?? tmpdir() };
  }
}

/** `EX_CONFIG` of sysexits.h: a supervisor need not retry before the operator has changed something. */
const configurationExitCode = 78;

/** The exit code for an error whose message is all the operator needs; `undefined` if the stack trace matters. */
async function exitCodeOf(error: Error): Promise<number | undefined> {
  const { MissingKeyError } = await import('./app/models.ts');
  const { CoordinationError } = await import('./queue/coordination.ts');
  const { ConfigError } = await import('./settings/config-source.ts');
  const { StoreError } = await import('./store/store.ts');
  const { SetupError, UnansweredError } = await import('./platforms/chat/pacing/platform-error.ts');
  const isOneOf = (kinds: readonly (abstract new (...args: never) => Error)[]) =>
    kinds.some((kind) => error instanceof kind);
  const lasting: readonly string[] = ['too_new', 'corrupt', 'refused'];
  const isUnusable = error instanceof StoreError && lasting.includes(error.reason);
  const setupErrors = [ConfigError, MissingKeyError, SetupError];
  if (isUnusable || isOneOf(setupErrors)) return configurationExitCode;
  const retryable = [StoreError, CoordinationError, UnansweredError];
  return isOneOf(retryable) ? 1 : undefined;
}

function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
}

const exitCode = await main();
process.exitCode = exitCode;
// A failed task may leave connections open; don't let them keep the process alive.
if (exitCode !== 0) setTimeout(() => exitNow(exitCode), cleanupMs).unref();

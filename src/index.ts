/** Where the process begins: the only file that reads the environment. Starts one task. */

import { fstatSync, readFileSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { parseArguments } from './app/operator/command-line.ts';
import { endNow, hearOfEnding } from './app/operator/ending.ts';
import type { Surroundings } from './app/session.ts';
import type { Invocation } from './app/tasks/task.ts';
import { isReaderGone, wantsColour } from './platforms/terminal/page.ts';

// What one task alone needs is loaded when that task is started: `--version` should not load a database.

const root = fileURLToPath(new URL('..', import.meta.url));

/** Narrower, no layout is of use. */
const leastColumns = 20;

/** How long an orderly end may take after the grace of running questions, in milliseconds. */
const tidyingMs = 5000;

async function main(): Promise<number> {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (!isReaderGone(error)) throw error;
    });
  }
  const invocation = parseArguments(process.argv.slice(2), ownVersion());
  if (invocation.task === 'print') {
    const stream = invocation.exitCode === 0 ? process.stdout : process.stderr;
    stream.write(invocation.text);
    return invocation.exitCode;
  }
  try {
    return await run(invocation, await look(invocation));
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
  around: Surroundings,
): Promise<number> {
  switch (invocation.task) {
    case 'chat':
      return converse(around, invocation);
    case 'ask':
      return (await import('./app/tasks/ask.ts')).ask(around, invocation);
    case 'command':
      return (await import('./app/tasks/ask.ts')).runCommandTask(around, invocation);
    case 'export':
      return (await import('./app/tasks/records.ts')).exportTask(around, invocation);
    case 'leaderboard':
      return (await import('./app/tasks/records.ts')).leaderboardTask(around, invocation);
    case 'import':
      return (await import('./app/tasks/records.ts')).importTask(around, invocation);
    case 'queue':
      return (await import('./app/tasks/queue.ts')).queueTask(around, invocation);
    case 'keys':
      return (await import('./app/tasks/keys.ts')).keysTask(around, invocation);
    case 'store':
      return (await import('./app/tasks/store.ts')).storeTask(around, invocation);
    case 'setup':
      return (await import('./app/tasks/setup.ts')).setupTask(around, invocation.options);
    case 'doctor':
      return (await import('./app/tasks/doctor.ts')).doctor(around, invocation.reach);
    case 'health':
      return (await import('./app/operator/health.ts')).healthTask(around);
    case 'web':
      await (await import('./app/tasks/serve.ts')).serveWeb(around, invocation.port);
      return 0;
    case 'mcp':
      await (await import('./app/tasks/serve.ts')).mcpTask(around);
      return 0;
    case 'try-live':
      return (await import('./app/tasks/try-live.ts')).tryLive(around, invocation.channels);
  }
}

/** In the chats whose tokens are set; in the terminal where none is, or where it was asked for. */
async function converse(
  around: Surroundings,
  asked: Extract<Invocation, { task: 'chat' }>,
): Promise<number> {
  const { hasPlatforms } = await import('./app/platforms.ts');
  const isHere = asked.thread !== undefined || asked.first !== undefined;
  if (!isHere && hasPlatforms(around.config)) {
    await (await import('./app/tasks/serve.ts')).serve(around);
    return 0;
  }
  const { chat } = await import('./app/tasks/chat.ts');
  const { first: _, ...again } = asked;
  let here = around;
  for (let wish = await chat(here, asked); wish === 'setup'; wish = await chat(here, again)) {
    here = await setUp(here);
  }
  return 0;
}

/** Lets the person set models up, and reads what is written then. */
async function setUp(around: Surroundings): Promise<Surroundings> {
  const { setup } = await import('./app/tasks/setup.ts');
  if (!(await setup(around))) return around;
  const { loadConfig } = await import('./settings/load.ts');
  return { ...around, config: loadConfig(around.places) };
}

/** Reads configuration and environment, once. */
async function look({ configFolder }: Invocation): Promise<Surroundings> {
  const { configPathIn, loadConfig } = await import('./settings/load.ts');
  const user = personAtTerminal();
  const directory = configFolder ?? configPathIn(process.env) ?? join(root, 'config');
  const places = { directory, environment: process.env };
  const config = loadConfig(places);
  return {
    ...{ config, places },
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    colour: wantsColour(process.env, process.stdout),
    columns: pipedColumns(),
    ...hearOfEnding(config.settings.limits.shutdownGraceMs + tidyingMs),
    giveUp: (sentence) => {
      process.stderr.write(`${sentence}\n`);
      endNow(1);
    },
    userName: user.name,
    historyPath: join(user.home, '.council_history'),
  };
}

/** Read in a terminal, e.g. through `less`, long lines would be broken within words. */
function pipedColumns(): number | undefined {
  const { stdout, stderr, env } = process;
  const isPipe = !stdout.isTTY && fstatSync(stdout.fd).isFIFO();
  const columns = Number(env.COLUMNS) || (isPipe ? stderr.columns : 0);
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

/** What has to be changed before a start can succeed: `EX_CONFIG` of sysexits.h, so that a supervisor can tell. */
const toBeChanged = 78;

/** For an error whose message tells the operator everything, so that a stack would only hide it. */
async function exitCodeOf(error: Error): Promise<number | undefined> {
  const { MissingKeyError } = await import('./app/models.ts');
  const { CoordinationError } = await import('./queue/coordination.ts');
  const { ConfigError } = await import('./settings/config-source.ts');
  const { StoreError } = await import('./store/store.ts');
  const discord = await import('./platforms/discord/discord-error.ts');
  const slack = await import('./platforms/slack/slack-error.ts');
  const { WebSetupError } = await import('./platforms/web/server.ts');
  const isOneOf = (kinds: readonly (abstract new (...args: never) => Error)[]) =>
    kinds.some((kind) => error instanceof kind);
  const { DiscordSetupError, DiscordUnanswered } = discord;
  const { SlackSetupError, SlackUnanswered } = slack;
  const isUnreadable =
    error instanceof StoreError && (error.reason === 'too_new' || error.reason === 'corrupt');
  const setUp = [
    ...[ConfigError, MissingKeyError, DiscordSetupError, SlackSetupError],
    WebSetupError,
  ];
  if (isUnreadable || isOneOf(setUp)) return toBeChanged;
  const mayPass = [StoreError, CoordinationError, DiscordUnanswered, SlackUnanswered];
  return isOneOf(mayPass) ? 1 : undefined;
}

function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
}

const exitCode = await main();
process.exitCode = exitCode;
// A task that failed may have left connections open; they don't keep the process longer than this.
if (exitCode !== 0) setTimeout(() => endNow(exitCode), tidyingMs).unref();

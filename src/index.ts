/** Where the process begins: the only file that reads the environment. Starts one task. */

import { readFileSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { MissingKeyError } from './app/models.ts';
import { parseArguments } from './app/operator/command-line.ts';
import { endNow, hearOfEnding } from './app/operator/ending.ts';
import { hasPlatforms } from './app/platforms.ts';
import type { Surroundings } from './app/session.ts';
import { ask } from './app/tasks/ask.ts';
import { chat } from './app/tasks/chat.ts';
import { runCommandTask } from './app/tasks/command.ts';
import { doctor } from './app/tasks/doctor.ts';
import { exportTask } from './app/tasks/export.ts';
import { importTask } from './app/tasks/import.ts';
import { queueTask } from './app/tasks/queue.ts';
import { serve } from './app/tasks/serve.ts';
import { storeTask } from './app/tasks/store.ts';
import type { Invocation } from './app/tasks/task.ts';
import { DiscordSetupError, DiscordUnanswered } from './platforms/discord/discord-error.ts';
import { SlackSetupError, SlackUnanswered } from './platforms/slack/slack-error.ts';
import { isReaderGone, wantsColour } from './platforms/terminal/page.ts';
import { CoordinationError } from './queue/coordination.ts';
import { ConfigError } from './settings/config-error.ts';
import { configPathIn, loadConfig } from './settings/load.ts';
import { StoreError } from './store/store.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

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
    return await run(invocation, look(invocation));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (!errorsForTheOperator.some((kind) => error instanceof kind)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

async function run(
  invocation: Exclude<Invocation, { task: 'print' }>,
  around: Surroundings,
): Promise<number> {
  switch (invocation.task) {
    case 'chat': {
      const { thread, first } = invocation;
      const isChat = thread !== undefined || first !== undefined;
      if (!isChat && hasPlatforms(around.config)) await serve(around);
      else await chat(around, invocation);
      return 0;
    }
    case 'ask':
      return ask(around, invocation);
    case 'command':
      await runCommandTask(around, invocation);
      return 0;
    case 'export':
      return exportTask(around, invocation);
    case 'import':
      return importTask(around, invocation);
    case 'queue':
      return queueTask(around, invocation);
    case 'store':
      return storeTask(around, invocation);
    case 'doctor':
      return doctor(around, invocation.isOffline);
  }
}

/** Reads configuration and environment, once. */
function look({ configFolder }: Invocation): Surroundings {
  const user = personAtTerminal();
  const directory = configFolder ?? configPathIn(process.env) ?? join(root, 'config');
  const config = loadConfig({ directory, environment: process.env });
  const ending = hearOfEnding(config.settings.limits.shutdownGraceMs + tidyingMs);
  return {
    config,
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    colour: wantsColour(process.env, process.stdout),
    ending: ending.signal,
    onInterrupt: ending.onInterrupt,
    giveUp: (sentence) => {
      process.stderr.write(`${sentence}\n`);
      endNow(1);
    },
    userName: user.name,
    historyPath: join(user.home, '.council_history'),
  };
}

/** The person at the terminal. In a container the user id may have no name and no home directory. */
function personAtTerminal(): { readonly name: string; readonly home: string } {
  try {
    return { name: userInfo().username, home: homedir() };
  } catch {
    return { name: 'somebody', home: process.env.HOME ?? tmpdir() };
  }
}

/** Errors whose message tells the operator everything; a stack would only hide it. */
const errorsForTheOperator = [
  ...[ConfigError, MissingKeyError, StoreError, CoordinationError],
  ...[DiscordSetupError, DiscordUnanswered, SlackSetupError, SlackUnanswered],
];

function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
}

const exitCode = await main();
process.exitCode = exitCode;
// A task that failed may have left connections open; they don't keep the process longer than this.
if (exitCode !== 0) setTimeout(() => endNow(exitCode), tidyingMs).unref();

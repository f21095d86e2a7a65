/** The tasks that serve others: every configured platform, the web alone, or a program over MCP. */

import { noModel } from '../../models/chat-model.ts';
import type { ServedPlatform } from '../../platforms/platform.ts';
import { localCaller } from '../../platforms/web/caller.ts';
import type { Web } from '../../platforms/web/web.ts';
import type { Role } from '../../settings/environment.ts';
import { type Application, openApplication } from '../application.ts';
import { type PartHealth, startHealthServer } from '../operator/health.ts';
import { openPlatforms, openWeb, type Served } from '../platforms.ts';
import { readRecording, recordingNames, storeRecording } from '../recordings.ts';
import { type Startup, startLines, startUp } from '../starting.ts';
import type { TaskContext } from './task.ts';

/** A connection silent for longer needs a restart of the process; it has tried to reconnect before. */
const aliveWithinMs = 300_000;
const defaultPort = 8010;

/**
 * Serves every configured platform until the process is asked to end or a connection ends for good.
 *
 * @throws {SetupError} for problems that the operator has to fix.
 */
export async function serve(context: TaskContext): Promise<void> {
  const { config } = context;
  const startup = await startUp(context, false);
  const { log } = startup;
  let served: readonly Served[] = [];
  await using application = await openApplication({
    ...startup,
    role: config.role,
    platforms: async (store) => {
      served = await openPlatforms(config, { log, store });
      return served.map(({ platform }) => platform);
    },
  });
  await using _health = await healthServer(config.role, served, application, startup);
  await runUntilStopped(config.role, served, application, startup, context);
}

/** Serves the page and the endpoints for programs, and no chat. Without a model, the page shows recorded councils. */
export async function serveWeb(context: TaskContext, port: number | undefined): Promise<void> {
  const { config } = context;
  const startup = await startUp(context, context.errors.isTTY === true);
  const { log, chosenModels } = startup;
  const recordings =
    chosenModels.names.moderator === noModel ? recordingNames.map(readRecording) : [];
  const examples = recordings.map(({ request: { turnId }, title }) => ({ turnId, title }));
  const served: Served[] = [];
  await using application = await openApplication({
    ...startup,
    role: 'all',
    platforms: async (store) => {
      const own = port ?? config.settings.web.port ?? defaultPort;
      served.push(await openWeb(config, own, { log, store, examples }));
      return served.map(({ platform }) => platform);
    },
  });
  for (const recording of recordings) await storeRecording(application.store, recording);
  // A bot on this machine may serve its own health there already.
  await using _health = await healthServer('all', served, application, startup).catch((error) => {
    log.warn({ error }, 'this process serves no health page');
    return undefined;
  });
  await runUntilStopped('all', served, application, startup, context);
}

async function runUntilStopped(
  role: Role,
  served: readonly Served[],
  { bot }: Application,
  startup: Startup,
  { output, config, ending, onInterrupt }: TaskContext,
): Promise<void> {
  const { notice } = startup.chosenModels;
  for (const line of [notice ?? [], await startLines(startup)].flat()) output.write(`${line}\n`);
  const stopped = new Promise<void>((resolve) => onInterrupt(() => resolve()));
  const graceSeconds = config.settings.limits.shutdownGraceMs / 1000;
  onInterrupt(() =>
    output.write(
      `Stopping; running questions get ${graceSeconds} s. Ctrl-C again stops at once. Either way, the next start continues them.\n`,
    ),
  );
  await Promise.race([stopped, bot.start()]);
  if (ending.aborted) return;
  // A worker has no connections.
  if (role === 'worker') {
    const names = served.map(({ platform }) => platform.name).join(' and ');
    output.write(`Runs the questions that gateways accept from ${names}.\n`);
    return stopped;
  }
  for (const { report } of served) for (const line of report()) output.write(`${line}\n`);
  await Promise.race([stopped, ...served.map(({ platform }) => platform.finished)]);
}

async function healthServer(
  role: Role,
  served: readonly Served[],
  { queueHealth }: Application,
  { config, log }: Startup,
): Promise<AsyncDisposable | undefined> {
  const { port, host } = config.settings.health;
  if (port === undefined) return undefined;
  const check = () => [
    // A worker has no connections.
    ...(role === 'worker' ? [] : served.map(({ platform }) => healthOf(platform))),
    { name: 'queue', isAlive: true, ...queueHealth() },
  ];
  return startHealthServer({ port, host, check, log });
}

function healthOf(platform: ServedPlatform): PartHealth {
  const { isListening, silentMs, text } = platform.health();
  const isAlive = silentMs < aliveWithinMs;
  return { name: platform.name, isAlive, isReady: isListening, text };
}

/** Serves MCP until the client closes its end. Standard output carries only the protocol. */
export async function mcpTask(context: TaskContext): Promise<void> {
  const { config, input, output, ending } = context;
  const startup = await startUp(context, true);
  const { log } = startup;
  let web: Web | undefined;
  await using application = await openApplication({
    ...startup,
    role: 'all',
    platforms: async (store) => {
      ({ platform: web } = await openWeb(config, undefined, { log, store }));
      return [web];
    },
  });
  await application.bot.start();
  if (!web || ending.aborted) return;
  const { council } = web;
  const [{ serveStdio, StdioServerTransport }, { councilServer }] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    import('../../platforms/web/mcp.ts'),
  ]);
  const stopped = new Promise<void>((resolve) => context.onInterrupt(() => resolve()));
  const closed = new Promise<void>((resolve) => input.once('close', resolve).once('end', resolve));
  const serve = () => councilServer({ council, caller: localCaller, log });
  const connection = serveStdio(serve, { transport: new StdioServerTransport(input, output) });
  await Promise.race([stopped, closed]);
  await connection.close();
}

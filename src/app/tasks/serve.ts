/** The bot where others reach it: every platform whose tokens are set, the web alone, or a program that starts it (MCP). */

import type { Log } from '../../domain/log.ts';
import { noModel } from '../../models/chat-model.ts';
import type { ServedPlatform } from '../../platforms/platform.ts';
import { localCaller } from '../../platforms/web/caller.ts';
import type { Web } from '../../platforms/web/web.ts';
import type { Config } from '../../settings/load.ts';
import { type Application, openApplication } from '../application.ts';
import { type PartHealth, startHealthServer } from '../operator/health.ts';
import { openPlatforms, openWeb, type Served } from '../platforms.ts';
import { keepRecording, readRecording, recordingNames } from '../recordings.ts';
import type { Surroundings } from '../session.ts';
import { startLines } from '../start-lines.ts';
import { type Begun, begin } from '../starting.ts';

/** How long events may stay out before a restart is the better cure; connecting anew was tried by then. */
const aliveWithinMs = 300_000;
/** Where none is set. */
const usualPort = 8010;

/**
 * Runs until the process is asked to end, or a connection ends for good.
 *
 * @throws {DiscordSetupError} or `SlackSetupError` for what the operator has to change.
 */
export async function serve(around: Surroundings): Promise<void> {
  const { config } = around;
  const begun = await begin(around, false);
  const { log } = begun;
  let served: readonly Served[] = [];
  await using application = await openApplication({
    ...{ ...begun, isServed: true },
    platforms: async (store) => {
      served = await openPlatforms(config, { log, store });
      return served.map(({ platform }) => platform);
    },
    takesUp: ({ threadId }) =>
      served.some(({ platform }) => threadId.startsWith(`${platform.name}:`)),
  });
  const platforms = served.map(({ platform }) => platform);
  await using _health = await healthServer(config, platforms, application, log);
  const names = platforms.map(({ name }) => name).join(' and ');
  await untilAsked(around, begun, application, served, {
    worksFor: config.role === 'worker' ? names : undefined,
  });
}

/** The page and the ways in for programs, with no chat beside them. Without a model, recorded councils can be looked at. */
export async function serveWeb(around: Surroundings, port: number | undefined): Promise<void> {
  const { config } = around;
  const begun = await begin(around, around.errors.isTTY === true);
  const { log, chosenModels } = begun;
  // Without a model there is nothing else to look at.
  const recordings =
    chosenModels.names.moderator === noModel ? recordingNames.map(readRecording) : [];
  const examples = recordings.map(({ request: { turnId }, title }) => ({ turnId, title }));
  const served: Served[] = [];
  await using application = await openApplication({
    ...begun,
    platforms: async (store) => {
      const own = port ?? config.settings.web.port ?? usualPort;
      served.push(await openWeb(config, own, { log, store, examples }));
      return served.map(({ platform }) => platform);
    },
    takesUp: ({ threadId }) => threadId.startsWith('web:'),
  });
  for (const recording of recordings) await keepRecording(application.store, recording);
  await untilAsked(around, begun, application, served, {});
}

/** @param worksFor - Names of the platforms that a worker posts to, which has no connections; absent: it is none. */
async function untilAsked(
  { output, ending, onInterrupt }: Surroundings,
  begun: Begun,
  { bot }: Application,
  served: readonly Served[],
  { worksFor }: { readonly worksFor?: string | undefined },
): Promise<void> {
  for (const line of await startLines(begun)) output.write(`${line}\n`);
  const asked = new Promise<void>((resolve) => onInterrupt(() => resolve()));
  await Promise.race([asked, bot.start(begun.starting)]);
  if (ending.aborted) return;
  if (worksFor !== undefined) {
    output.write(`Runs the questions that gateways accept from ${worksFor}.\n`);
    return asked;
  }
  for (const { report } of served) for (const line of report()) output.write(`${line}\n`);
  await Promise.race([asked, ...served.map(({ platform }) => platform.finished)]);
}

async function healthServer(
  { settings, role }: Config,
  platforms: readonly ServedPlatform[],
  { queueHealth }: Application,
  log: Log,
): Promise<AsyncDisposable | undefined> {
  const { port, host } = settings.health;
  if (port === undefined) return undefined;
  const look = () => [
    // A worker posts without a connection.
    ...(role === 'worker' ? [] : platforms.map(healthOf)),
    { name: 'queue', isAlive: true, ...queueHealth() },
  ];
  return startHealthServer({ port, host, look, log });
}

function healthOf(platform: ServedPlatform): PartHealth {
  const { isListening, silentMs, text } = platform.health();
  const isAlive = silentMs < aliveWithinMs;
  return { name: platform.name, isAlive, isReady: isListening, text };
}

/** Runs until the client closes its end. Standard output carries the protocol and nothing else. */
export async function mcpTask(around: Surroundings): Promise<void> {
  const { config, input, output, ending } = around;
  const begun = await begin(around, true);
  const { log, starting } = begun;
  let web: Web | undefined;
  await using application = await openApplication({
    ...begun,
    platforms: async (store) => {
      ({ platform: web } = await openWeb(config, undefined, { log, store }));
      return [web];
    },
    takesUp: ({ threadId }) => threadId.startsWith('web:local:'),
  });
  await application.bot.start(starting);
  if (!web || ending.aborted) return;
  const { council } = web;
  const [{ serveStdio, StdioServerTransport }, { councilServer }] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    import('../../platforms/web/mcp.ts'),
  ]);
  const asked = new Promise<void>((resolve) => around.onInterrupt(() => resolve()));
  const gone = new Promise<void>((resolve) => input.once('close', resolve).once('end', resolve));
  const serve = () => councilServer({ council, caller: localCaller, log });
  const connection = serveStdio(serve, { transport: new StdioServerTransport(input, output) });
  await Promise.race([asked, gone]);
  await connection.close();
}

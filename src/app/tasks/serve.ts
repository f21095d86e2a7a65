/** The bot where people talk: one process for every platform whose tokens are set. */

import type { Log } from '../../domain/log.ts';
import type { ServedPlatform } from '../../platforms/platform.ts';
import type { Config } from '../../settings/load.ts';
import { type Application, openApplication } from '../application.ts';
import { openSpeakers } from '../open-models.ts';
import { type PartHealth, startHealthServer } from '../operator/health.ts';
import { openPlatforms, type Served } from '../platforms.ts';
import { openLog, type Surroundings } from '../session.ts';
import { startWithin } from '../starting.ts';
import { startLines } from '../who-speaks.ts';

/** How long events may stay out before a restart is the better cure; connecting anew was tried by then. */
const aliveWithinMs = 300_000;

/**
 * Runs until the process is asked to end, or a connection ends for good.
 *
 * @throws {DiscordSetupError} or `SlackSetupError` for what the operator has to change.
 */
export async function serve(around: Surroundings): Promise<void> {
  const { config, output } = around;
  const log = openLog(around, false);
  const starting = startWithin(around);
  const speakers = await starting('models', () => openSpeakers(config, around.ending));
  let served: readonly Served[] = [];
  await using application = await openApplication({
    ...{ config, speakers, log, starting, isServed: true, ending: around.ending },
    platforms: async (store) => {
      served = await openPlatforms(config, { log, store });
      return served.map(({ platform }) => platform);
    },
    takesUp: ({ threadId }) =>
      served.some(({ platform }) => threadId.startsWith(`${platform.name}:`)),
  });
  const platforms = served.map(({ platform }) => platform);
  await using _health = await healthServer(config, platforms, application, log);
  for (const line of await startLines(config, speakers, around.ending)) output.write(`${line}\n`);
  const asked = new Promise<void>((resolve) => around.onInterrupt(() => resolve()));
  await Promise.race([asked, application.bot.start(starting)]);
  if (around.ending.aborted) return;
  if (config.role === 'worker') {
    const names = platforms.map(({ name }) => name).join(' and ');
    output.write(`Works on what the gateways take in from ${names}.\n`);
    await asked;
    return;
  }
  for (const { report } of served) for (const line of report()) output.write(`${line}\n`);
  await Promise.race([asked, ...platforms.map(({ finished }) => finished)]);
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

/** The task `health`: asks the bot that runs here whether it is alive. */

import { hasPlatforms } from '../platforms.ts';
import type { Surroundings } from '../session.ts';

/** A process that is well answers within milliseconds. */
const patienceMs = 10_000;

/** Addresses that mean all of this machine's, of which its loopback is one. */
const everywhere: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * Prints what `/healthz` says.
 *
 * @returns 0 when every part is alive, or when nothing is served because the council talks in the terminal;
 *   1 when a part is not alive, nothing answers, or no port is set.
 */
export async function healthTask({ config, output, errors }: Surroundings): Promise<number> {
  const { port, host } = config.settings.health;
  if (!hasPlatforms(config)) {
    output.write('No token is set for Discord or Slack: there is no bot to ask.\n');
    return 0;
  }
  if (port === undefined) {
    errors.write('No port is set. Set health.port in config/council.yaml.\n');
    return 1;
  }
  const name = everywhere[host] ?? host;
  const address = `http://${name.includes(':') ? `[${name}]` : name}:${port}/healthz`;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(patienceMs) });
    output.write(await response.text());
    return response.ok ? 0 : 1;
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const said = cause instanceof Error ? cause.message : String(cause);
    errors.write(`Nothing answers at ${address}: ${said}\n`);
    return 1;
  }
}

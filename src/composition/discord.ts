/** The bot in Discord: runs until the process is asked to end, or the connection ends for good. */

import { commands } from '../../commands/index.ts';
import type { Config } from '../../config/load.ts';
import type { Check } from '../operator/doctor.ts';
import { startHealthServer } from '../operator/health.ts';
import { createDiscord, type Discord, type DiscordReport } from '../platforms/discord/discord.ts';
import { examineDiscord } from '../platforms/discord/examine.ts';
import { platformName } from '../platforms/discord/thread-id.ts';
import { type Application, openApplication } from './application.ts';
import { openLog, type Surroundings } from './session.ts';
import { openSpeakers } from './speakers.ts';

/** Variable of the environment that holds the bot's token. */
export const discordTokenName = 'DISCORD_TOKEN';

/** How long events may stay out before a restart is the better cure; connecting anew was tried by then. */
const aliveWithinMs = 300_000;

/** @throws {DiscordSetupError} for what the operator has to change. */
export async function serveDiscord(around: Surroundings, token: string): Promise<void> {
  const { config, output } = around;
  const log = openLog(around, false);
  await using speakers = await openSpeakers(config, around.ending);
  const discord = createDiscord({
    ...{ token, commands, log },
    api: config.settings.discord.apiUrl,
  });
  const takesUp = (turn: { readonly threadId: string }) =>
    turn.threadId.startsWith(`${platformName}:`);
  await using application = await openApplication(config, speakers, log, [discord], takesUp, {
    isServed: true,
  });
  await using _health = await healthServer(config, discord, application);
  if (speakers.notice) output.write(`${speakers.notice}\n`);
  const asked = new Promise<void>((resolve) => around.onInterrupt(() => resolve()));
  await application.bot.start();
  if (config.role === 'worker') {
    output.write('Works on what the gateways take in from Discord.\n');
    await asked;
    return;
  }
  for (const line of reportLines(discord.report())) output.write(`${line}\n`);
  await Promise.race([discord.finished, asked]);
}

async function healthServer(
  { settings, role }: Config,
  discord: Discord,
  { queueHealth }: Application,
): Promise<AsyncDisposable | undefined> {
  const { port } = settings.health;
  if (port === undefined) return undefined;
  const look = () => {
    const queue = { name: 'queue', isAlive: true, ...queueHealth() };
    // A worker posts without a connection.
    if (role === 'worker') return [queue];
    const { isListening, silentMs, text } = discord.health();
    const isAlive = silentMs < aliveWithinMs;
    return [{ name: platformName, isAlive, isReady: isListening, text }, queue];
  };
  return startHealthServer({ port, look });
}

/** What the operator should know of the start. */
function reportLines({
  servers,
  readsContent,
  gaps,
  inviteLink,
}: DiscordReport): readonly string[] {
  return [
    `Connected to Discord, in ${servers} ${servers === 1 ? 'server' : 'servers'}.`,
    readsContent
      ? 'Follow-ups in a thread of the council need no mention.'
      : 'Follow-ups have to mention the bot. To change that, switch on “Message Content Intent” in the developer portal, under Bot, and start again.',
    ...gaps.map(({ guild, permission, lost }) => `In ${guild} it lacks ${permission}: ${lost}.`),
    `Add it to a server: ${inviteLink}`,
  ];
}

/** What `doctor` looks at where there is a token. */
export function discordCheck({ settings, secrets }: Config): Check | undefined {
  const token = secrets.get(discordTokenName);
  if (token === undefined) return undefined;
  return {
    name: 'Discord',
    run: async () => examineDiscord({ token, api: settings.discord.apiUrl }),
  };
}

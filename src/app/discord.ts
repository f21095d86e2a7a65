/** The bot in Discord. */

import { commands } from '../../commands/index.ts';
import type { DiscordReport } from '../platforms/discord/discord.ts';
import type { Config } from '../settings/load.ts';
import type { Check } from './operator/doctor.ts';
import type { Offer } from './tasks/serve.ts';

/** Variable of the environment that holds the bot's token. */
const tokenName = 'DISCORD_TOKEN';

/** Absent without a token. */
export function discordOffer({ settings, secrets }: Config): Offer | undefined {
  const token = secrets.get(tokenName);
  if (token === undefined) return undefined;
  return {
    async open({ log }) {
      const { createDiscord } = await import('../platforms/discord/discord.ts');
      const platform = createDiscord({ token, commands, log, api: settings.discord.apiUrl });
      return { platform, report: () => reportLines(platform.report()) };
    },
  };
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
  const token = secrets.get(tokenName);
  if (token === undefined) return undefined;
  return {
    name: 'Discord',
    run: async () => {
      const { examineDiscord } = await import('../platforms/discord/examine.ts');
      return examineDiscord({ token, api: settings.discord.apiUrl });
    },
  };
}

/** A guild whose questions are remembered: what the tests of forgetting in Discord begin with. */

import { expect } from 'vitest';
import { type BotChanges, fileSettings } from '../bot/bot-fixture.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import type { CouncilInDiscord } from '../platforms/discord/discord-world.ts';

export const forgetting: BotChanges = { settings: { ...fileSettings, forgetDeleted: true } };

export function benSays(...lines: readonly string[]) {
  return scriptedModels({ sages: { ben: lines.map((line) => answer(line)) } });
}

/** Everything that is remembered of a guild, by text. */
export async function remembered({ bot }: CouncilInDiscord, guildId: string): Promise<string> {
  const { messages } = bot.store;
  const { threadIds } = await messages.threads(`discord:${guildId}`, { limit: 500 });
  const pages = await Promise.all(threadIds.map((id) => messages.page(id, { limit: 500 })));
  return JSON.stringify(pages);
}

/** Asks by a message that mentions the bot, and waits for the answer. */
export async function mention(council: CouncilInDiscord, text: string, channel = council.channel) {
  const { discord, ada, bot } = council;
  const said = discord.userSays(channel, ada, `<@${discord.applicationId}> ${text}`);
  await expect.poll(() => remembered(council, channel.guildId)).toContain(text);
  await bot.idle();
  return said;
}

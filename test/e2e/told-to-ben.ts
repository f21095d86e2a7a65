/** A question to one sage, and what that sage is told with it. */

import { expect } from 'vitest';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import type { CouncilInDiscord } from '../platforms/discord/discord-world.ts';

export const once = () => scriptedModels({ sages: { ben: [answer('No.')] } });

/** What Ben was told, once he has been asked. */
export function toldTo(models: ReturnType<typeof once>): string {
  return JSON.stringify(models.sage({ key: 'ben' }).requests[0]?.messages);
}

export async function answered(
  { discord, bot }: CouncilInDiscord,
  models: ReturnType<typeof once>,
) {
  await discord.until(() => models.sage({ key: 'ben' }).requests.length === 1, 'the question');
  await bot.idle();
  expect(discord.violations.all).toEqual([]);
}

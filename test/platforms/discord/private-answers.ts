/** What people do with the bot's commands, and what only they see. */

import { type CouncilInDiscord, textOf } from './discord-world.ts';

export type Stored = ReturnType<CouncilInDiscord['discord']['messages']>[number];

/** Custom ids of what can be pressed or chosen on a message. */
export function customIds(message: Stored): readonly string[] {
  return [...JSON.stringify(message.wire.components).matchAll(/"custom_id":"([^"]+)"/g)].map(
    ([, id = '']) => id,
  );
}

export function idWith(message: Stored | undefined, part: string): string {
  const id = message && customIds(message).find((one) => one.includes(part));
  if (!id) throw new Error(`Nothing on the message has ${part}.`);
  return id;
}

/** Waits for the answer to an interaction to be filled. */
export async function answered(
  { discord }: Pick<CouncilInDiscord, 'discord'>,
  interaction: { readonly originalMessageId: string | undefined; readonly channelId: string },
): Promise<Stored> {
  const find = () =>
    discord
      .messages(interaction.channelId)
      .find(
        ({ wire }) => wire.id === interaction.originalMessageId && textOf({ wire }).trim() !== '',
      );
  await discord.until(() => find() !== undefined, 'the answer');
  const found = find();
  if (!found) throw new Error('There is no answer.');
  return found;
}

/** A command without a question. */
export function slash(
  { discord, channel, ada }: Pick<CouncilInDiscord, 'discord' | 'channel' | 'ada'>,
  subcommand: string,
  options: Readonly<Record<string, string>> = {},
  user = ada,
) {
  return discord.slash({ user, channel, command: 'council', subcommand, options });
}

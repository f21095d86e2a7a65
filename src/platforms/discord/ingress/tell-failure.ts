import { type Interaction, type Message, MessageFlags } from 'discord.js';
import type { RefusalBrake } from '../../chat/asking/refusal-brake.ts';
import { answerMessage } from './answer-message.ts';
import { answerOnce } from './first-answer.ts';

const content = 'That did not work, by a fault of the program. The log has the details.';

/**
 * Tells whoever waits for an answer that there is none. Throws what Discord throws.
 *
 * @param brake - Keeps a channel from being filled with it.
 */
export async function tellFailure(
  event: Interaction | Message,
  brake: RefusalBrake,
): Promise<void> {
  if ('author' in event) {
    // Others that were heard may not have been meant for the council at all.
    const isAsked = event.guildId === null || event.mentions.users.has(event.client.user.id);
    if (isAsked && !event.author.bot && brake.take(event.author.id, event.channelId)) {
      await answerMessage(event, content);
    }
    return;
  }
  if (!event.isRepliable() || event.replied) return;
  const flags = MessageFlags.Ephemeral;
  // Takes the place of an answer that was promised. What was to be changed instead stays as it is.
  if (event.deferred) await event.followUp({ content, flags });
  else {
    const told = await answerOnce(() => event.reply({ content, flags }));
    // The answer that promised one is there after all; only Discord's word on it was lost.
    if (told.status !== 'given') await event.webhook.editMessage('@original', { content });
  }
}

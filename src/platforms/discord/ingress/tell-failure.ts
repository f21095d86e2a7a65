import { type Interaction, type Message, MessageFlags } from 'discord.js';
import { answerOnce } from './first-answer.ts';

const content = 'That did not work, by a fault of the program. The log has the details.';

/** Tells whoever waits for an answer that there is none. Throws what Discord throws. */
export async function tellFailure(event: Interaction | Message): Promise<void> {
  if ('author' in event) {
    if (event.guildId === null) await event.reply({ content });
    return;
  }
  if (!event.isRepliable() || event.replied) return;
  if (event.deferred) await event.editReply({ content });
  else {
    const flags = MessageFlags.Ephemeral;
    const told = await answerOnce(() => event.reply({ content, flags }));
    // The answer that promised one is there after all; only Discord's word on it was lost.
    if (told.status !== 'given') await event.webhook.editMessage('@original', { content });
  }
}

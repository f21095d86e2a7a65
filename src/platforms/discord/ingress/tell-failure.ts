import { type Interaction, type Message, MessageFlags } from 'discord.js';

const content = 'That did not work, by a fault of the program. The log has the details.';

/** Tells whoever waits for an answer that there is none. Throws what Discord throws. */
export async function tellFailure(event: Interaction | Message): Promise<void> {
  if ('author' in event) {
    if (event.guildId === null) await event.reply({ content });
    return;
  }
  if (!event.isRepliable()) return;
  if (event.deferred) await event.editReply({ content });
  else if (!event.replied) await event.reply({ content, flags: MessageFlags.Ephemeral });
}

/** Everything that people do in Discord, taken in from the gateway's client and worked on. */

import { type Client, Events, type Interaction, type Message, MessageFlags } from 'discord.js';
import { faultWords } from '../../../../commands/command.ts';
import { withoutRequest } from '../rest/discord-rest.ts';
import type { IngressContext } from './context.ts';
import { answerOnce, isAnsweredAlready } from './first-answer.ts';
import { greet, hearGuildEvents } from './guild-events.ts';
import { InteractionHandler } from './interactions.ts';
import { hearEditedMessage, hearMessage, tellAuthor } from './messages.ts';

/** Sets every listener on a client that is about to connect. */
export function listen(client: Client, context: IngressContext): void {
  const { ingress, log, brake, isStopping } = context;
  const handler = new InteractionHandler(context);

  /** A failure is logged, and the person who waits for an answer is told. */
  const handle = (work: () => Promise<void>, eventId: string, tell: () => Promise<void>) => {
    if (isStopping()) return;
    work().catch(async (error: unknown) => {
      if (isAnsweredAlready(error)) {
        log.info({ eventId }, 'an interaction was delivered again');
        return;
      }
      const facts = { error: withoutRequest(error), eventId };
      log.error(facts, 'a Discord event could not be handled');
      await tell().catch((again: unknown) => {
        log.warn({ ...facts, error: withoutRequest(again) }, 'the person could not be told either');
      });
    });
  };

  client.on(Events.InteractionCreate, (interaction: Interaction) => {
    const tell = () => tellBehind(interaction);
    handle(() => handler.handle(interaction), interaction.id, tell);
  });
  client.on(Events.MessageCreate, (message: Message) => {
    const tell = () => tellAuthor(message, faultWords, brake);
    handle(() => hearMessage(message, context), message.id, tell);
  });
  client.on(Events.GuildCreate, (guild) => {
    if (isStopping()) return;
    greet(guild, context).catch((error: unknown) => {
      log.warn({ error: withoutRequest(error), guild: guild.id }, 'a server could not be greeted');
    });
  });
  client.on(Events.MessageUpdate, (_, message) => {
    // Discord also tells of previews that it has added.
    if (message.partial || message.editedTimestamp === null) return;
    handle(
      () => hearEditedMessage(message, context),
      message.id,
      async () => undefined,
    );
  });
  hearGuildEvents(client, {
    ingress,
    handle: (work, eventId) => {
      if (isStopping()) return;
      work().catch((error: unknown) => {
        log.error({ error, eventId }, 'messages deleted in Discord could not be forgotten');
      });
    },
  });
}

/** Tells the person behind an interaction that nothing comes of it. Throws what Discord throws. */
async function tellBehind(interaction: Interaction): Promise<void> {
  if (!interaction.isRepliable() || interaction.replied) return;
  const told = { content: faultWords, flags: MessageFlags.Ephemeral } as const;
  // Takes the place of an answer that was promised. What was to be changed instead stays as it is.
  if (interaction.deferred) await interaction.followUp(told);
  else {
    const { status } = await answerOnce(() => interaction.reply(told));
    // The answer that promised one is there after all; only Discord's word on it was lost.
    if (status !== 'given') {
      await interaction.webhook.editMessage('@original', { content: faultWords });
    }
  }
}

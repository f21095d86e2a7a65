import type { APIBaseMessage } from 'discord-api-types/v10';

/** A bot as the rule about content sees it. */
export interface Reader {
  readonly botId: string;
  /** Whether it has the privileged message content intent. */
  readonly mayReadContent: boolean;
}

/**
 * A message as a bot may see it. Without the message content intent what people wrote is left out, save in
 * the bot's own messages, in direct messages and where the bot is mentioned. Messages through the bot's own
 * webhooks are not exempt: their author is the webhook (discord-api-docs #5411).
 */
export function visibleTo<Message extends APIBaseMessage & { mentions: readonly { id: string }[] }>(
  reader: Reader,
  message: Message,
  isDirect: boolean,
): Message {
  const answered = message.referenced_message;
  const whole =
    answered === undefined || answered === null
      ? message
      : { ...message, referenced_message: visibleTo(reader, answered, isDirect) };
  const isExempt =
    isDirect ||
    message.author.id === reader.botId ||
    message.mentions.some(({ id }) => id === reader.botId);
  if (reader.mayReadContent || isExempt) return whole;
  const withheld = { ...whole, content: '', embeds: [], attachments: [], components: [] };
  delete withheld.poll;
  return withheld;
}

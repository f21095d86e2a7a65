import { type APIMessage, MessageFlags, MessageType } from 'discord-api-types/v10';
import { refusal, tooManyOldEdits } from '../rest/discord-error.ts';
import type { Call } from '../rest/route.ts';
import type { StoredMessage } from '../world/records.ts';
import { channelOf } from '../world/state.ts';
import { timestamp, type World } from '../world/world.ts';
import { displayedText } from './components.ts';
import { contentProblems, isEmpty, usesComponentsV2 } from './content-limits.ts';
import type { MessageBody } from './message-body.ts';
import { messageParts } from './message-parts.ts';
import { pingsOf } from './pings.ts';
import { editMessage, mentionedUsers } from './post-message.ts';

const hourMs = 3_600_000;

const ordinaryTypes: ReadonlySet<MessageType> = new Set([
  MessageType.Default,
  MessageType.Reply,
  MessageType.ChatInputCommand,
  MessageType.ContextMenuCommand,
]);

/**
 * Edits a message as a request asks. Components V2 stays once it is there; a loading answer is filled.
 *
 * @throws DiscordError 50035, 50006, 50021, 50083, or 30046 for old messages edited too often.
 */
export function revise(
  world: World,
  call: Call,
  message: StoredMessage,
  body: MessageBody,
): StoredMessage {
  const { wire } = message;
  if (!ordinaryTypes.has(wire.type)) throw refusal('systemMessage');
  const flags = flagsAfter(wire.flags ?? 0, body.flags ?? undefined);
  call.refuseIf([
    ...contentProblems(wholeAfter(wire, body), flags),
    ...(isV2Removed(wire.flags ?? 0, body.flags) ? [removedFlag] : []),
  ]);
  const channel = channelOf(world.state, wire.channel_id);
  if (channel.kind === 'thread' && channel.isArchived) throw refusal('archivedThread');
  demandBudget(world, message);
  const before = { ...wire, components: wire.components ?? [] };
  const parts = messageParts(world, wire.channel_id, body, call.files, before);
  if (isEmpty(parts, parts.attachments.length)) throw refusal('emptyMessage');
  const mentioned = pingsOf(world.state, {
    text: `${parts.content}\n${displayedText(parts.components)}`,
    channelId: wire.channel_id,
    authorId: wire.webhook_id === undefined ? wire.author.id : 'webhook',
    repliesTo: undefined,
    allowed: body.allowed_mentions ?? undefined,
  });
  const mentions = mentionedUsers(world.state, mentioned);
  const edited = { ...parts, flags, mentions, edited_timestamp: timestamp(world) };
  return editMessage(world, message, edited);
}

/** The body with what it leaves as it is: an edit to Components V2 has to empty the other fields itself. */
function wholeAfter(wire: APIMessage, body: MessageBody): MessageBody {
  return {
    content: body.content === undefined ? wire.content : body.content,
    embeds: body.embeds === undefined ? wire.embeds : body.embeds,
    components: body.components === undefined ? wire.components : body.components,
  };
}

const removedFlag = {
  path: ['flags'],
  code: 'MESSAGE_FLAG_CANNOT_BE_REMOVED',
  message: 'MessageFlags.IS_COMPONENTS_V2 cannot be removed from a message',
} as const;

function isV2Removed(before: number, wanted: number | null | undefined): boolean {
  return typeof wanted === 'number' && usesComponentsV2(before) && !usesComponentsV2(wanted);
}

function flagsAfter(before: number, wanted: number | undefined): number {
  const settable = MessageFlags.SuppressEmbeds | MessageFlags.IsComponentsV2;
  const settled = wanted === undefined ? before : (before & ~settable) | (wanted & settable);
  return (settled | (before & MessageFlags.IsComponentsV2)) & ~MessageFlags.Loading;
}

function demandBudget(world: World, { wire }: StoredMessage): void {
  if (world.clock.now() - Date.parse(wire.timestamp) < hourMs) return;
  const waitMs = world.rateLimits.takeOldEdit(wire.channel_id);
  if (waitMs !== undefined) throw tooManyOldEdits(waitMs);
}

import { AllowedMentionsTypes, type APIAllowedMentions } from 'discord-api-types/v10';
import { may } from '../world/permissions.ts';
import type { Pings } from '../world/records.ts';
import { channelOf, guildIdOf, guildOf, type State } from '../world/state.ts';

/** No one was notified: edits, and messages that mention no one. */
export const noPings: Pings = { everyone: false, users: [], roles: [] };

/** A message, as far as it matters for whom it notifies. */
export interface Mentioning {
  /** All the text that is shown, components included. */
  readonly text: string;
  readonly channelId: string;
  /** Whose permission decides about `@everyone` and roles; a webhook may mention all. */
  readonly authorId: string | 'webhook';
  /** The author of the message that is answered. */
  readonly repliesTo: string | undefined;
  readonly allowed: APIAllowedMentions | undefined;
}

/** A mention in code is text to Discord: it is not among a message's mentions. */
const code = /```[\s\S]*?```|`[^`\n]+`/g;

/** Whom a message notifies, by Discord's rules: what its text mentions, narrowed by `allowed_mentions`. */
export function pingsOf(state: State, message: Mentioning): Pings {
  const { allowed } = message;
  const text = message.text.replace(code, '');
  const guildId = guildIdOf(channelOf(state, message.channelId));
  const guild = guildId === undefined ? undefined : guildOf(state, guildId);
  const parse = allowed === undefined ? Object.values(AllowedMentionsTypes) : (allowed.parse ?? []);
  const mayMentionAll = isAllowedToMentionAll(state, message);

  const users = unique(text.matchAll(/<@!?(\d+)>/g))
    .filter((id) => state.users.has(id))
    .filter((id) => parse.includes(AllowedMentionsTypes.User) || allowed?.users?.includes(id));
  const roles = unique(text.matchAll(/<@&(\d+)>/g))
    .filter((id) => guild?.roles.get(id)?.mentionable === true || mayMentionAll)
    .filter((id) => guild?.roles.has(id) === true)
    .filter((id) => parse.includes(AllowedMentionsTypes.Role) || allowed?.roles?.includes(id));
  const everyone =
    guild !== undefined &&
    mayMentionAll &&
    parse.includes(AllowedMentionsTypes.Everyone) &&
    /@(everyone|here)\b/.test(text);
  const isReplyPinged = allowed === undefined || allowed.replied_user === true;
  const replied = message.repliesTo !== undefined && isReplyPinged ? [message.repliesTo] : [];
  return { everyone, users: [...new Set([...users, ...replied])], roles };
}

function isAllowedToMentionAll(state: State, { authorId, channelId }: Mentioning): boolean {
  if (authorId === 'webhook') return true;
  return may(state, channelOf(state, channelId), authorId, 'MentionEveryone');
}

function unique(matches: Iterable<RegExpMatchArray>): string[] {
  return [...new Set([...matches].flatMap((match) => match[1] ?? []))];
}

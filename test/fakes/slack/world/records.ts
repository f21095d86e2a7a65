/** What exists in the fake. Ids are as Slack writes them: `T…`, `U…`, `C…`, and `ts` for messages. */

import type { types } from '@slack/bolt';

export type MessageAttachment = types.MessageAttachment;

/** Anything that crosses the wire as JSON. */
export type Json = Readonly<Record<string, unknown>>;

export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  /** Id of the company's organisation of many workspaces, `E…`. */
  readonly organisation?: string;
}

export interface User {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
  readonly realName: string;
  readonly isBot: boolean;
  readonly isAdmin: boolean;
  readonly isOwner: boolean;
  readonly isDeleted: boolean;
}

export interface Channel {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
  readonly kind: 'public' | 'private' | 'direct' | 'group direct';
  /** With another organisation. */
  readonly isShared: boolean;
  readonly creatorId: string;
  readonly members: ReadonlySet<string>;
  readonly isArchived: boolean;
}

/** The app in one workspace. */
export interface Installation {
  readonly teamId: string;
  readonly botToken: string;
  readonly botUserId: string;
  readonly botId: string;
  readonly scopes: ReadonlySet<string>;
  /** Taken away again: its token is `token_revoked`, its events are no longer sent. */
  readonly isRevoked: boolean;
}

export type Author =
  | { readonly kind: 'member'; readonly userId: string }
  | { readonly kind: 'app'; readonly installation: Installation; readonly look: Look };

/** Under which name and picture the app wrote; empty for its own. */
export interface Look {
  readonly username?: string | undefined;
  readonly iconUrl?: string | undefined;
  readonly iconEmoji?: string | undefined;
}

export interface MessageMetadata {
  readonly event_type: string;
  readonly event_payload: Json;
}

export interface Message {
  readonly teamId: string;
  readonly channel: string;
  readonly ts: string;
  /** `ts` of the thread that it answers in; `undefined` for a channel's own messages. */
  readonly threadTs: string | undefined;
  readonly author: Author;
  readonly text: string;
  readonly blocks: readonly Json[];
  readonly metadata: MessageMetadata | undefined;
  /** The one person who sees it. */
  readonly ephemeralFor: string | undefined;
  /** Of a stream: whether it may still be appended to. */
  readonly streaming: 'in_progress' | 'completed' | 'errored' | undefined;
  /** Deleted by its author while a thread hangs on it. */
  readonly isTombstone: boolean;
  readonly editedTs: string | undefined;
  readonly files: readonly Json[];
  /** Shared messages, previews of links, what apps attach. */
  readonly attachments: readonly MessageAttachment[];
}

import type {
  APIAllowedMentions,
  APIEmbed,
  APIMessageTopLevelComponent,
} from 'discord-api-types/v10';

/** What every request that makes or changes a message has in common. */
export interface MessageBody {
  readonly content?: string | null | undefined;
  readonly embeds?: readonly APIEmbed[] | null | undefined;
  readonly components?: readonly APIMessageTopLevelComponent[] | null | undefined;
  readonly flags?: number | null | undefined;
  readonly allowed_mentions?: APIAllowedMentions | null | undefined;
  readonly attachments?: readonly AttachmentBody[] | null | undefined;
  readonly sticker_ids?: readonly string[] | null | undefined;
  readonly poll?: unknown;
  readonly tts?: boolean | null | undefined;
}

/** Describes a file of the same request by its number, or keeps one that is there by its id. */
export interface AttachmentBody {
  readonly id: string;
  readonly filename?: string | null | undefined;
  readonly description?: string | null | undefined;
}

/** A message of the bot itself. */
export interface BotMessageBody extends MessageBody {
  readonly nonce?: string | number | null | undefined;
  readonly enforce_nonce?: boolean | null | undefined;
  readonly message_reference?:
    | {
        readonly message_id: string;
        readonly channel_id?: string | null | undefined;
        readonly fail_if_not_exists?: boolean | null | undefined;
      }
    | null
    | undefined;
}

/** A message through a webhook, which may wear a name and a picture of its own. */
export interface WebhookMessageBody extends MessageBody {
  readonly username?: string | null | undefined;
  readonly avatar_url?: string | null | undefined;
  readonly thread_name?: string | null | undefined;
  readonly applied_tags?: readonly string[] | null | undefined;
}

/** A file that came with a request. */
export interface UploadedFile {
  /** The number in `files[0]`, by which the body may describe it. */
  readonly key: string;
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** The bodies of requests, as far as the fake reads them. Messages are in `messages/message-body.ts`. */

import type {
  APIApplicationCommandOption,
  APIModalInteractionResponseCallbackData,
  APIOverwrite,
  ApplicationCommandType,
  ApplicationIntegrationType,
  ChannelType,
  InteractionContextType,
  InteractionResponseType,
} from 'discord-api-types/v10';
import type { MessageBody } from '../messages/message-body.ts';
import type { AutoArchiveMinutes, AutocompleteChoice } from '../world/records.ts';

type Optional<Value> = Value | null | undefined;

export interface CommandBody {
  readonly name: string;
  readonly description?: Optional<string>;
  readonly type?: Optional<ApplicationCommandType>;
  readonly options?: Optional<APIApplicationCommandOption[]>;
  readonly default_member_permissions?: Optional<number>;
  readonly contexts?: Optional<InteractionContextType[]>;
  readonly integration_types?: Optional<ApplicationIntegrationType[]>;
}

export interface ThreadBody {
  readonly name: string;
  readonly auto_archive_duration?: Optional<AutoArchiveMinutes>;
  readonly type?: Optional<ChannelType>;
}

export interface ForumPostBody extends ThreadBody {
  readonly applied_tags?: Optional<string[]>;
  readonly message: MessageBody;
}

export interface ThreadChange {
  readonly name?: Optional<string>;
  readonly archived?: Optional<boolean>;
  readonly locked?: Optional<boolean>;
  readonly auto_archive_duration?: Optional<AutoArchiveMinutes>;
  readonly applied_tags?: Optional<string[]>;
}

export interface ChannelChange {
  readonly name?: string | undefined;
  readonly topic?: Optional<string>;
  readonly permission_overwrites?: Optional<Partial<APIOverwrite>[]>;
}

export interface DirectChannelBody {
  readonly recipient_id?: Optional<string>;
}

/** The first answer to an interaction. */
export type CallbackBody =
  | { readonly type: InteractionResponseType.Pong }
  | {
      readonly type:
        | InteractionResponseType.ChannelMessageWithSource
        | InteractionResponseType.DeferredChannelMessageWithSource
        | InteractionResponseType.DeferredMessageUpdate
        | InteractionResponseType.UpdateMessage;
      readonly data?: Optional<MessageBody>;
    }
  | {
      readonly type: InteractionResponseType.ApplicationCommandAutocompleteResult;
      readonly data?: { readonly choices?: Optional<AutocompleteChoice[]> } | undefined;
    }
  | {
      readonly type: InteractionResponseType.Modal;
      readonly data: APIModalInteractionResponseCallbackData;
    };

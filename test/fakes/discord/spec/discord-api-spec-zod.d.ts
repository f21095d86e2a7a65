/**
 * The package ships its schemas as JavaScript without types. Requests are typed as far as the fake reads
 * them; answers are only ever checked.
 */
declare module 'discord-api-spec/zod' {
  import type { ZodMiniType } from 'zod/mini';
  import type {
    BotMessageBody,
    MessageBody,
    WebhookMessageBody,
  } from '../messages/message-body.ts';
  import type {
    CallbackBody,
    ChannelChange,
    CommandBody,
    DirectChannelBody,
    ForumPostBody,
    ThreadBody,
    ThreadChange,
  } from './request-bodies.ts';

  export const MessageCreateRequestSchema: ZodMiniType<BotMessageBody>;
  export const MessageEditRequestPartialSchema: ZodMiniType<MessageBody>;
  export const IncomingWebhookRequestPartialSchema: ZodMiniType<WebhookMessageBody>;
  export const IncomingWebhookUpdateRequestPartialSchema: ZodMiniType<MessageBody>;
  export const ApplicationCommandUpdateRequestSchema: ZodMiniType<CommandBody>;
  export const CreateTextThreadWithMessageRequestSchema: ZodMiniType<ThreadBody>;
  export const CreateTextThreadWithoutMessageRequestSchema: ZodMiniType<ThreadBody>;
  export const CreateForumThreadRequestSchema: ZodMiniType<ForumPostBody>;
  export const UpdateThreadRequestPartialSchema: ZodMiniType<ThreadChange>;
  export const UpdateGuildChannelRequestPartialSchema: ZodMiniType<ChannelChange>;
  export const CreatePrivateChannelRequestSchema: ZodMiniType<DirectChannelBody>;

  export const ApplicationCommandAutocompleteCallbackRequestSchema: ZodMiniType<CallbackBody>;
  export const CreateMessageInteractionCallbackRequestSchema: ZodMiniType<CallbackBody>;
  export const ModalInteractionCallbackRequestSchema: ZodMiniType<CallbackBody>;
  export const PongInteractionCallbackRequestSchema: ZodMiniType<CallbackBody>;
  export const UpdateMessageInteractionCallbackRequestSchema: ZodMiniType<CallbackBody>;

  export const ApplicationCommandResponseSchema: ZodMiniType<unknown>;
  export const ApplicationIncomingWebhookResponseSchema: ZodMiniType<unknown>;
  export const CreatedThreadResponseSchema: ZodMiniType<unknown>;
  export const EmojiResponseSchema: ZodMiniType<unknown>;
  export const GatewayBotResponseSchema: ZodMiniType<unknown>;
  export const GuildChannelResponseSchema: ZodMiniType<unknown>;
  export const GuildIncomingWebhookResponseSchema: ZodMiniType<unknown>;
  export const GuildMemberResponseSchema: ZodMiniType<unknown>;
  export const GuildRoleResponseSchema: ZodMiniType<unknown>;
  export const GuildWithCountsResponseSchema: ZodMiniType<unknown>;
  export const InteractionCallbackResponseSchema: ZodMiniType<unknown>;
  export const ListApplicationEmojisResponseSchema: ZodMiniType<unknown>;
  export const MessageResponseSchema: ZodMiniType<unknown>;
  export const MyGuildResponseSchema: ZodMiniType<unknown>;
  export const PrivateApplicationResponseSchema: ZodMiniType<unknown>;
  export const PrivateChannelResponseSchema: ZodMiniType<unknown>;
  export const RatelimitedResponseSchema: ZodMiniType<unknown>;
  export const ThreadMemberResponseSchema: ZodMiniType<unknown>;
  export const ThreadResponseSchema: ZodMiniType<unknown>;
  export const ThreadsResponseSchema: ZodMiniType<unknown>;
  export const UserPIIResponseSchema: ZodMiniType<unknown>;
  export const UserResponseSchema: ZodMiniType<unknown>;
}

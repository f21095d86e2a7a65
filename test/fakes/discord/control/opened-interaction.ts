import {
  type APIBaseInteraction,
  type APIUser,
  ApplicationIntegrationType,
  InteractionContextType,
  type InteractionType,
  Locale,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import { channelPayload } from '../payloads/channels.ts';
import { memberPayload } from '../payloads/users.ts';
import { channelPermissions, demand } from '../world/permissions.ts';
import type { Channel, Interaction } from '../world/records.ts';
import { guildIdOf, guildOf } from '../world/state.ts';
import type { World } from '../world/world.ts';

/** Who interacts, and where. */
export interface InteractionScene {
  readonly user: APIUser;
  readonly channel: Channel;
  /** The app is the user's own and no member of this place. */
  readonly isUserInstalled?: boolean;
}

/** What Discord says an app may do in direct messages. */
const { AttachFiles, EmbedLinks, MentionEveryone } = PermissionFlagsBits;
const ofDirectMessages = AttachFiles | EmbedLinks | MentionEveryone;

type Base = APIBaseInteraction<InteractionType, unknown>;

/** What all interactions have in common on the wire; type and data come on top. */
export type InteractionBase = Omit<Base, 'type' | 'data' | 'message'> &
  Required<Pick<Base, 'app_permissions' | 'channel' | 'channel_id'>>;

/** Notes a new interaction, and makes the part of its payload that does not depend on its kind. */
export function openInteraction(
  world: World,
  scene: InteractionScene,
  kind: { readonly type: InteractionType } & Partial<
    Pick<Interaction, 'sourceMessageId' | 'focusedType'>
  >,
): { readonly interaction: Interaction; readonly base: InteractionBase } {
  const { state } = world;
  const { user, channel } = scene;
  demand(state, channel, user.id);
  const id = world.nextId();
  const interaction: Interaction = {
    id,
    token: `interaction-token-${id}`,
    type: kind.type,
    createdAtMs: world.clock.now(),
    user,
    channelId: channel.id,
    guildId: guildIdOf(channel),
    sourceMessageId: kind.sourceMessageId,
    focusedType: kind.focusedType,
    isUserInstalled: scene.isUserInstalled ?? false,
    acknowledgement: undefined,
    originalMessageId: undefined,
    followUpIds: [],
  };
  state.interactions.set(id, interaction);
  const base = {
    id,
    application_id: world.applicationId,
    token: interaction.token,
    version: 1,
    channel: channelPayload(state, channel),
    channel_id: channel.id,
    app_permissions: `${channel.kind === 'direct' ? ofDirectMessages : channelPermissions(state, channel, world.bot.id)}`,
    locale: Locale.EnglishUS,
    entitlements: [],
    attachment_size_limit: 10 * 1024 * 1024,
    ...placeFields(world, scene),
  } satisfies InteractionBase;
  return { interaction, base };
}

/** In a guild the member with its permissions here; elsewhere the user alone, and no empty fields. */
function placeFields(world: World, { user, channel, isUserInstalled }: InteractionScene) {
  const guildId = guildIdOf(channel);
  const owner =
    isUserInstalled === true
      ? { [ApplicationIntegrationType.UserInstall]: user.id }
      : { [ApplicationIntegrationType.GuildInstall]: guildId ?? '0' };
  if (guildId === undefined) {
    return {
      user,
      context: InteractionContextType.BotDM,
      authorizing_integration_owners: owner,
    };
  }
  const guild = guildOf(world.state, guildId);
  const member = guild.members.get(user.id);
  if (member === undefined) throw new Error(`${user.username} is not a member of ${guild.name}.`);
  const permissions = channelPermissions(world.state, channel, user.id).toString();
  return {
    guild_id: guildId,
    guild: { id: guildId, locale: Locale.EnglishUS, features: [] },
    guild_locale: Locale.EnglishUS,
    member: { ...memberPayload(member), user, permissions },
    context: InteractionContextType.Guild,
    authorizing_integration_owners: owner,
  };
}

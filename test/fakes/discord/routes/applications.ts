import {
  ApplicationCommandResponseSchema,
  ApplicationCommandUpdateRequestSchema,
  GatewayBotResponseSchema,
  PrivateApplicationResponseSchema,
  UserPIIResponseSchema,
} from 'discord-api-spec/zod';
import {
  type APIApplicationCommand,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
} from 'discord-api-types/v10';
import * as z from 'zod/mini';
import { refusal } from '../rest/discord-error.ts';
import { botRoute, type Call, ok } from '../rest/route.ts';
import type { CommandBody } from '../spec/request-bodies.ts';
import { guildOf } from '../world/state.ts';
import type { World } from '../world/world.ts';

const commandsAnswer = z.array(ApplicationCommandResponseSchema);

/** The description wants a number where Discord takes, and clients send, the bits as a string. */
const commandBody = z.pipe(
  z.transform((command: unknown) => {
    const withBits = z.looseObject({ default_member_permissions: z.string() }).safeParse(command);
    return withBits.success
      ? {
          ...withBits.data,
          default_member_permissions: Number(withBits.data.default_member_permissions),
        }
      : command;
  }),
  ApplicationCommandUpdateRequestSchema,
);

/** The bot's own account, its application and its commands, and where the gateway is. */
export const applicationRoutes = [
  botRoute('GET', '/gateway/bot', (world) =>
    ok(GatewayBotResponseSchema, {
      url: `${world.origin().replace('http', 'ws')}/gateway`,
      shards: world.shards,
      session_start_limit: { total: 1000, remaining: 999, reset_after: 0, max_concurrency: 1 },
    }),
  ),

  botRoute('GET', '/users/@me', ({ bot }) =>
    ok(UserPIIResponseSchema, { ...bot, mfa_enabled: true, locale: 'en-US', verified: true }),
  ),

  botRoute('GET', '/applications/@me', (world) =>
    ok(PrivateApplicationResponseSchema, applicationPayload(world)),
  ),

  botRoute('GET', '/applications/{application_id}/commands', (world, call) => {
    demandOwn(world, call);
    return ok(commandsAnswer, world.state.commands);
  }),

  botRoute('PUT', '/applications/{application_id}/commands', (world, call) => {
    demandOwn(world, call);
    world.state.commands = registeredCommands(world, call);
    return ok(commandsAnswer, world.state.commands);
  }),

  botRoute('GET', '/applications/{application_id}/guilds/{guild_id}/commands', (world, call) => {
    demandOwn(world, call);
    return ok(commandsAnswer, guildOf(world.state, call.param('guild_id')).commands);
  }),

  botRoute('PUT', '/applications/{application_id}/guilds/{guild_id}/commands', (world, call) => {
    demandOwn(world, call);
    const guild = guildOf(world.state, call.param('guild_id'));
    guild.commands = registeredCommands(world, call, guild.id);
    return ok(commandsAnswer, guild.commands);
  }),
];

function demandOwn(world: World, call: Call): void {
  if (call.param('application_id') !== world.applicationId) throw refusal('missingAccess');
}

/** Replaces all commands at once; a command that is sent again under its name keeps its id. */
function registeredCommands(world: World, call: Call, guildId?: string): APIApplicationCommand[] {
  const known =
    guildId === undefined ? world.state.commands : guildOf(world.state, guildId).commands;
  return call.body(z.array(commandBody)).map((command) => {
    const type = command.type ?? ApplicationCommandType.ChatInput;
    const before = known.find((other) => other.name === command.name && other.type === type);
    return {
      ...commandPayload(world, command),
      id: before?.id ?? world.nextId(),
      ...(guildId === undefined ? {} : { guild_id: guildId }),
    };
  });
}

function commandPayload(world: World, command: CommandBody): Omit<APIApplicationCommand, 'id'> {
  const permissions = command.default_member_permissions ?? undefined;
  return {
    application_id: world.applicationId,
    version: world.nextId(),
    type: command.type ?? ApplicationCommandType.ChatInput,
    name: command.name,
    description: command.description ?? '',
    default_member_permissions: permissions === undefined ? null : String(permissions),
    nsfw: false,
    contexts: command.contexts ?? [InteractionContextType.Guild, InteractionContextType.BotDM],
    integration_types: command.integration_types ?? [ApplicationIntegrationType.GuildInstall],
    ...(command.options === undefined || command.options === null
      ? {}
      : { options: command.options }),
  };
}

/** The switches for privileged intents are bits of the application's flags. */
function applicationPayload(world: World): object {
  return {
    id: world.applicationId,
    name: world.bot.global_name ?? world.bot.username,
    icon: null,
    description: '',
    type: null,
    bot: world.bot,
    flags: world.applicationFlags,
    flags_new: String(world.applicationFlags),
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: '0'.repeat(64),
    redirect_uris: [],
    interactions_endpoint_url: null,
    role_connections_verification_url: null,
    owner: world.owner,
    team: null,
    approximate_guild_count: world.state.guilds.size,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    explicit_content_filter: 0,
    eligible_oauth2_scopes: [],
  };
}

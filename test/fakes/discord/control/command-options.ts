import {
  type APIApplicationCommand,
  type APIApplicationCommandInteractionDataBasicOption,
  type APIApplicationCommandInteractionDataOption,
  type APIApplicationCommandOption,
  ApplicationCommandOptionType,
  type ApplicationCommandType,
  type InteractionType,
} from 'discord-api-types/v10';
import { guildPermissions } from '../world/permissions.ts';
import { guildIdOf, guildOf } from '../world/state.ts';
import type { World } from '../world/world.ts';
import type { InteractionScene } from './opened-interaction.ts';

export type OptionValues = Readonly<Record<string, string | number | boolean>>;

type DataOption = APIApplicationCommandInteractionDataOption<
  InteractionType.ApplicationCommand | InteractionType.ApplicationCommandAutocomplete
>;
type BasicOption = APIApplicationCommandInteractionDataBasicOption<
  InteractionType.ApplicationCommand | InteractionType.ApplicationCommandAutocomplete
>;

/** Finds what the bot registered. @throws Error when Discord would not offer it here to this user. */
export function offeredCommand(
  world: World,
  scene: InteractionScene,
  name: string,
  type: ApplicationCommandType,
): APIApplicationCommand {
  const guildId = guildIdOf(scene.channel);
  const guild = guildId === undefined ? undefined : guildOf(world.state, guildId);
  const command = [...(guild?.commands ?? []), ...world.state.commands].find(
    (candidate) => candidate.name === name && candidate.type === type,
  );
  if (command === undefined) {
    throw new Error(
      `No command "${name}" of type ${type} is registered; the bot has to PUT it first.`,
    );
  }
  if (guild?.members.has(world.bot.id) === false && scene.isUserInstalled !== true) {
    throw new Error(`The bot is not in ${guild.name}, so its commands are not offered there.`);
  }
  const needed = BigInt(command.default_member_permissions ?? 0);
  if (guild !== undefined && (guildPermissions(guild, scene.user.id) & needed) !== needed) {
    throw new Error(`Discord would not offer "${name}" to ${scene.user.username}.`);
  }
  return command;
}

/** The options of a command, or of one of its subcommands, as an interaction carries them. */
export function dataOptions(
  command: APIApplicationCommand,
  subcommand: string | undefined,
  values: OptionValues,
  focused?: string,
): DataOption[] {
  if (subcommand === undefined) return basicOptions(command.options ?? [], values, focused);
  const registered = command.options?.find(({ name }) => name === subcommand);
  if (registered?.type !== ApplicationCommandOptionType.Subcommand) {
    throw new Error(`"${command.name}" has no subcommand "${subcommand}".`);
  }
  const options = basicOptions(registered.options ?? [], values, focused);
  return [{ type: registered.type, name: subcommand, options }];
}

function basicOptions(
  registered: readonly APIApplicationCommandOption[],
  values: OptionValues,
  focused: string | undefined,
): BasicOption[] {
  const missing = registered.find(
    (option) => 'required' in option && option.required === true && !(option.name in values),
  );
  if (missing !== undefined && focused === undefined) {
    throw new Error(`The option "${missing.name}" is required.`);
  }
  return Object.entries(values).map(([name, value]) => {
    const option = registered.find((candidate) => candidate.name === name);
    if (option === undefined) throw new Error(`There is no option "${name}".`);
    return basicOption(option, value, focused === name);
  });
}

/** Discord's client lets no one send what does not fit the option, so neither does the fake. */
function basicOption(
  option: APIApplicationCommandOption,
  value: string | number | boolean,
  isFocused: boolean,
): BasicOption {
  const { name } = option;
  const focus = isFocused ? { focused: true } : {};
  if (option.type === ApplicationCommandOptionType.String && typeof value === 'string') {
    const { choices, max_length: longest } = option;
    if (choices?.length && !isFocused && !choices.some((choice) => choice.value === value)) {
      throw new Error(`"${value}" is not a choice of "${name}".`);
    }
    if (longest !== undefined && value.length > longest) {
      throw new Error(`"${name}" takes ${longest} characters, not ${value.length}.`);
    }
    return { type: option.type, name, value, ...focus };
  }
  if (option.type === ApplicationCommandOptionType.Integer && Number.isInteger(value)) {
    return { type: option.type, name, value: Number(value), ...focus };
  }
  if (option.type === ApplicationCommandOptionType.Number && typeof value === 'number') {
    return { type: option.type, name, value, ...focus };
  }
  if (option.type === ApplicationCommandOptionType.Boolean && typeof value === 'boolean') {
    return { type: option.type, name, value };
  }
  throw new Error(`The option "${name}" of type ${option.type} does not take a ${typeof value}.`);
}

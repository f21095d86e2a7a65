/**
 * Registers `/council`, with a subcommand for each command, and “Ask the council” on messages; suggests
 * values while people type.
 */

import {
  type ApplicationCommandOptionChoiceData,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  Routes,
} from 'discord.js';
import { z } from 'zod';
import { optionsOf } from '../../../commands/command.ts';
import type { Sage } from '../../domain/turn.ts';
import { commandForms } from '../chat/forms.ts';
import type { KnownCommand } from '../chat/text/command-line.ts';
import { shortName } from '../chat/text/visible-text.ts';
import type { Suggestion } from '../platform.ts';
import type { DiscordRest } from './rest/discord-rest.ts';

/** Name of the slash command. */
export const slashName = 'council';
/** Name of the entry in a message's Apps menu. */
export const messageCommandName = 'Ask the council';
/** The options that take one sage or several, with suggestions. */
export const sageOptions = { one: 'sage', several: 'sages' } as const;
/** The options that take the id of something stored, with suggestions. */
export const idOptions: ReadonlyMap<string, 'turn' | 'memory' | 'preset'> = new Map([
  ['turn', 'turn'],
  ['what', 'memory'],
  ['preset', 'preset'],
  ['name', 'preset'],
]);
const suggestedOptions: ReadonlySet<string> = new Set([
  ...Object.values(sageOptions),
  ...idOptions.keys(),
]);

/** Discord's limits; the first one is for suggestions, too. */
export const maxChoices = 25;
const longestString = 6000;

const optionTypes: Readonly<Record<string, ApplicationCommandOptionType | undefined>> = {
  string: ApplicationCommandOptionType.String,
  integer: ApplicationCommandOptionType.Integer,
  number: ApplicationCommandOptionType.Number,
  boolean: ApplicationCommandOptionType.Boolean,
};

/** A command as Discord's API takes it. Fields that are `undefined` must be absent on Discord's side, too. */
export type CommandDefinition = ReturnType<typeof definitionOf>[number];

/**
 * The definitions to register. Options that a slash command can't express are left out; their commands ask
 * for them in menus of their own.
 */
export function definitionOf(commands: readonly KnownCommand[]) {
  const availability = {
    contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
    integration_types: [ApplicationIntegrationType.GuildInstall],
  };
  return [
    {
      ...availability,
      type: ApplicationCommandType.ChatInput,
      name: slashName,
      description: 'A council of sages: several honest views, blind review, one verdict',
      options: commands.map((command) => ({
        type: ApplicationCommandOptionType.Subcommand,
        name: command.name,
        description: command.description,
        options: commandForms[command.name] ? [] : menuOptionsOf(command),
      })),
    },
    {
      ...availability,
      type: ApplicationCommandType.Message,
      name: messageCommandName,
      options: undefined,
    },
  ];
}

/** Discord requires the required options to come first. */
function menuOptionsOf(command: KnownCommand) {
  const options = optionsOf(command).flatMap((option) => {
    const { name, description, choices, minimum, maximum } = option;
    const type = optionTypes[option.type];
    if (type === undefined || choices.length > maxChoices) return [];
    const isText = type === ApplicationCommandOptionType.String && choices.length === 0;
    return {
      type,
      name,
      description,
      required: option.isRequired,
      autocomplete: suggestedOptions.has(name),
      choices: choices.length === 0 ? undefined : choices.map((value) => ({ name: value, value })),
      max_length: isText ? (option.maxLength ?? longestString) : undefined,
      min_value: minimum,
      max_value: maximum,
    };
  });
  return options.toSorted((one, other) => Number(other.required) - Number(one.required));
}

/**
 * Registers all commands in one request, unless they are registered exactly like this.
 *
 * @returns Whether anything was changed.
 */
export async function register(
  rest: Pick<DiscordRest, 'withRetries'>,
  applicationId: string,
  definition: readonly CommandDefinition[],
): Promise<boolean> {
  const path = Routes.applicationCommands(applicationId);
  const registered = registeredSchema.safeParse(await rest.withRetries({ method: 'GET', path }));
  const isChanged = !registered.success || !isSame(byName(registered.data), byName(definition));
  if (isChanged) await rest.withRetries({ method: 'PUT', path, body: definition });
  return isChanged;
}

function byName<Command extends { readonly name: string }>(commands: readonly Command[]) {
  return commands.toSorted((one, other) => one.name.localeCompare(other.name));
}

const registeredSchema = z.array(z.looseObject({ name: z.string() }));
const listSchema = z.array(z.unknown()).default([]);
const partsSchema = z.record(z.string(), z.unknown());

/**
 * Whether Discord's copy matches the definition. Fields that Discord omits are false or empty; those it
 * adds don't matter.
 */
function isSame(registered: unknown, defined: unknown): boolean {
  if (Array.isArray(defined)) {
    const { data: list } = listSchema.safeParse(registered);
    // The order of numbers, which are contexts, doesn't matter.
    const parts = list?.every((part) => typeof part === 'number') ? list.toSorted() : list;
    return (
      parts?.length === defined.length &&
      defined.every((part: unknown, index) => isSame(parts[index], part))
    );
  }
  if (typeof defined === 'object' && defined !== null) {
    const { data: parts } = partsSchema.safeParse(registered);
    const isPart = ([name, part]: [string, unknown]) => isSame(parts?.[name], part);
    return parts !== undefined && Object.entries(defined).every(isPart);
  }
  return registered === defined || (registered === undefined && defined === false);
}

const longestChoice = 100;

/** A suggestion as Discord takes it; none if its value is too long. */
export function choiceFor({
  label,
  value,
}: Suggestion): readonly ApplicationCommandOptionChoiceData[] {
  return value.length > longestChoice
    ? []
    : [{ name: shortName(label, longestChoice) || value, value }];
}

/**
 * Suggests sages by key, name or description.
 *
 * @param isList - Several sages may be typed, separated by commas; text before the last comma stays.
 */
export function suggestions(
  typed: string,
  bench: readonly Sage[],
  isList: boolean,
): readonly ApplicationCommandOptionChoiceData[] {
  const comma = isList ? typed.lastIndexOf(',') : -1;
  const before = typed.slice(0, comma + 1);
  const word = typed
    .slice(comma + 1)
    .trim()
    .toLowerCase();
  const named = new Set(before.split(',').map((key) => key.trim()));
  return bench
    .filter((sage) => !named.has(sage.key) && fitOf(sage, word) < noFit)
    .toSorted((one, other) => fitOf(one, word) - fitOf(other, word))
    .flatMap(({ key, name, description }) =>
      choiceFor({ label: `${before}${name}: ${description}`, value: `${before}${key}` }),
    )
    .slice(0, maxChoices);
}

const noFit = 4;

/** Lower is better. A sage whose whole name or key was typed comes first, however many share part of it. */
function fitOf({ key, name, description }: Sage, word: string): number {
  const names = [name.toLowerCase(), key];
  if (names.includes(word)) return 0;
  if (names.some((one) => one.startsWith(word))) return 1;
  if (names.some((one) => one.includes(word))) return 2;
  return description.toLowerCase().includes(word) ? 3 : noFit;
}

/** What Discord's menus offer: `/council` with a subcommand for each command, and “Ask the council” on messages. */

import { isDeepStrictEqual } from 'node:util';
import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  Routes,
} from 'discord.js';
import { z } from 'zod';
import { commandForms } from '../chat/forms/text-form.ts';
import type { KnownCommand } from '../chat/text/command-line.ts';
import type { DiscordRest } from './rest/discord-rest.ts';

/** Name of the slash command. */
export const slashName = 'council';
/** Name of the entry in the menu of a message. */
export const messageCommandName = 'Ask the council';
/** The options that sages are named in, one or several; suggestions come as one types. */
export const sageOptions = { one: 'sage', several: 'sages' } as const;
/** The options that name something that is here, and what; suggestions come as one types. */
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

/** Discord's own bounds. */
const mostChoices = 25;
const longestDescription = 100;
const longestString = 6000;

const optionTypes = {
  string: ApplicationCommandOptionType.String,
  integer: ApplicationCommandOptionType.Integer,
  number: ApplicationCommandOptionType.Number,
  boolean: ApplicationCommandOptionType.Boolean,
} as const;

const propertySchema = z.object({
  type: z.enum(['string', 'integer', 'number', 'boolean']),
  description: z.string(),
  enum: z.array(z.string()).max(mostChoices).exactOptional(),
  maxLength: z.int().exactOptional(),
  minimum: z.number().exactOptional(),
  maximum: z.number().exactOptional(),
});

/**
 * The definition of everything that is registered, as Discord takes it. Options that a menu has no
 * form for are left out; their commands ask for them with menus of their own.
 */
export function definitionOf(commands: readonly KnownCommand[]): readonly CommandDefinition[] {
  const where = {
    contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
    integration_types: [ApplicationIntegrationType.GuildInstall],
  };
  return z.array(commandSchema).parse([
    {
      ...where,
      type: ApplicationCommandType.ChatInput,
      name: slashName,
      description: 'A council of sages: several honest views, blind review, one verdict',
      options: commands.map((command) => ({
        type: ApplicationCommandOptionType.Subcommand,
        name: command.name,
        description: command.description.slice(0, longestDescription),
        options: commandForms[command.name] ? [] : optionsOf(command),
      })),
    },
    { ...where, type: ApplicationCommandType.Message, name: messageCommandName },
  ]);
}

/** Required ones come first, as Discord demands. */
function optionsOf(command: KnownCommand): readonly object[] {
  const schema = command.options.toJSONSchema({ io: 'input', unrepresentable: 'any' });
  const required = new Set(schema.required);
  const options = Object.entries(schema.properties ?? {}).flatMap(([name, given]) => {
    const property = propertySchema.safeParse(given);
    if (!property.success) return [];
    const { type, description, enum: choices, maxLength, minimum, maximum } = property.data;
    return {
      type: optionTypes[type],
      name,
      description: description.slice(0, longestDescription),
      required: required.has(name),
      autocomplete: suggestedOptions.has(name),
      ...(choices ? { choices: choices.map((value) => ({ name: value, value })) } : {}),
      ...(type === 'string' && !choices ? { max_length: maxLength ?? longestString } : {}),
      ...(type === 'integer' || type === 'number' ? bounds(minimum, maximum) : {}),
    };
  });
  return options.toSorted((one, other) => Number(other.required) - Number(one.required));
}

function bounds(minimum: number | undefined, maximum: number | undefined): object {
  return {
    ...(minimum === undefined ? {} : { min_value: minimum }),
    ...(maximum === undefined ? {} : { max_value: maximum }),
  };
}

const choiceSchema = z.object({ name: z.string(), value: z.union([z.string(), z.number()]) });
const nameAndDescription = { name: z.string(), description: z.string() };
const optionSchema = z.object({
  ...nameAndDescription,
  type: z.number(),
  required: z.boolean().default(false),
  autocomplete: z.boolean().default(false),
  choices: z.array(choiceSchema).exactOptional(),
  max_length: z.number().exactOptional(),
  min_value: z.number().exactOptional(),
  max_value: z.number().exactOptional(),
});
const numbersInOrder = z.array(z.number()).transform((numbers) => numbers.toSorted());
/** What matters of a command, the same for what is sent and for what Discord tells of it. */
const commandSchema = z.object({
  type: z.number(),
  name: z.string(),
  description: z.string().default(''),
  contexts: numbersInOrder,
  integration_types: numbersInOrder,
  options: z
    .array(
      z.object({
        ...nameAndDescription,
        type: z.number(),
        options: z.array(optionSchema).default([]),
      }),
    )
    .exactOptional(),
});
export type CommandDefinition = z.infer<typeof commandSchema>;

/**
 * Registers all commands at once, if they are not registered just so already.
 *
 * @returns Whether anything was changed.
 */
export async function register(
  rest: DiscordRest,
  applicationId: string,
  definition: readonly CommandDefinition[],
): Promise<boolean> {
  const path = Routes.applicationCommands(applicationId);
  const registered = z
    .array(commandSchema)
    .safeParse(await rest.repeatedly({ method: 'GET', path }));
  const isSame =
    registered.success && isDeepStrictEqual(byName(registered.data), byName(definition));
  if (!isSame) await rest.repeatedly({ method: 'PUT', path, body: definition });
  return !isSame;
}

function byName(commands: readonly CommandDefinition[]): readonly CommandDefinition[] {
  return commands.toSorted((one, other) => one.name.localeCompare(other.name));
}

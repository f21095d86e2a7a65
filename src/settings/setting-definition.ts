/** Defines a setting of a channel or server, and builds the entries of the table of settings. */

import { z } from 'zod';
import type { Sage } from '../domain/turn.ts';
import { limitedBy, numberFrom, oneOf, type SettingKind } from './channel-kinds.ts';
import { valueAt } from './check.ts';
import { dollars, wholeNumber, oneOf as wordOf } from './file-kinds.ts';
import type { NumberRange, SettingChoice, SettingField } from './setting-field.ts';

/** What people can choose from. */
export interface AvailableChoices {
  /** The predefined sages, and in a channel its custom ones. */
  readonly sages: readonly Pick<Sage, 'key' | 'name' | 'description'>[];
  /** `provider:model` of every model that the operator has set up. */
  readonly models: readonly string[];
  readonly maxSages: number;
}

/** `provider:model` that the operator chose for each part. */
export interface StandardModels {
  readonly moderator: string;
  readonly chair: string;
}

/** The value of a setting that is not set in chat. @param file - The operator's whole settings, parsed. */
export interface Default<Value> {
  readonly value: (file: object, models: StandardModels) => Value;
}

/** A default that the operator's file can change. */
export interface InFile<At extends string, Schema extends z.ZodType, Value> extends Default<Value> {
  /** Group and name in the file, e.g. `council.depth`. */
  readonly at: At;
  /** Its error follows the words "is not". */
  readonly schema: Schema;
  /** Added to the setting's description in the file's documentation. */
  readonly details?: string;
}

/** The type of a setting's value. */
export type ValueOf<Origin> = Origin extends Default<infer Value> ? Value : never;

/** A setting. Server managers may change any, channel managers those without `whyServerOnly`. */
export interface SettingDefinition<Origin> extends Pick<SettingField, 'label' | 'description'> {
  /** Markdown for the documentation of the operator's file alone. */
  readonly forOperator?: string;
  /** Why a channel can't have its own value, for people. Absent: it can. */
  readonly whyServerOnly?: string;
  /** A channel can lower what its server sets, but not raise it. */
  readonly isLimit?: true;
  readonly default: Origin;
  /**
   * @param fileValue - The operator's value. It bounds some settings, because the operator pays and is
   *   responsible: no channel can spend or ask more, or remember where the operator keeps nothing, and no
   *   server can keep messages for longer.
   */
  readonly kind: (
    choices: AvailableChoices,
    fileValue: ValueOf<Origin>,
  ) => SettingKind<ValueOf<Origin>>;
}

/** Returns the definition with its types inferred. */
export function setting<Origin extends Default<unknown>>(
  definition: SettingDefinition<Origin>,
): SettingDefinition<Origin> {
  return definition;
}

/** The default of a setting that can only be changed in chat. */
export function fixedDefault<Value>(value: Value): Default<Value> {
  return { value: () => value };
}

/** The operator's model for a part, as `provider:model`. */
export function modelOf(part: keyof StandardModels): Default<string> {
  return { value: (_, models) => models[part] };
}

/** A setting with a default in the file's schema. */
export function inFile<const At extends string, Schema extends z.ZodType>(
  at: At,
  schema: Schema,
): InFile<At, Schema, z.output<Schema>> {
  return { at, schema, value: (file) => schema.parse(valueAt(file, at.split('.'))) };
}

/** A setting that is optional in the file. @param absent - Its value where the file has none. */
export function inFileOr<
  const At extends string,
  Schema extends z.ZodType,
  const Absent extends string,
>(
  at: At,
  schema: Schema,
  absent: Absent,
): InFile<At, z.ZodExactOptional<Schema>, z.output<Schema> | Absent> {
  return {
    at,
    schema: z.exactOptional(schema),
    details: `Absent: ${absent}.`,
    value: (file) => {
      const value = valueAt(file, at.split('.'));
      return value === undefined ? absent : schema.parse(value);
    },
  };
}

/** A whole number, in the file and in forms. */
export function wholeInFile<const At extends string>(
  at: At,
  range: NumberRange,
  defaultValue: number,
) {
  const schema = wholeNumber(range.minimum, range.maximum, defaultValue).default(defaultValue);
  return { default: inFile(at, schema), kind: () => numberFrom(range) };
}

/** A limit that is optional in the file and can be lowered in chat. @param why - Why not raised, for people. */
export function limitInFile<const At extends string>(
  at: At,
  range: NumberRange,
  example: number,
  why?: string,
) {
  const { minimum, maximum, isWhole } = range;
  const schema = isWhole ? wholeNumber(minimum, maximum, example) : dollars(example);
  return {
    default: inFileOr(at, schema, 'unlimited'),
    isLimit: true as const,
    kind: (_: AvailableChoices, fileValue: number | 'unlimited') =>
      limitedBy(fileValue, range, why),
  };
}

/** One of a few words. */
export function choiceInFile<const At extends string, const Word extends string>(
  at: At,
  choices: readonly (SettingChoice & { readonly value: Word })[],
  defaultWord: NoInfer<Word>,
) {
  const schema = wordOf(choices.map(({ value }) => value));
  const details = choices
    .map(({ value, description }) => `\`${value}\`: ${description}.`)
    .join(' ');
  return {
    default: { ...inFile(at, schema.default(defaultWord)), details },
    kind: () => oneOf(choices),
  };
}

/** A table of settings, as far as the file's schema needs it. */
type Entries = Readonly<
  Record<
    string,
    Pick<SettingDefinition<Default<unknown>>, 'description' | 'forOperator' | 'default'>
  >
>;
type OwnName<Group extends string, Origin> = Origin extends {
  readonly at: `${Group}.${infer Own}`;
}
  ? Own
  : never;
type SchemaOf<Origin> = Origin extends { readonly schema: infer Schema extends z.ZodType }
  ? Schema
  : never;

/** The settings that a group of the file contains, described, in the order of the table. */
export function groupInFile<Table extends Entries, Group extends string>(
  table: Table,
  group: Group,
): {
  [Name in keyof Table as OwnName<Group, Table[Name]['default']>]: SchemaOf<Table[Name]['default']>;
};
export function groupInFile(table: Entries, group: string): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.values(table).flatMap(({ description, forOperator, default: origin }) => {
      if (!isInFile(origin)) return [];
      const [groupName, name = ''] = origin.at.split('.');
      const sentences = [description, origin.details, forOperator].filter(Boolean).join(' ');
      return groupName === group ? [[name, origin.schema.meta({ description: sentences })]] : [];
    }),
  );
}

function isInFile(origin: Default<unknown>): origin is InFile<string, z.ZodType, unknown> {
  return 'at' in origin;
}

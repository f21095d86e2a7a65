/** What an entry of the table of settings is: all there is to one setting of a channel or server, and of the file. */

import { z } from 'zod';
import {
  limitedBy,
  type NumberRange,
  numberFrom,
  oneOf,
  type SettingKind,
} from './channel-kinds.ts';
import { valueAt } from './check.ts';
import { wholeNumber, oneOf as wordOf } from './file-kinds.ts';
import type { SettingChoice, SettingField } from './setting-field.ts';

/** What values are checked against, besides the operator's own value for the setting. */
export interface SettingSurroundings {
  /** Who could sit: the predefined sages, and in a channel its custom ones. */
  readonly sages: readonly {
    readonly key: string;
    readonly name: string;
    readonly description: string;
  }[];
  /** `provider:model` of all that the operator has set up. */
  readonly models: readonly string[];
  readonly maxSages: number;
}

/** `provider:model` of the operator's choice for each part. */
export interface StandardModels {
  readonly moderator: string;
  readonly chair: string;
}

/** What holds until the setting is set in chat. @param file - The operator's settings, read and whole. */
export interface Usual<Value> {
  readonly value: (file: object, models: StandardModels) => Value;
}

/** The same, where the operator's file has the setting too. */
export interface InFile<At extends string, Schema extends z.ZodType, Value> extends Usual<Value> {
  /** Its group and name there, e.g. `council.depth`. */
  readonly at: At;
  /** What it may be there; its error follows the words "is not". */
  readonly schema: Schema;
  /** What the file's documentation says behind the setting's own sentence. */
  readonly more?: string;
}

/** The value of a setting until it is set, by what {@link Usual} says of it. */
export type ValueOf<Origin> = Origin extends Usual<infer Value> ? Value : never;

/** An entry of the table. Server managers may change any setting, channel managers those without `whyOfServer`. */
export interface SettingDefinition<Origin> extends Pick<SettingField, 'label' | 'description'> {
  /** What the documentation of the operator's file says besides, in Markdown. */
  readonly forOperator?: string;
  /** Why a channel can't have its own value, for people; absent: it can. */
  readonly whyOfServer?: string;
  readonly usual: Origin;
  /**
   * @param usual - Also bounds some settings, because the operator pays and answers for them: no channel
   *   spends or asks more, or remembers where the operator keeps nothing, and no server keeps what was said
   *   for longer.
   */
  readonly kind: (
    here: SettingSurroundings,
    usual: ValueOf<Origin>,
  ) => SettingKind<ValueOf<Origin>>;
}

/** An entry of the table, with its types. */
export function setting<Origin extends Usual<unknown>>(
  definition: SettingDefinition<Origin>,
): SettingDefinition<Origin> {
  return definition;
}

/** A setting that chat alone can change. */
export function always<Value>(value: Value): Usual<Value> {
  return { value: () => value };
}

/** The operator's choice for a part, as `provider:model`. */
export function modelOf(part: keyof StandardModels): Usual<string> {
  return { value: (_, models) => models[part] };
}

/** A setting of the file that has a default there. */
export function inFile<const At extends string, Schema extends z.ZodType>(
  at: At,
  schema: Schema,
): InFile<At, Schema, z.output<Schema>> {
  return { at, schema, value: (file) => schema.parse(valueAt(file, at.split('.'))) };
}

/** A setting that the file may leave out. @param absent - The word for what holds then. */
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
    ...{ at, schema: z.exactOptional(schema), more: `Absent: ${absent}.` },
    value: (file) => {
      const value = valueAt(file, at.split('.'));
      return value === undefined ? absent : schema.parse(value);
    },
  };
}

/** A whole number, in the file and in forms. */
export function wholeInFile<const At extends string>(at: At, range: NumberRange, usual: number) {
  const schema = wholeNumber(range.minimum, range.maximum, usual).default(usual);
  return { usual: inFile(at, schema), kind: () => numberFrom(range) };
}

/** A limit that the file need not set, and that chat may lower. @param why - Why not raise it, for people. */
export function limitInFile<const At extends string>(
  at: At,
  range: NumberRange,
  example: number,
  why?: string,
) {
  const schema = wholeNumber(range.minimum, range.maximum, example);
  return {
    usual: inFileOr(at, schema, 'unlimited'),
    kind: (_: SettingSurroundings, usual: number | 'unlimited') => limitedBy(usual, range, why),
  };
}

/** One of a few words. @param formerly - Words of earlier versions, and what they mean now. */
export function choiceInFile<const At extends string, const Word extends string>(
  at: At,
  choices: readonly (SettingChoice & { readonly value: Word })[],
  usual: NoInfer<Word>,
  formerly: Readonly<Record<string, NoInfer<Word>>> = {},
) {
  const words = wordOf(choices.map(({ value }) => value));
  const known = new Map<unknown, unknown>(Object.entries(formerly));
  const schema = z.preprocess((given) => known.get(given) ?? given, words);
  const more = choices.map(({ value, description }) => `\`${value}\`: ${description}.`).join(' ');
  return {
    usual: { ...inFile(at, schema.default(usual)), more },
    kind: () => oneOf(choices, formerly),
  };
}

/** The entries of a table, as far as the file needs them. */
type Entries = Readonly<
  Record<
    string,
    Pick<SettingDefinition<unknown>, 'description' | 'forOperator'> & {
      readonly usual: Usual<unknown>;
    }
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

/** The settings of a table that a group of the file holds, described, in the order of the table. */
export function groupInFile<Table extends Entries, Group extends string>(
  table: Table,
  group: Group,
): {
  [Name in keyof Table as OwnName<Group, Table[Name]['usual']>]: SchemaOf<Table[Name]['usual']>;
};
export function groupInFile(table: Entries, group: string): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.values(table).flatMap(({ description, forOperator, usual }) => {
      if (!isInFile(usual)) return [];
      const [of, name = ''] = usual.at.split('.');
      const told = [description, usual.more, forOperator].filter(Boolean).join(' ');
      return of === group ? [[name, usual.schema.meta({ description: told })]] : [];
    }),
  );
}

function isInFile(usual: Usual<unknown>): usual is InFile<string, z.ZodType, unknown> {
  return 'at' in usual;
}

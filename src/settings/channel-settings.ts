/**
 * The settings that apply in a channel. Each comes from the nearest place that has it: the channel,
 * its server or workspace, the operator's file. Pure functions; the store keeps the layers without
 * knowing what is in them.
 */

import { oneLine } from '../domain/words.ts';
import { valueInWords } from './channel-kinds.ts';
import { channelTable } from './channel-table.ts';
import type { Settings } from './file-table.ts';
import type {
  SettingDefinition,
  SettingSurroundings,
  Usual,
  ValueOf,
} from './setting-definition.ts';
import type { ChannelScope, SettingField, SettingOrigin } from './setting-field.ts';

/** The settings of a channel, all filled in. */
export type ChannelSettings = {
  readonly [Name in keyof typeof channelTable]: ValueOf<(typeof channelTable)[Name]['usual']>;
};
export type SettingName = keyof ChannelSettings;

/** By name, in the order in which they are shown. */
export const settingTable: {
  readonly [Name in SettingName]: SettingDefinition<Usual<ChannelSettings[Name]>>;
} = channelTable;

/** What values are checked against. */
export interface KnownHere extends SettingSurroundings {
  /** The values of a channel that has none of its own. */
  readonly file: ChannelSettings;
}

/** In the order in which they are shown. */
export const settingNames = Object.keys(settingTable).filter(isSettingName);

/** The settings of one scope, in the order in which they are shown: some can only be set for a whole server. */
export function settingNamesOf(scope: ChannelScope): readonly SettingName[] {
  return settingNames.filter(
    (name) => scope === 'server' || settingTable[name].whyOfServer === undefined,
  );
}

/** Whether this is the name of a setting. */
export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingTable, name);
}

/**
 * The settings of a channel that has none of its own.
 *
 * @param models - `provider:model` of the operator's choice for each part.
 */
export function defaultSettings(
  file: Settings,
  models: { readonly moderator: string; readonly chair: string },
): ChannelSettings {
  return eachSetting<ChannelSettings>((name) => settingTable[name].usual.value(file, models));
}

/** One value for each setting. */
function eachSetting<Made extends Readonly<Record<SettingName, unknown>>>(
  make: <Name extends SettingName>(name: Name) => Made[Name],
): Made {
  const made: Partial<Made> = {};
  const put = <Name extends SettingName>(name: Name) => {
    made[name] = make(name);
  };
  for (const name of settingNames) put(name);
  if (isWhole(made)) return made;
  throw new TypeError('A setting was left out.');
}

function isWhole<Made extends object>(made: Partial<Made>): made is Made {
  return settingNames.every((name) => Object.hasOwn(made, name));
}

/** The stored settings of one scope, by name. Other names are ignored. */
export type SettingLayer = Readonly<
  Record<string, { readonly value: unknown; readonly setBy: string; readonly setAt: number }>
>;

/** Nearest first; the operator's values come last, in {@link KnownHere}. */
export interface SettingLayers {
  readonly channel: SettingLayer;
  readonly server: SettingLayer;
}

/** A value and where it comes from. */
interface Resolved<Value> {
  readonly value: Value;
  readonly origin: SettingOrigin;
  readonly setBy?: string;
  /** Milliseconds since 1970. */
  readonly setAt?: number;
  /** Nearer values that no longer apply, e.g. a model that is gone, each with the reason, for people. */
  readonly ignored: readonly string[];
}
type Each<Values> = { readonly [Name in keyof Values]: Resolved<Values[Name]> };
export type ResolvedSettings = Each<ChannelSettings>;

/** Resolves every setting. Stored values that are no longer allowed are skipped and reported. */
export function resolveSettings(layers: SettingLayers, known: KnownHere): ResolvedSettings {
  return eachResolved<ChannelSettings>((name) => resolve(name, layers, known));
}

function eachResolved<Values extends Readonly<Record<SettingName, unknown>>>(
  make: <Name extends SettingName>(name: Name) => Resolved<Values[Name]>,
): Each<Values> {
  return eachSetting<Each<Values>>(make);
}

function resolve<Name extends SettingName>(
  name: Name,
  layers: SettingLayers,
  known: KnownHere,
): Resolved<ChannelSettings[Name]> {
  const ignored: string[] = [];
  const isOfServer = settingTable[name].whyOfServer !== undefined;
  for (const origin of isOfServer ? (['server'] as const) : (['channel', 'server'] as const)) {
    const kept = Object.hasOwn(layers[origin], name) ? layers[origin][name] : undefined;
    if (!kept) continue;
    const { value, gone } = withoutGone(name, kept.value, known);
    const judged = validateChange(name, value, known);
    if (judged.status === 'valid') {
      if (gone.length > 0) ignored.push(`Left out, because no longer here: ${gone.join(', ')}.`);
      return { value: judged.value, origin, setBy: kept.setBy, setAt: kept.setAt, ignored };
    }
    ignored.push(`The ${origin}’s own value no longer applies: ${judged.why}`);
  }
  return { value: known.file[name], origin: 'file', ignored };
}

/**
 * Drops sages that are gone from a stored list. The rest still applies, so that a limited bench does
 * not open to everybody. A list that would be empty stays as it is.
 */
function withoutGone(
  name: SettingName,
  value: unknown,
  { sages }: KnownHere,
): { readonly value: unknown; readonly gone: readonly unknown[] } {
  if ((name !== 'seats' && name !== 'bench') || !Array.isArray(value)) return { value, gone: [] };
  const keys: ReadonlySet<unknown> = new Set(sages.map(({ key }) => key));
  const left = value.filter((key) => keys.has(key));
  if (left.length === 0) return { value, gone: [] };
  const gone = value.filter((key) => typeof key === 'string' && !keys.has(key));
  return { value: left, gone };
}

/** Whether a value can be set. `why` is for people: what is wrong and what is expected. */
type JudgedValue<Value> =
  | { readonly status: 'valid'; readonly value: Value }
  | { readonly status: 'invalid'; readonly why: string };

/**
 * Checks one value.
 *
 * @param given - As typed, picked in a menu, or stored.
 */
export function validateChange<Name extends SettingName>(
  name: Name,
  given: unknown,
  known: KnownHere,
): JudgedValue<ChannelSettings[Name]> {
  const { schema } = kindOf(name, known);
  const parsed = schema.safeParse(given);
  if (parsed.success) return { status: 'valid', value: parsed.data };
  const [issue] = parsed.error.issues;
  return {
    status: 'invalid',
    why: `${shownGiven(given)} isn’t possible here. Expected: ${issue?.message}.`,
  };
}

function kindOf<Name extends SettingName>(name: Name, known: KnownHere) {
  const { kind }: SettingDefinition<Usual<ChannelSettings[Name]>> = settingTable[name];
  return kind(known, known.file[name]);
}

const maxShownChars = 80;

/** The value in quotation marks, short and on one line. */
export function shownGiven(given: unknown): string {
  const text = oneLine(Array.isArray(given) ? given.map(asWord).join(', ') : asWord(given));
  return `“${text.length > maxShownChars ? `${text.slice(0, maxShownChars)}…` : text}”`;
}

function asWord(given: unknown): string {
  if (typeof given === 'string') return given;
  return typeof given === 'number' || typeof given === 'boolean' ? `${given}` : '…';
}

/** The settings of a scope as a form shows them. */
export function settingFields(
  scope: ChannelScope,
  settings: ResolvedSettings,
  known: KnownHere,
): readonly SettingField[] {
  return settingNamesOf(scope).map((name) => field(name, settings, known));
}

function field<Name extends SettingName>(
  name: Name,
  settings: ResolvedSettings,
  known: KnownHere,
): SettingField {
  const { label, description } = settingTable[name];
  const resolved: Resolved<ChannelSettings[Name]> = settings[name];
  const { value, ...whence } = resolved;
  const { input } = kindOf(name, known);
  return {
    name,
    label,
    description,
    input: input(value),
    value: valueInWords(value),
    ...whence,
  };
}

/** The values alone. */
export function valuesOf(settings: ResolvedSettings): ChannelSettings {
  return eachSetting<ChannelSettings>((name) => settings[name].value);
}

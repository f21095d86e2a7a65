/**
 * Resolves, validates and changes the settings of a channel. A value comes from the channel, else from its
 * server or workspace, else from the operator's file. Pure functions: the store keeps the layers as
 * opaque values.
 */

import { namesOf, oneLine } from '../domain/words.ts';
import { valueInWords } from './channel-kinds.ts';
import { channelTable } from './channel-table.ts';
import type { Settings } from './file-table.ts';
import type {
  AvailableChoices,
  Default,
  SettingDefinition,
  StandardModels,
  ValueOf,
} from './setting-definition.ts';
import type { ChannelScope, SettingField, SettingOrigin } from './setting-field.ts';

/** The values of all settings in a channel. */
export type ChannelSettings = {
  readonly [Name in keyof typeof channelTable]: ValueOf<(typeof channelTable)[Name]['default']>;
};
export type SettingName = keyof ChannelSettings;

/** By name, in the order in which they are shown. */
export const settingTable: {
  readonly [Name in SettingName]: SettingDefinition<Default<ChannelSettings[Name]>>;
} = channelTable;

/** What values are validated against. */
export interface ValidationContext extends AvailableChoices {
  /** The operator's values. */
  readonly file: ChannelSettings;
}

/** In the order in which they are shown. */
export const settingNames = Object.keys(settingTable).filter(isSettingName);

/** The settings of one scope, in the order in which they are shown. Some can only be set for a whole server. */
function settingNamesOf(scope: ChannelScope): readonly SettingName[] {
  return settingNames.filter(
    (name) => scope === 'server' || settingTable[name].whyServerOnly === undefined,
  );
}

/** Whether a setting has this name. */
function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingTable, name);
}

/** The operator's values, which apply where chat sets none. */
export function defaultSettings(file: Settings, models: StandardModels): ChannelSettings {
  return eachSetting<ChannelSettings>((name) => settingTable[name].default.value(file, models));
}

/** Makes one value for each setting. */
function eachSetting<Made extends Readonly<Record<SettingName, unknown>>>(
  make: <Name extends SettingName>(name: Name) => Made[Name],
): Made;
function eachSetting(make: (name: SettingName) => unknown): Record<string, unknown> {
  return Object.fromEntries(settingNames.map((name) => [name, make(name)]));
}

/** The stored settings of one scope, by name. Unknown names are ignored. */
export type SettingLayer = Readonly<
  Record<string, { readonly value: unknown; readonly setBy: string; readonly setAt: number }>
>;

/** Nearest first. The operator's values, in {@link ValidationContext}, come last. */
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
  /** Nearer values that no longer apply, e.g. a removed model, each with the reason, for people. */
  readonly ignored: readonly string[];
}
type Each<Values> = { readonly [Name in keyof Values]: Resolved<Values[Name]> };
export type ResolvedSettings = Each<ChannelSettings>;

/** Resolves every setting. Skips and reports stored values that are no longer allowed. */
export function resolveSettings(layers: SettingLayers, known: ValidationContext): ResolvedSettings {
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
  known: ValidationContext,
): Resolved<ChannelSettings[Name]> {
  const ignored: string[] = [];
  const isServerOnly = settingTable[name].whyServerOnly !== undefined;
  for (const origin of isServerOnly ? (['server'] as const) : (['channel', 'server'] as const)) {
    const stored = layers[origin][name];
    if (!stored) continue;
    const { value, removed } = withoutRemovedSages(name, stored.value, known);
    const checked = validateChange(name, value, boundsIn(origin, name, layers, known));
    if (checked.status === 'valid') {
      if (removed.length > 0) {
        ignored.push(`Left out, because no longer here: ${removed.join(', ')}.`);
      }
      return { value: checked.value, origin, setBy: stored.setBy, setAt: stored.setAt, ignored };
    }
    ignored.push(`The ${origin}’s own value no longer applies: ${checked.why}`);
  }
  return { value: known.file[name], origin: 'file', ignored };
}

/** What a value is validated against: a channel can lower its server's limits, too, but not raise them. */
function boundsIn<Name extends SettingName>(
  scope: ChannelScope,
  name: Name,
  layers: SettingLayers,
  known: ValidationContext,
): ValidationContext {
  if (scope === 'server' || !settingTable[name].isLimit) return known;
  const { value } = resolve(name, { ...layers, channel: {} }, known);
  return { ...known, file: { ...known.file, [name]: value } };
}

/**
 * Drops sages that no longer exist from a stored list. The rest still applies: otherwise a restricted bench
 * would open to every sage. A list that would become empty stays as it is, and is invalid.
 */
function withoutRemovedSages(
  name: SettingName,
  value: unknown,
  { sages }: ValidationContext,
): { readonly value: unknown; readonly removed: readonly unknown[] } {
  if ((name !== 'seats' && name !== 'bench') || !Array.isArray(value)) {
    return { value, removed: [] };
  }
  const keys: ReadonlySet<unknown> = new Set(sages.map(({ key }) => key));
  const left = value.filter((key) => keys.has(key));
  if (left.length === 0) return { value, removed: [] };
  const removed = value.filter((key) => typeof key === 'string' && !keys.has(key));
  return { value: left, removed };
}

/** `why`: what is wrong and what is expected, for people. */
type CheckedValue<Value> =
  | { readonly status: 'valid'; readonly value: Value }
  | { readonly status: 'invalid'; readonly why: string };

/**
 * Checks one value.
 *
 * @param given - As typed, picked in a menu or stored.
 */
export function validateChange<Name extends SettingName>(
  name: Name,
  given: unknown,
  known: ValidationContext,
): CheckedValue<ChannelSettings[Name]> {
  const { schema } = kindOf(name, known);
  const parsed = schema.safeParse(given);
  if (parsed.success) return { status: 'valid', value: parsed.data };
  const [issue] = parsed.error.issues;
  return {
    status: 'invalid',
    why: `${quotedValue(given)} isn’t possible here. Expected: ${issue?.message}.`,
  };
}

function kindOf<Name extends SettingName>(name: Name, known: ValidationContext) {
  const { kind }: SettingDefinition<Default<ChannelSettings[Name]>> = settingTable[name];
  return kind(known, known.file[name]);
}

/** All changes are valid, or none is made. */
type CheckedChanges =
  /** `null`: resets the setting. */
  | {
      readonly status: 'valid';
      readonly changes: Readonly<Partial<Record<SettingName, ChannelSettings[SettingName] | null>>>;
    }
  /** The problems by name, for people. */
  | { readonly status: 'invalid'; readonly problems: ReadonlyMap<string, string> };

/**
 * Checks changes to one scope, alone and in combination with the other settings.
 *
 * @param given - Values by name. `null` resets a setting.
 */
export function validateChanges(
  scope: ChannelScope,
  given: Readonly<Record<string, unknown>>,
  layers: SettingLayers,
  known: ValidationContext,
): CheckedChanges {
  const problems = new Map<string, string>();
  const changes = new Map<SettingName, ChannelSettings[SettingName] | null>();
  for (const [name, value] of Object.entries(given)) {
    if (!isSettingName(name)) {
      const names = settingNamesOf(scope).join(', ');
      problems.set(name, `There is no setting ${quotedValue(name)}. There are: ${names}.`);
    } else if (!settingNamesOf(scope).includes(name)) {
      const why = settingTable[name].whyServerOnly;
      problems.set(name, `It is set for the whole server or workspace, with scope server. ${why}`);
    } else if (value === null) {
      changes.set(name, null);
    } else {
      const checked = validateChange(name, value, boundsIn(scope, name, layers, known));
      if (checked.status === 'valid') changes.set(name, checked.value);
      else problems.set(name, checked.why);
    }
  }
  const conflict = conflictAfter(scope, changes, layers, known);
  const culprit = (['seats', 'bench'] as const).find((name) => changes.get(name) != null);
  if (conflict && culprit && !problems.has(culprit)) problems.set(culprit, conflict);
  if (problems.size > 0) return { status: 'invalid', problems };
  return { status: 'valid', changes: Object.fromEntries(changes) };
}

/** Describes seats outside the bench. They would stay empty, so the change is refused. */
function conflictAfter(
  scope: ChannelScope,
  changes: ReadonlyMap<SettingName, ChannelSettings[SettingName] | null>,
  layers: SettingLayers,
  known: ValidationContext,
): string | undefined {
  const kept = Object.entries(layers[scope]).filter(
    ([name]) => !isSettingName(name) || !changes.has(name),
  );
  const changed = [...changes].flatMap(([name, value]) =>
    value === null ? [] : [[name, { value, setBy: '', setAt: 0 }] as const],
  );
  const after = { ...layers, [scope]: Object.fromEntries([...kept, ...changed]) };
  const { seats, bench } = resolveSettings(after, known);
  if (seats.value === 'moderated' || bench.value === 'all') return undefined;
  const benched = new Set(bench.value);
  const outside = seats.value.filter((key) => !benched.has(key));
  if (outside.length === 0) return undefined;
  const are = outside.length === 1 ? 'has a seat and is' : 'have seats and are';
  const named = (keys: readonly string[]) => valueInWords(keys, namesOf(known.sages));
  return `${named(outside)} ${are} not on the bench, which is ${named(bench.value)}. Change both together, or one of them.`;
}

const maxShownChars = 80;

/** Puts a value into quotation marks, shortened to one line. */
export function quotedValue(given: unknown): string {
  const text = oneLine(Array.isArray(given) ? given.map(asWord).join(', ') : asWord(given));
  return `“${text.length > maxShownChars ? `${text.slice(0, maxShownChars)}…` : text}”`;
}

function asWord(given: unknown): string {
  if (typeof given === 'string') return given;
  return typeof given === 'number' || typeof given === 'boolean' ? `${given}` : '…';
}

/** The settings of a scope as form fields. */
export function settingFields(
  scope: ChannelScope,
  settings: ResolvedSettings,
  known: ValidationContext,
): readonly SettingField[] {
  return settingNamesOf(scope).map((name) => field(name, settings, known));
}

function field<Name extends SettingName>(
  name: Name,
  settings: ResolvedSettings,
  known: ValidationContext,
): SettingField {
  const { label, description } = settingTable[name];
  const resolved: Resolved<ChannelSettings[Name]> = settings[name];
  const { value, ...source } = resolved;
  const { input } = kindOf(name, known);
  return {
    name,
    label,
    description,
    input: input(value),
    value: valueInWords(value, namesOf(known.sages)),
    ...source,
  };
}

/** Returns the values without their origins. */
export function valuesOf(settings: ResolvedSettings): ChannelSettings {
  return eachSetting<ChannelSettings>((name) => settings[name].value);
}

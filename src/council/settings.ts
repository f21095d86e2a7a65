/**
 * What a channel is set to. Each setting comes from the nearest place that has it: the channel, its
 * server or workspace, the operator's files. Pure functions; whoever keeps the layers need not know
 * what is in them.
 */

import { oneLine } from '../domain/words.ts';
import type { SettingField, SettingOrigin, SettingScope } from './setting-field.ts';
import {
  type ChannelSettings,
  type KnownHere,
  type SettingName,
  settingNamesOf,
  settingTable,
} from './setting-table.ts';

export type { ChannelSettings, KnownHere, SettingName } from './setting-table.ts';

/** The settings of one scope as they are kept, by name. What has another name is not looked at. */
export type SettingLayer = Readonly<
  Record<string, { readonly value: unknown; readonly setBy: string; readonly setAt: number }>
>;

/** The nearest first; the operator's files come last, and are in {@link KnownHere}. */
export interface SettingLayers {
  readonly channel: SettingLayer;
  readonly server: SettingLayer;
}

/** A value and where it comes from. */
export interface Resolved<Value> {
  readonly value: Value;
  readonly origin: SettingOrigin;
  readonly setBy?: string;
  /** Milliseconds since 1970. */
  readonly setAt?: number;
  /** Nearer values that can't hold any more, e.g. a model that is gone, each with the reason, for people. */
  readonly ignored: readonly string[];
}
export type ResolvedSettings = {
  readonly [Name in SettingName]: Resolved<ChannelSettings[Name]>;
};

/** Finds what holds, and why. A kept value that is not allowed any more is passed over, and told. */
export function resolveSettings(layers: SettingLayers, known: KnownHere): ResolvedSettings {
  const of = <Name extends SettingName>(name: Name) => resolve(name, layers, known);
  return {
    seats: of('seats'),
    bench: of('bench'),
    depth: of('depth'),
    maxDynamicSages: of('maxDynamicSages'),
    moderatorModel: of('moderatorModel'),
    sageModel: of('sageModel'),
    reviewerModel: of('reviewerModel'),
    chairModel: of('chairModel'),
    language: of('language'),
    followUpMode: of('followUpMode'),
    channelUsdPerDay: of('channelUsdPerDay'),
    questionsPerUserPerHour: of('questionsPerUserPerHour'),
    memory: of('memory'),
    managers: of('managers'),
    memoryReach: of('memoryReach'),
    history: of('history'),
    retentionDays: of('retentionDays'),
    forgetDeleted: of('forgetDeleted'),
  };
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
      if (gone.length > 0) ignored.push(`Not here any more, and left out: ${gone.join(', ')}.`);
      return { value: judged.value, origin, setBy: kept.setBy, setAt: kept.setAt, ignored };
    }
    ignored.push(`What the ${origin} says is passed over: ${judged.why}`);
  }
  return { value: known.file[name], origin: 'file', ignored };
}

/**
 * Takes sages that are gone out of a kept list: the rest still holds, so that a bench that was
 * limited does not open to everybody. A list of which nothing is left stays as it is.
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

/** A value that was given for a setting, judged. `why` is for people: what is wrong and what is expected. */
export type JudgedValue<Value> =
  | { readonly status: 'valid'; readonly value: Value }
  | { readonly status: 'invalid'; readonly why: string };

/**
 * Judges one value.
 *
 * @param given - As it was typed, picked in a menu, or kept.
 */
export function validateChange<Name extends SettingName>(
  name: Name,
  given: unknown,
  known: KnownHere,
): JudgedValue<ChannelSettings[Name]> {
  const { schema } = settingTable[name].kind(known);
  const parsed = schema.safeParse(given);
  if (parsed.success) return { status: 'valid', value: parsed.data };
  const [issue] = parsed.error.issues;
  return { status: 'invalid', why: `${shownGiven(given)} won't do. Expected: ${issue?.message}.` };
}

const maxShownChars = 80;

/** What was given, short and on one line, in quotation marks. */
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
  scope: SettingScope,
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
  const { label, description, kind } = settingTable[name];
  const resolved: Resolved<ChannelSettings[Name]> = settings[name];
  const { value, ...whence } = resolved;
  const { input, shown } = kind(known);
  return {
    name,
    label,
    description,
    input: input(value),
    value: shown(value),
    ...whence,
  };
}

/** The values alone. */
export function valuesOf(settings: ResolvedSettings): ChannelSettings {
  return {
    seats: settings.seats.value,
    bench: settings.bench.value,
    depth: settings.depth.value,
    maxDynamicSages: settings.maxDynamicSages.value,
    moderatorModel: settings.moderatorModel.value,
    sageModel: settings.sageModel.value,
    reviewerModel: settings.reviewerModel.value,
    chairModel: settings.chairModel.value,
    language: settings.language.value,
    followUpMode: settings.followUpMode.value,
    channelUsdPerDay: settings.channelUsdPerDay.value,
    questionsPerUserPerHour: settings.questionsPerUserPerHour.value,
    memory: settings.memory.value,
    managers: settings.managers.value,
    memoryReach: settings.memoryReach.value,
    history: settings.history.value,
    retentionDays: settings.retentionDays.value,
    forgetDeleted: settings.forgetDeleted.value,
  };
}

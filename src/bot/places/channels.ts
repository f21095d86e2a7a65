/** What holds in a channel at a moment: read from the store in one round trip, resolved, ready for use. */

import type { Person, Place } from '../../../commands/command.ts';
import type { Council } from '../../council/council.ts';
import { type CustomSage, customSageSchema, seatableSage } from '../../council/custom-sage.ts';
import type { PastTurn } from '../../council/past-turn.ts';
import { channelOf, workspaceOf } from '../../domain/thread-id.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import { compareTexts, oneLine } from '../../domain/words.ts';
import { type Pin, pinsIn } from '../../memory/pins.ts';
import {
  type ChannelSettings,
  type KnownHere,
  type ResolvedSettings,
  resolveSettings,
  type SettingLayer,
  type SettingLayers,
  valuesOf,
} from '../../settings/channel-settings.ts';
import { type Preset, storedPreset } from '../../settings/preset-settings.ts';
import { Notes } from '../../store/notes.ts';
import type { JsonObject, SettingsStore, StoredSettings } from '../../store/store.ts';

export interface ChannelsOptions {
  readonly store: { readonly settings: SettingsStore };
  /** The council as the operator's files say. */
  readonly council: Council;
  /** The operator's values, for every setting that a channel may change. */
  readonly settings: ChannelSettings;
  /** `provider:model` of each model that may be chosen. */
  readonly knownModels: readonly string[];
  /** As the operator's file says. */
  readonly presets: readonly Preset[];
}

/** What people have made for a channel besides its settings, each in the order in which it was made. */
interface MadeHere {
  readonly customSages: readonly CustomSage[];
  /** What goes into every prompt. */
  readonly pins: readonly Pin[];
  /** With those of its server and of the operator. */
  readonly presets: readonly Preset[];
}

export interface Channel extends MadeHere {
  /** Names of the store's scopes. */
  readonly scopes: { readonly channel: string; readonly server: string };
  readonly layers: SettingLayers;
  readonly known: KnownHere;
  readonly resolved: ResolvedSettings;
  readonly settings: ChannelSettings;
  /** The council that sits here: bench, seats, depth, language as they are set. */
  readonly council: Council;
}

/** One person in one place, and what holds there. */
export interface Here {
  readonly place: Place;
  /** With all that they may do. */
  readonly person: Person;
  readonly channel: Channel;
}

/** What a custom sage is kept under, in its channel's scope. */
export function sageSetting(key: string): string {
  return `${sagePrefix}${key}`;
}
const sagePrefix = 'sage:';

/** Names of the store's scopes for the settings of a thread's channel and of its server or workspace. */
export function settingScopesOf(threadId: string): Channel['scopes'] {
  return {
    channel: `channel:${channelOf(threadId)}`,
    server: `workspace:${workspaceOf(threadId)}`,
  };
}

/** Name of the store's scope for the sages that members of a channel are about to make. */
export function draftScopeOf({ channel }: Pick<Channel['scopes'], 'channel'>): string {
  return channel.replace(/^channel:/, 'drafts:');
}

/**
 * Reads what holds in a thread's channel.
 *
 * @param beside - Other scopes that are wanted at the same time, read in the same step.
 */
export async function readChannel(
  options: ChannelsOptions,
  threadId: string,
  beside: readonly string[] = [],
): Promise<{ readonly channel: Channel; readonly beside: readonly StoredSettings[] }> {
  const scopes = settingScopesOf(threadId);
  const [ofChannel = {}, server = {}, ...ofBeside] = await options.store.settings.read([
    scopes.channel,
    scopes.server,
    ...beside,
  ]);
  const layers = { channel: ofChannel, server };
  const made = {
    customSages: customSagesIn(ofChannel),
    pins: pinsIn(ofChannel),
    presets: presetsIn(options.presets, layers),
  };
  const channel = resolveChannel(options, scopes, layers, made);
  return { channel, beside: ofBeside };
}

/**
 * A channel as it was when a turn was seated, for that turn to go on as it began.
 *
 * @param settings - As they were kept then. What can't hold any more is as the files say.
 */
function channelAsOf(
  options: ChannelsOptions,
  { scopes, ...made }: Channel,
  settings: Readonly<Record<string, unknown>>,
): Channel {
  return resolveChannel(options, scopes, { channel: layerOf(settings), server: {} }, made);
}

/** A channel for a turn: as the turn was seated, else as it was asked; with a preset that has gone since, as it is now. */
export function channelOfTurn(
  options: ChannelsOptions,
  current: Channel,
  { settings, request: { preset } }: Pick<PastTurn, 'settings' | 'request'>,
): Channel {
  if (settings) return channelAsOf(options, current, settings);
  if (preset === undefined) return current;
  return channelWithPreset(options, current, preset) ?? current;
}

/**
 * A channel for one question that is asked with a preset: what that sets goes before what is set here.
 *
 * @returns `undefined` where there is no such preset.
 */
export function channelWithPreset(
  options: ChannelsOptions,
  { scopes, layers, ...made }: Channel,
  key: string,
): Channel | undefined {
  const preset = made.presets.find((one) => one.key === key);
  if (!preset) return undefined;
  const channel = { ...layers.channel, ...layerOf(preset.settings) };
  return resolveChannel(options, scopes, { ...layers, channel }, made);
}

function layerOf(settings: Readonly<Record<string, unknown>>): SettingLayer {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, { value, setBy: '', setAt: 0 }]),
  );
}

/** The channel as a question wants it: a sage that is asked again may speak with another model. */
export function channelFor({ follows }: Pick<TurnRequest, 'follows'>, channel: Channel): Channel {
  const sageModel = follows?.again?.model;
  if (sageModel === undefined) return channel;
  return { ...channel, settings: { ...channel.settings, sageModel } };
}

function resolveChannel(
  options: ChannelsOptions,
  scopes: Channel['scopes'],
  layers: SettingLayers,
  { customSages, pins, presets }: MadeHere,
): Channel {
  const known: KnownHere = {
    sages: allSages(options.council, customSages),
    models: options.knownModels,
    maxSages: options.council.maxSages,
    file: options.settings,
  };
  const resolved = resolveSettings(layers, known);
  const settings = valuesOf(resolved);
  const council = councilOfChannel(options.council, settings, customSages);
  return { scopes, layers, known, resolved, settings, council, customSages, pins, presets };
}

/** Everybody who could sit in a channel, whatever its bench is set to. */
function allSages(council: Council, customSages: readonly CustomSage[]): Council['bench'] {
  return [...council.bench, ...customSages.map(seatableSage)];
}

/**
 * @param council - As the operator's files say.
 * @param settings - What holds in the channel.
 * @returns A council whose fallback sage sits on its bench: where the bench leaves the operator's
 *   out, it is the first of those who are on it.
 */
function councilOfChannel(
  council: Council,
  settings: ChannelSettings,
  customSages: readonly CustomSage[],
): Council {
  const { language: _, criteria: __, ...base } = council;
  const everybody = allSages(council, customSages);
  const mayKeys = settings.bench === 'all' ? undefined : new Set(settings.bench);
  const bench = everybody.filter(({ key }) => mayKeys?.has(key) ?? true);
  const fallback = bench.find(({ key }) => key === council.fallbackSage) ?? bench[0];
  return {
    ...base,
    bench,
    seats: settings.seats,
    depth: settings.depth,
    maxDynamicSages: settings.maxDynamicSages,
    answerWords: settings.answerWords,
    suggestsNext: settings.nextQuestions,
    fallbackSage: fallback?.key ?? council.fallbackSage,
    ...(settings.criteria === 'none' ? {} : { criteria: settings.criteria }),
    ...(settings.language === 'auto' ? {} : { language: settings.language }),
  };
}

/** Throws a `ZodError` when what is kept as a sage is none. */
export function customSagesIn(settings: StoredSettings): readonly CustomSage[] {
  return Object.entries(settings)
    .filter(([name]) => name.startsWith(sagePrefix))
    .map(([, { value, setAt }]) => ({ setAt, sage: customSageSchema.parse(value) }))
    .toSorted((one, other) => one.setAt - other.setAt || (one.sage.key < other.sage.key ? -1 : 1))
    .map(({ sage }) => sage);
}

const presetPrefix = 'preset:';

/** What a preset is kept under, in the scope of its channel or server. */
export function presetSetting(key: string): string {
  return `${presetPrefix}${key}`;
}

/** By name; of several with one name the nearest: the channel's, then its server's, then the operator's. */
function presetsIn(
  ofFile: readonly Preset[],
  { server, channel }: Readonly<Record<'server' | 'channel', StoredSettings>>,
): readonly Preset[] {
  const all = [...ofFile, ...storedIn(server, 'server'), ...storedIn(channel, 'channel')];
  const nearest = new Map(all.map((preset) => [preset.key, preset]));
  return [...nearest.values()].toSorted((one, other) => compareTexts(one.key, other.key));
}

function storedIn(stored: StoredSettings, origin: Preset['origin']): readonly Preset[] {
  return Object.entries(stored).flatMap(([name, { value }]) =>
    name.startsWith(presetPrefix)
      ? [{ ...storedPreset.parse(value), key: name.slice(presetPrefix.length), origin }]
      : [],
  );
}

const mostNameChars = 80;

/**
 * Writes what a person sets or makes in a channel or its server, under the name that people know and the
 * id that stays. A channel is noted in the directory first, so that all of it goes with its workspace.
 *
 * @param scope - The channel's, its server's, or that of the channel's drafts.
 * @param changes - By name; `null` removes a setting.
 * @param keptMs - How long it is kept, in milliseconds; absent: until it is removed.
 */
export async function writeSettings(
  { channel: { scopes }, person }: Pick<Here, 'person' | 'channel'>,
  { store: { settings }, now }: Pick<ChannelsOptions, 'store'> & { readonly now: () => number },
  scope: string,
  changes: JsonObject,
  keptMs?: number,
): Promise<void> {
  const setBy = `${oneLine(person.name).slice(0, mostNameChars)} (${person.id})`;
  const setAt = now();
  const isRemoval = Object.values(changes).every((value) => value === null);
  if (scope !== scopes.server && !isRemoval) {
    await directoryOf(settings, scopes, now).put({ [scopes.channel]: true });
  }
  const expires = keptMs !== undefined && { expiresAt: setAt + keptMs };
  await settings.write(scope, changes, { setBy, setAt, ...expires });
}

/** Where something was set or a sage was made in a workspace: names of the channels' scopes. */
export function directoryOf(
  settings: SettingsStore,
  { server }: Pick<Channel['scopes'], 'server'>,
  now: () => number,
): Notes {
  return new Notes(settings, `channels:${server}`, { now });
}

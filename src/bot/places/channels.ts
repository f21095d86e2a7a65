/** Reads the settings, sages, pins and presets of a channel in one round trip, and resolves its council. */

import type { Person, Place } from '../../../commands/command.ts';
import type { Council } from '../../council/council.ts';
import { type CustomSage, customSageSchema, seatableSage } from '../../council/custom-sage.ts';
import type { PastTurn } from '../../council/past-turn.ts';
import type { Log } from '../../domain/log.ts';
import { channelOf, workspaceOf } from '../../domain/thread-id.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import { compareTexts, oneLine } from '../../domain/words.ts';
import { type Pin, pinsIn } from '../../memory/pins.ts';
import {
  type ChannelSettings,
  type ResolvedSettings,
  resolveSettings,
  type SettingLayer,
  type SettingLayers,
  type ValidationContext,
  valuesOf,
} from '../../settings/channel-settings.ts';
import { type Preset, storedPreset } from '../../settings/preset-settings.ts';
import {
  type JsonObject,
  Notes,
  type SettingsLimit,
  type SettingsStore,
  type StoredSettings,
} from '../../store/store.ts';

export interface ChannelsOptions {
  readonly store: { readonly settings: SettingsStore };
  /** The council of the operator's files. */
  readonly council: Council;
  /** The operator's values of the settings that a channel can change. */
  readonly settings: ChannelSettings;
  /** `provider:model` of each model that can be chosen. */
  readonly knownModels: readonly string[];
  /** The presets of the operator's file. */
  readonly presets: readonly Preset[];
}

/** What people have made in a channel besides its settings, in the order of creation. */
interface ChannelContents {
  readonly customSages: readonly CustomSage[];
  /** Memories that go into every prompt. */
  readonly pins: readonly Pin[];
  /** Including those of its server and of the operator. */
  readonly presets: readonly Preset[];
}

export interface Channel extends ChannelContents {
  /** Scopes in the store. */
  readonly scopes: { readonly channel: string; readonly server: string };
  readonly layers: SettingLayers;
  readonly known: ValidationContext;
  readonly resolved: ResolvedSettings;
  readonly settings: ChannelSettings;
  /** The council of this channel, with bench, seats, depth and language as set. */
  readonly council: Council;
}

/** A person in a place, with the channel's settings. */
export interface Here {
  readonly place: Place;
  /** With all their rights. */
  readonly person: Person;
  readonly channel: Channel;
}

/** The name of a custom sage's entry in its channel's scope. */
export function sageSetting(key: string): string {
  return `${sagePrefix}${key}`;
}
const sagePrefix = 'sage:';

/** The scopes of a thread's channel and of its server or workspace in the store. */
export function settingScopesOf(threadId: string): Channel['scopes'] {
  return {
    channel: `channel:${channelOf(threadId)}`,
    server: `workspace:${workspaceOf(threadId)}`,
  };
}

/** The scope for drafts of a channel's custom sages. @param channel - The channel's own scope. */
export function draftScopeOf(channel: string): string {
  return channel.replace(/^channel:/, 'drafts:');
}

/**
 * Reads the channel of a thread.
 *
 * @param extraScopes - Other scopes to read in the same round trip.
 */
export async function readChannel(
  options: ChannelsOptions,
  threadId: string,
  extraScopes: readonly string[] = [],
): Promise<{ readonly channel: Channel; readonly extra: readonly StoredSettings[] }> {
  const scopes = settingScopesOf(threadId);
  const [ofChannel = {}, server = {}, ...extra] = await options.store.settings.read([
    scopes.channel,
    scopes.server,
    ...extraScopes,
  ]);
  const own = [...storedPresets(server, 'server'), ...storedPresets(ofChannel, 'channel')];
  // A channel's presets override its server's, and these the operator's.
  const presets = new Map([...options.presets, ...own].map((preset) => [preset.key, preset]));
  const channel = resolveChannel(
    options,
    scopes,
    { channel: ofChannel, server },
    {
      customSages: customSagesIn(ofChannel),
      pins: pinsIn(ofChannel),
      presets: [...presets.values()].toSorted((one, other) => compareTexts(one.key, other.key)),
    },
  );
  return { channel, extra };
}

/**
 * The channel for a turn: with the settings stored when the turn was seated, else with the turn's preset, if it
 * still exists. Stored values that no longer apply come from the operator's files.
 */
export function channelOfTurn(
  options: ChannelsOptions,
  current: Channel,
  { settings, request: { preset } }: Pick<PastTurn, 'settings' | 'request'>,
): Channel {
  if (settings) {
    const layers = { channel: layerOf(settings), server: {} };
    return resolveChannel(options, current.scopes, layers, current);
  }
  if (preset === undefined) return current;
  return channelWithPreset(options, current, preset) ?? current;
}

/**
 * The channel for a question with a preset, whose settings override the channel's.
 *
 * @returns `undefined` if there is no such preset.
 */
export function channelWithPreset(
  options: ChannelsOptions,
  base: Channel,
  key: string,
): Channel | undefined {
  const preset = base.presets.find((one) => one.key === key);
  if (!preset) return undefined;
  const channel = { ...base.layers.channel, ...layerOf(preset.settings) };
  return resolveChannel(options, base.scopes, { ...base.layers, channel }, base);
}

function layerOf(settings: Readonly<Record<string, unknown>>): SettingLayer {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, { value, setBy: '', setAt: 0 }]),
  );
}

/** The channel for a question. A sage that is asked again may use another model. */
export function channelFor({ follows }: Pick<TurnRequest, 'follows'>, channel: Channel): Channel {
  const sageModel = follows?.again?.model;
  if (sageModel === undefined) return channel;
  return { ...channel, settings: { ...channel.settings, sageModel } };
}

function resolveChannel(
  options: ChannelsOptions,
  scopes: Channel['scopes'],
  layers: SettingLayers,
  { customSages, pins, presets }: ChannelContents,
): Channel {
  const sages = [...options.council.bench, ...customSages.map(seatableSage)];
  const known: ValidationContext = {
    sages,
    models: options.knownModels,
    maxSages: options.council.maxSages,
    file: options.settings,
  };
  const resolved = resolveSettings(layers, known);
  const settings = valuesOf(resolved);
  const council = councilOfChannel(options.council, settings, sages);
  return { scopes, layers, known, resolved, settings, council, customSages, pins, presets };
}

/**
 * @param council - The council of the operator's files.
 * @param sages - All of the channel, regardless of its bench.
 * @returns A council whose fallback sage is on its bench: the operator's, or the first of the bench without it.
 */
function councilOfChannel(
  council: Council,
  settings: ChannelSettings,
  sages: Council['bench'],
): Council {
  const { language: _, criteria: __, ...base } = council;
  const bench = sages.filter(({ key }) => settings.bench === 'all' || settings.bench.includes(key));
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

/** The custom sages among a channel's stored entries. Throws a `ZodError` if one is invalid. */
function customSagesIn(settings: StoredSettings): readonly CustomSage[] {
  return Object.entries(settings)
    .filter(([name]) => name.startsWith(sagePrefix))
    .map(([, { value, setAt }]) => ({ setAt, sage: customSageSchema.parse(value) }))
    .toSorted((one, other) => one.setAt - other.setAt || (one.sage.key < other.sage.key ? -1 : 1))
    .map(({ sage }) => sage);
}

const presetPrefix = 'preset:';

/** The name of a preset's entry in the scope of its channel or server. */
export function presetSetting(key: string): string {
  return `${presetPrefix}${key}`;
}

function storedPresets(stored: StoredSettings, origin: Preset['origin']): readonly Preset[] {
  return Object.entries(stored).flatMap(([name, { value }]) =>
    name.startsWith(presetPrefix)
      ? [{ ...storedPreset.parse(value), key: name.slice(presetPrefix.length), origin }]
      : [],
  );
}

const maxNameChars = 80;

/**
 * Writes what a person sets or makes in a channel or its server, with the person's name and permanent id.
 * Lists the scope in the directory first, so that it is forgotten with its workspace.
 *
 * @param scope - Of the channel, its server, its drafts or a person.
 * @param changes - By name. `null` removes an entry.
 * @param keptMs - How long the entries are kept, in milliseconds. Absent: until they are removed.
 * @param limit - As in `SettingsStore.write`, like what is returned.
 */
export async function writeSettings(
  { channel: { scopes }, person }: Pick<Here, 'person' | 'channel'>,
  {
    store,
    now,
    log,
  }: Pick<ChannelsOptions, 'store'> & { readonly now: () => number; readonly log: Log },
  scope: string,
  changes: JsonObject,
  keptMs?: number,
  limit?: SettingsLimit,
): Promise<boolean> {
  const { settings } = store;
  const setBy = `${oneLine(person.name).slice(0, maxNameChars)} (${person.id})`;
  const setAt = now();
  const isRemoval = Object.values(changes).every((value) => value === null);
  if (scope !== scopes.server && !isRemoval) {
    await directoryOf(settings, scopes, now).put({ [scope]: true });
  }
  const expires = keptMs !== undefined && { expiresAt: setAt + keptMs };
  const isWritten = await settings.write(scope, changes, { setBy, setAt, ...expires }, limit);
  const facts = { scope, person: person.id, changed: Object.keys(changes) };
  if (isWritten && keptMs === undefined) log.info(facts, 'settings changed');
  return isWritten;
}

/** The scope of the channels of a workspace (`platform:workspace`) whose ids have changed. */
export function channelIdsScope(workspace: string): string {
  return `channel-ids:${workspace}`;
}

/** The directory of a workspace: its channels' and people's scopes in which something was set or made. */
export function directoryOf(
  settings: SettingsStore,
  { server }: Pick<Channel['scopes'], 'server'>,
  now: () => number,
): Notes {
  return new Notes(settings, `channels:${server}`, { now });
}

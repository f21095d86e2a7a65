/** What a channel of the tests knows, and settings as someone made them. */

import type { Council } from '../../src/council/council.ts';
import {
  type ChannelSettings,
  defaultSettings,
  type SettingLayer,
  type ValidationContext,
} from '../../src/settings/channel-settings.ts';
import { settingsSchema } from '../../src/settings/file-table.ts';
import { bench, council } from './scripted-council.ts';

/** What holds in the channels of a council where no one has set anything. */
export function settingsOfCouncil(
  { seats, depth, maxDynamicSages, language = 'auto' }: Council,
  models: { readonly moderator: string; readonly chair: string },
): ChannelSettings {
  const standard = defaultSettings(settingsSchema.parse({}), models);
  return { ...standard, seats, depth, maxDynamicSages, language };
}

export const file = settingsOfCouncil(council, { moderator: 'test:chair', chair: 'test:chair' });

/** @param changes - What the operator's files say instead. */
export function knownHere(changes: Partial<ChannelSettings> = {}): ValidationContext {
  return {
    sages: bench,
    models: ['test:chair', 'test:other-chair'],
    maxSages: 4,
    file: { ...file, ...changes },
  };
}

export const uma = { setBy: 'Uma (u1)', setAt: 1000 };

/** A layer in which Uma has set everything. */
export function layer(values: Readonly<Record<string, unknown>>): SettingLayer {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { value, ...uma }]),
  );
}

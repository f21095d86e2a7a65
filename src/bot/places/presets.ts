/** The presets that a question may be asked with in a channel, wherever they were made. */

import { compareTexts } from '../../domain/words.ts';
import { type Preset, storedPreset } from '../../settings/preset-settings.ts';
import type { StoredSettings } from '../../store/store.ts';

const prefix = 'preset:';

/** What a preset is kept under, in the scope of its channel or server. */
export function presetSetting(key: string): string {
  return `${prefix}${key}`;
}

/** By name; of several with one name the nearest: the channel's, then its server's, then the operator's. */
export function presetsIn(
  ofFile: readonly Preset[],
  { server, channel }: Readonly<Record<'server' | 'channel', StoredSettings>>,
): readonly Preset[] {
  const all = [...ofFile, ...storedIn(server, 'server'), ...storedIn(channel, 'channel')];
  const nearest = new Map(all.map((preset) => [preset.key, preset]));
  return [...nearest.values()].toSorted((one, other) => compareTexts(one.key, other.key));
}

function storedIn(stored: StoredSettings, origin: Preset['origin']): readonly Preset[] {
  return Object.entries(stored).flatMap(([name, { value }]) =>
    name.startsWith(prefix)
      ? [{ ...storedPreset.parse(value), key: name.slice(prefix.length), origin }]
      : [],
  );
}

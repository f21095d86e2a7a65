/** Shows and changes the settings of a channel, or of its server. */

import type { Person, SettingField } from '../../../commands/command.ts';
import type { SettingsChange } from '../../../commands/context.ts';
import type { Council } from '../../council/council.ts';
import {
  type KnownHere,
  resolveSettings,
  type SettingLayers,
  settingFields,
} from '../../settings/channel-settings.ts';
import { validateChanges } from '../../settings/setting-changes.ts';
import type { ChannelScope } from '../../settings/setting-field.ts';
import type { JsonObject, SettingsStore } from '../../store/store.ts';
import { type Channel, writeSettings } from '../places/channels.ts';
import { assertManagerOf } from './rights.ts';

/** A channel, seen as itself or as one of its server, of which it knows the defaults alone. */
export function seenFrom(
  scope: ChannelScope,
  { layers, known }: Channel,
  { bench }: Pick<Council, 'bench'>,
): { readonly layers: SettingLayers; readonly known: KnownHere } {
  if (scope === 'channel') return { layers, known };
  return { layers: { ...layers, channel: {} }, known: { ...known, sages: bench } };
}

/** @param council - As the operator's files say. */
export function fieldsOf(
  scope: ChannelScope,
  channel: Channel,
  council: Council,
): readonly SettingField[] {
  const { layers, known } = seenFrom(scope, channel, council);
  return settingFields(scope, resolveSettings(layers, known), known);
}

/**
 * Changes several settings at once, all of them or none. Two people who change different settings
 * at the same time lose nothing; of two who change the same one, the later one counts.
 *
 * Throws `CommandError` when the person may not change this scope.
 */
export async function changeSettings(
  scope: ChannelScope,
  given: Readonly<Record<string, unknown>>,
  options: {
    readonly store: { readonly settings: SettingsStore };
    readonly channel: Channel;
    /** As the operator's files say. */
    readonly council: Council;
    readonly person: Person;
    /** Milliseconds since 1970. */
    readonly now: () => number;
  },
): Promise<SettingsChange> {
  const { store, channel, council, person, now } = options;
  const what = {
    server: 'change its defaults; change the channel instead',
    channel: 'change its settings',
  };
  assertManagerOf(scope, person, what[scope]);
  const { layers, known } = seenFrom(scope, channel, council);
  const judged = validateChanges(scope, given, layers, known);
  if (judged.status === 'invalid') return { status: 'refused', problems: judged.problems };
  const changes: JsonObject = judged.changes;
  await writeSettings({ channel, person }, { store, now }, channel.scopes[scope], changes);
  return { status: 'changed', changed: Object.keys(changes) };
}

/** Shows and changes the settings and presets of a channel or its server. */

import { CommandError, type SettingField } from '../../../commands/command.ts';
import type { CommandContext, SettingsChange } from '../../../commands/context.ts';
import type { Council } from '../../council/council.ts';
import { listed } from '../../domain/words.ts';
import {
  quotedValue,
  resolveSettings,
  type SettingLayers,
  settingFields,
  type ValidationContext,
  validateChanges,
} from '../../settings/channel-settings.ts';
import {
  maxPresetDescriptionChars,
  presetKey,
  presetSettings,
} from '../../settings/preset-settings.ts';
import type { ChannelScope } from '../../settings/setting-field.ts';
import type { JsonObject, SettingsLimit } from '../../store/store.ts';
import type { BotParts } from '../parts.ts';
import { type Channel, type Here, presetSetting, writeSettings } from '../places/channels.ts';
import { assertManagerOf } from './rights.ts';

/** The layers and choices of a scope: of a server, without those of the channel. */
function scoped(
  scope: ChannelScope,
  { layers, known }: Channel,
  { bench }: Pick<Council, 'bench'>,
): { readonly layers: SettingLayers; readonly known: ValidationContext } {
  if (scope === 'channel') return { layers, known };
  return { layers: { ...layers, channel: {} }, known: { ...known, sages: bench } };
}

/** The form fields of a scope. @param council - The council of the operator's files. */
export function fieldsOf(
  scope: ChannelScope,
  channel: Channel,
  council: Council,
): readonly SettingField[] {
  const { layers, known } = scoped(scope, channel, council);
  return settingFields(scope, resolveSettings(layers, known), known);
}

/**
 * Changes several settings, all or none. Simultaneous changes of different settings don't conflict. Of the
 * same setting, the last change counts. Throws `CommandError` if the person may not change this scope.
 */
export async function changeSettings(
  scope: ChannelScope,
  given: Readonly<Record<string, unknown>>,
  { person, channel }: Here,
  parts: BotParts,
): Promise<SettingsChange> {
  const what = {
    server: 'change its defaults; change the channel instead',
    channel: 'change its settings',
  };
  assertManagerOf(scope, person, what[scope]);
  const { layers, known } = scoped(scope, channel, parts.council);
  const checked = validateChanges(scope, given, layers, known);
  if (checked.status === 'invalid') return { status: 'refused', problems: checked.problems };
  const changes: JsonObject = checked.changes;
  await writeSettings({ channel, person }, parts, channel.scopes[scope], changes);
  return { status: 'changed', changed: Object.keys(changes) };
}

/** Per channel, and per server for all its channels. */
const maxPresets = 25;

export function presetsFor({ person, channel }: Here, parts: BotParts): CommandContext['presets'] {
  const write = (scope: ChannelScope, changes: JsonObject, limit?: SettingsLimit) =>
    writeSettings({ channel, person }, parts, channel.scopes[scope], changes, undefined, limit);

  return {
    all: channel.presets,
    async save(scope, { key, description, settings }) {
      assertManagerOf(scope, person, 'change its presets');
      const named = presetKey.safeParse(key);
      if (!named.success) {
        const expected = named.error.issues[0]?.message ?? '';
        throw new CommandError(`${quotedValue(key)} is not ${expected}.`);
      }
      const words = description.trim();
      if (words === '' || words.length > maxPresetDescriptionChars || /\p{Cc}/u.test(words)) {
        throw new CommandError(
          `Say what the preset is for, in one line of at most ${maxPresetDescriptionChars} characters, as its description.`,
        );
      }
      const { layers, known } = scoped(scope, channel, parts.council);
      const checked = validateChanges('channel', settings, layers, known);
      if (checked.status === 'invalid') {
        throw new CommandError(
          [...checked.problems].map(([name, problem]) => `${name}: ${problem}`).join(' '),
        );
      }
      if (Object.keys(checked.changes).length === 0) {
        throw new CommandError(
          `A preset sets at least one of ${listed(presetSettings, undefined, 'or')}.`,
        );
      }
      const preset: JsonObject = { description: words, settings: checked.changes };
      const limit = { prefix: presetSetting(''), most: maxPresets };
      if (!(await write(scope, { [presetSetting(key)]: preset }, limit))) {
        throw new CommandError(`There is room for ${maxPresets} presets. Remove one first.`);
      }
    },
    async remove(scope, key) {
      assertManagerOf(scope, person, 'change its presets');
      if (!channel.presets.some((one) => one.origin === scope && one.key === key)) {
        const where = scope === 'server' ? 'for the whole server' : 'in this channel';
        throw new CommandError(`No preset ${quotedValue(key)} was made ${where}.`);
      }
      await write(scope, { [presetSetting(key)]: null });
    },
  };
}

/** What people may do with the presets of a channel. */

import { CommandError } from '../../../commands/command.ts';
import type { CommandContext } from '../../../commands/context.ts';
import { listed } from '../../domain/words.ts';
import {
  mostPresetWords,
  type Preset,
  presetKey,
  presetSettings,
} from '../../settings/preset-settings.ts';
import { validateChanges } from '../../settings/setting-changes.ts';
import type { ChannelScope } from '../../settings/setting-field.ts';
import type { JsonObject } from '../../store/store.ts';
import type { BotParts } from '../parts.ts';
import { type Here, presetSetting, readChannel, writeSettings } from '../places/channels.ts';
import { seenFrom } from './change-settings.ts';
import { assertManagerOf } from './rights.ts';

/** Of one channel, or of one server for all its channels. */
const mostPresets = 25;

export function presetsFor(
  { place, person, channel }: Here,
  parts: Pick<BotParts, 'store' | 'council' | 'settings' | 'knownModels' | 'presets' | 'now'>,
): CommandContext['presets'] {
  /** Read anew: others may have changed them since. */
  async function ownOf(scope: ChannelScope): Promise<readonly Preset[]> {
    const { channel: current } = await readChannel(parts, place.threadId);
    return current.presets.filter(({ origin }) => origin === scope);
  }

  const write = (scope: ChannelScope, changes: JsonObject) =>
    writeSettings({ channel, person }, parts, channel.scopes[scope], changes);

  return {
    all: channel.presets,
    async save(scope, { key, description, settings }) {
      assertManagerOf(scope, person, 'change its presets');
      const named = presetKey.safeParse(key);
      if (!named.success) throw new CommandError(`“${key}” is not ${firstOf(named.error)}.`);
      const words = description.trim();
      if (words === '' || words.length > mostPresetWords || /\p{Cc}/u.test(words)) {
        throw new CommandError(
          `Say what the preset is for, in one line of at most ${mostPresetWords} characters, as its description.`,
        );
      }
      const { layers, known } = seenFrom(scope, channel, parts.council);
      const judged = validateChanges('channel', settings, layers, known);
      if (judged.status === 'invalid') {
        throw new CommandError(
          [...judged.problems].map(([name, problem]) => `${name}: ${problem}`).join(' '),
        );
      }
      if (Object.keys(judged.changes).length === 0) {
        throw new CommandError(
          `A preset sets at least one of ${listed(presetSettings, undefined, 'or')}.`,
        );
      }
      const others = (await ownOf(scope)).filter((one) => one.key !== key);
      if (others.length >= mostPresets) {
        throw new CommandError(`There is room for ${mostPresets} presets. Remove one first.`);
      }
      const preset: JsonObject = { description: words, settings: judged.changes };
      await write(scope, { [presetSetting(key)]: preset });
    },
    async remove(scope, key) {
      assertManagerOf(scope, person, 'change its presets');
      if (!(await ownOf(scope)).some((one) => one.key === key)) {
        const where = scope === 'server' ? 'for the whole server' : 'in this channel';
        throw new CommandError(`No preset “${key}” was made ${where}.`);
      }
      await write(scope, { [presetSetting(key)]: null });
    },
  };
}

function firstOf({ issues }: { readonly issues: readonly { readonly message: string }[] }) {
  return issues[0]?.message ?? '';
}

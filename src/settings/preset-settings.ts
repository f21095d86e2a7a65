/** Presets: councils under a name. What one sets goes before the settings of the channel that it is asked in. */

import { z } from 'zod';
import { depths } from '../domain/asking.ts';
import { group, line, modelName, oneOf, pattern, seatList } from './file-kinds.ts';

/** As much as a ranking has room to tell. */
export const mostCriteriaChars = 200;
/** As much as a list of suggestions shows. */
export const mostPresetWords = 100;

/** What a preset is called when it is asked for. */
export const presetKey = pattern(
  /^[a-z0-9][a-z0-9_-]{0,31}$/,
  "a preset's name: lower-case letters, digits, _ and -, at most 32 characters. Write e.g. hiring",
);

/** What a preset may have a value for. Each is named, and means the same, as in a channel. */
const settings = {
  seats: seatList().exactOptional().meta({ description: 'Who sits. Absent: as in the channel.' }),
  depth: oneOf(depths)
    .exactOptional()
    .meta({ description: 'How far it goes. Absent: as in the channel.' }),
  criteria: line(mostCriteriaChars, 'cost, risk, what the customer feels')
    .exactOptional()
    .meta({ description: 'The criteria of the reviews. Absent: as in the channel.' }),
  moderatorModel: modelOf('seats the sages'),
  sageModel: modelOf('speaks for all its sages'),
  reviewerModel: modelOf('writes all its reviews'),
  chairModel: modelOf('writes its verdict'),
};
const settingName = z.object(settings).keyof();

/** The settings that a preset may have a value for. */
export const presetSettings = settingName.options;

/** A preset in `council.yaml`. */
export const filePreset = group({
  description: line(mostPresetWords, 'For decisions about people').meta({
    description: 'What it is for, in a few words; people see it when the preset is suggested.',
  }),
  ...settings,
});

/** A preset as a store keeps it. The values may no longer be possible, as those of a channel. */
export const storedPreset = z.object({
  description: z.string(),
  settings: z.partialRecord(settingName, z.unknown()),
});

/** A council under a name. */
export interface Preset extends z.infer<typeof storedPreset> {
  readonly key: string;
  /** Who made it: the operator, for all channels; managers, for a whole server or for a channel. */
  readonly origin: 'file' | 'server' | 'channel';
}

/** The presets of `council.yaml`. */
export function presetsOfFile(
  presets: Readonly<Record<string, z.infer<typeof filePreset>>>,
): readonly Preset[] {
  return Object.entries(presets).map(([key, { description, ...settings }]) => {
    return { key, description, settings, origin: 'file' };
  });
}

function modelOf(does: string) {
  return modelName
    .exactOptional()
    .meta({ description: `\`provider:model\` that ${does}. Absent: as in the channel.` });
}

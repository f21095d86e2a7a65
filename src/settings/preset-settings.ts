/** Presets: named sets of settings that override those of the channel for one question. */

import { z } from 'zod';
import { depths } from '../domain/asking.ts';
import { group, line, modelName, oneOf, pattern, seatList } from './file-kinds.ts';

/** What fits beside a ranking. */
export const maxCriteriaChars = 200;
/** What fits into a list of suggestions. */
export const maxPresetDescriptionChars = 100;

/** The name that people ask for. */
export const presetKey = pattern(
  /^[a-z0-9][a-z0-9_-]{0,31}$/,
  "a preset's name: lower-case letters, digits, _ and -, at most 32 characters. Write e.g. hiring",
);

/** Same names and meanings as a channel's settings. */
const settings = {
  seats: seatList().exactOptional().meta({ description: 'Who sits. Absent: as in the channel.' }),
  depth: oneOf(depths)
    .exactOptional()
    .meta({ description: 'How far it goes. Absent: as in the channel.' }),
  criteria: line(maxCriteriaChars, 'cost, risk, what the customer feels')
    .exactOptional()
    .meta({ description: 'The criteria of the reviews. Absent: as in the channel.' }),
  moderatorModel: modelOf('seats the sages'),
  sageModel: modelOf('speaks for all its sages'),
  reviewerModel: modelOf('writes all its reviews'),
  chairModel: modelOf('writes its verdict'),
};
const settingName = z.object(settings).keyof();

/** Those that name a model. */
export const presetModels = ['moderatorModel', 'sageModel', 'reviewerModel', 'chairModel'] as const;

/** The names of the settings that a preset can contain. */
export const presetSettings = settingName.options;

/** A preset in `council.yaml`. */
export const filePreset = group({
  description: line(maxPresetDescriptionChars, 'For decisions about people').meta({
    description: 'What it is for, in a few words; people see it when the preset is suggested.',
  }),
  ...settings,
});

/** A preset in a store. Its values may have become invalid, like a channel's. */
export const storedPreset = z.object({
  description: z.string(),
  settings: z.partialRecord(settingName, z.unknown()),
});

/** A preset with its name and scope. */
export interface Preset extends z.infer<typeof storedPreset> {
  readonly key: string;
  /** `file`: made by the operator, for all channels. Otherwise made by managers. */
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

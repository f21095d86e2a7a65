/** What people set for themselves, in all of a server or workspace. */

import { valueInWords, yesOrNo } from './channel-kinds.ts';
import { type SettingLayer, shownGiven } from './channel-settings.ts';
import type { SettingField } from './setting-field.ts';

export interface PersonalSettings {
  /** The person is mentioned once when a question of theirs is done. */
  readonly notify: boolean;
}

/** Whether changes can be made: all of them or none. Problems are for people, by the given name. */
type JudgedPersonal =
  | { readonly status: 'valid'; readonly changes: Readonly<Record<string, boolean | null>> }
  | { readonly status: 'invalid'; readonly problems: ReadonlyMap<string, string> };

const notify = {
  name: 'notify',
  label: 'Tell me when it is done',
  description: 'Mentions you once in the thread when the council has finished with your question.',
} as const;
const kind = yesOrNo();

/** @param kept - As stored; what is not set is off. */
export function personalSettings(kept: SettingLayer): PersonalSettings {
  return { notify: kept[notify.name]?.value === true };
}

/** The same as a form shows it. */
export function personalFields(kept: SettingLayer): readonly SettingField[] {
  const value = personalSettings(kept).notify;
  const origin = kept[notify.name] === undefined ? 'file' : 'mine';
  return [{ ...notify, input: kind.input(value), value: valueInWords(value), origin, ignored: [] }];
}

/** @param given - Values by name, as typed or picked; `null` resets one. */
export function judgePersonal(given: Readonly<Record<string, unknown>>): JudgedPersonal {
  const problems = new Map<string, string>();
  const changes: Record<string, boolean | null> = {};
  for (const [name, value] of Object.entries(given)) {
    const parsed = kind.schema.safeParse(value);
    if (name !== notify.name) {
      problems.set(name, `There is no setting ${shownGiven(name)}. There is: ${notify.name}.`);
    } else if (value === null) changes[name] = null;
    else if (parsed.success) changes[name] = parsed.data;
    else problems.set(name, `${shownGiven(value)} isn’t possible here. Expected: yes or no.`);
  }
  return problems.size > 0 ? { status: 'invalid', problems } : { status: 'valid', changes };
}

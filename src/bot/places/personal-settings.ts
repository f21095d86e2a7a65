/** The personal settings of people in a workspace. */

import type { SettingField } from '../../../commands/command.ts';
import type { SettingsChange } from '../../../commands/context.ts';
import { workspaceOf } from '../../domain/thread-id.ts';
import { valueInWords, yesOrNo } from '../../settings/channel-kinds.ts';
import { quotedValue, type SettingLayer } from '../../settings/channel-settings.ts';
import type { SettingsStore } from '../../store/store.ts';
import { type Here, writeSettings } from './channels.ts';

const notify = {
  name: 'notify',
  label: 'Tell me when it is done',
  description: 'Mentions you once in the thread when the council has finished with your question.',
} as const;
const kind = yesOrNo();

/** Off by default. */
function isOn(kept: SettingLayer): boolean {
  return kept[notify.name]?.value === true;
}

/**
 * The scope of a person's settings in the store.
 *
 * @param workspace - `platform:workspace`.
 */
export function personScope(workspace: string, personId: string): string {
  return `person:${workspace}:${personId}`;
}

/** Whether a person wants to be mentioned when a question of theirs is done. Throws what the store throws. */
export async function wantsPing(
  settings: SettingsStore,
  threadId: string,
  personId: string,
): Promise<boolean> {
  const [kept = {}] = await settings.read([personScope(workspaceOf(threadId), personId)]);
  return isOn(kept);
}

/** Reads and changes the settings of one person. */
export function personalSettingsFor(here: Here, parts: Parameters<typeof writeSettings>[1]) {
  const scope = personScope(workspaceOf(here.place.threadId), here.person.id);
  return {
    /** As form fields. */
    async fields(): Promise<readonly SettingField[]> {
      const [kept = {}] = await parts.store.settings.read([scope]);
      const value = isOn(kept);
      const origin = kept[notify.name] === undefined ? 'file' : 'mine';
      const shown = { input: kind.input(value), value: valueInWords(value), origin } as const;
      return [{ ...notify, ...shown, ignored: [] }];
    },
    /** @param given - Values by name, as typed or picked. `null` resets a setting. */
    async change(given: Readonly<Record<string, unknown>>): Promise<SettingsChange> {
      const problems = new Map<string, string>();
      const changes: Record<string, boolean | null> = {};
      for (const [name, value] of Object.entries(given)) {
        const parsed = kind.schema.nullable().safeParse(value);
        if (name !== notify.name) {
          problems.set(name, `There is no setting ${quotedValue(name)}. There is: ${notify.name}.`);
        } else if (parsed.success) changes[name] = parsed.data;
        else problems.set(name, `${quotedValue(value)} isn’t possible here. Expected: yes or no.`);
      }
      if (problems.size > 0) return { status: 'refused', problems };
      await writeSettings(here, parts, scope, changes);
      return { status: 'changed', changed: Object.keys(changes) };
    },
  };
}

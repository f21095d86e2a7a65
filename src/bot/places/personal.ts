/** What a person has set for themselves in a workspace: read, shown, changed. */

import type { SettingField } from '../../../commands/command.ts';
import type { SettingsChange } from '../../../commands/context.ts';
import { workspaceOf } from '../../domain/thread-id.ts';
import {
  judgePersonal,
  type PersonalSettings,
  personalFields,
  personalSettings,
} from '../../settings/personal-settings.ts';
import type { SettingsStore } from '../../store/store.ts';
import { type ChannelsOptions, type Here, writeSettings } from './channels.ts';

/**
 * Name of the store's scope that holds it.
 *
 * @param workspace - `platform:workspace`.
 */
export function personScope(workspace: string, personId: string): string {
  return `person:${workspace}:${personId}`;
}

export async function readPersonal(
  settings: SettingsStore,
  threadId: string,
  personId: string,
): Promise<PersonalSettings> {
  const [kept = {}] = await settings.read([personScope(workspaceOf(threadId), personId)]);
  return personalSettings(kept);
}

export function personalFor(
  here: Here,
  parts: Pick<ChannelsOptions, 'store'> & { readonly now: () => number },
) {
  const { settings } = parts.store;
  const scope = personScope(workspaceOf(here.place.threadId), here.person.id);
  return {
    async fields(): Promise<readonly SettingField[]> {
      const [kept = {}] = await settings.read([scope]);
      return personalFields(kept);
    },
    async change(given: Readonly<Record<string, unknown>>): Promise<SettingsChange> {
      const judged = judgePersonal(given);
      if (judged.status === 'invalid') return { status: 'refused', problems: judged.problems };
      await writeSettings(here, parts, scope, judged.changes);
      return { status: 'changed', changed: Object.keys(judged.changes) };
    },
  };
}

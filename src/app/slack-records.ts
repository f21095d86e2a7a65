/** Where the installations of the app in Slack are kept: beside the settings. */

import type { InstallationRecords } from '../platforms/slack/connection/installations.ts';
import type { SettingsStore } from '../store/store.ts';

/** One entry for each workspace, of what is no secret. */
const indexScope = 'slack:installations';
const sealedName = 'sealed';

export function slackRecords(settings: SettingsStore, now: () => number): InstallationRecords {
  const scopeOf = (team: string) => `slack:installation:${team}`;
  return {
    async read(team) {
      const [kept] = await settings.read([scopeOf(team)]);
      return kept?.[sealedName]?.value;
    },
    async write(team, sealed, facts, setBy) {
      const by = { setBy, setAt: now() };
      await settings.write(scopeOf(team), { [sealedName]: sealed }, by);
      await settings.write(indexScope, { [team]: facts }, by);
    },
    async remove(team) {
      const by = { setBy: team, setAt: now() };
      await settings.write(indexScope, { [team]: null }, by);
      await settings.write(scopeOf(team), { [sealedName]: null }, by);
    },
    async list() {
      const [kept = {}] = await settings.read([indexScope]);
      return new Map(Object.entries(kept).map(([team, { value }]) => [team, value]));
    },
  };
}

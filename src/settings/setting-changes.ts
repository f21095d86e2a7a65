/** Checks changes of settings that are requested together. */

import {
  type ChannelSettings,
  isSettingName,
  type KnownHere,
  resolveSettings,
  type SettingLayers,
  type SettingName,
  settingNamesOf,
  settingTable,
  shownGiven,
  validateChange,
} from './channel-settings.ts';
import type { ChannelScope } from './setting-field.ts';

/** Whether the changes can be made: all of them or none. */
type JudgedChanges =
  /** `null`: resets the setting. */
  | {
      readonly status: 'valid';
      readonly changes: Readonly<Partial<Record<SettingName, ChannelSettings[SettingName] | null>>>;
    }
  /** Why, by the given name. */
  | { readonly status: 'invalid'; readonly problems: ReadonlyMap<string, string> };

/**
 * Checks changes to one scope, each by itself and together with the other settings.
 *
 * @param given - Values by name; `null` resets one.
 */
export function validateChanges(
  scope: ChannelScope,
  given: Readonly<Record<string, unknown>>,
  layers: SettingLayers,
  known: KnownHere,
): JudgedChanges {
  const problems = new Map<string, string>();
  const changes = new Map<SettingName, ChannelSettings[SettingName] | null>();
  for (const [name, value] of Object.entries(given)) {
    if (!isSettingName(name)) {
      const names = settingNamesOf(scope).join(', ');
      problems.set(name, `There is no setting ${shownGiven(name)}. There are: ${names}.`);
    } else if (!settingNamesOf(scope).includes(name)) {
      const why = settingTable[name].whyOfServer;
      problems.set(name, `It is set for the whole server or workspace, with scope server. ${why}`);
    } else if (value === null) {
      changes.set(name, null);
    } else {
      const judged = validateChange(name, value, known);
      if (judged.status === 'valid') changes.set(name, judged.value);
      else problems.set(name, judged.why);
    }
  }
  const conflict = conflictAfter(scope, changes, layers, known);
  const [blamed] = (['seats', 'bench'] as const).filter((name) => changes.get(name) != null);
  if (conflict && blamed && !problems.has(blamed)) problems.set(blamed, conflict);
  if (problems.size > 0) return { status: 'invalid', problems };
  return { status: 'valid', changes: Object.fromEntries(changes) };
}

/** Seats outside the bench would stay empty: refused while the person can still fix it. */
function conflictAfter(
  scope: ChannelScope,
  changes: ReadonlyMap<SettingName, ChannelSettings[SettingName] | null>,
  layers: SettingLayers,
  known: KnownHere,
): string | undefined {
  const kept = Object.entries(layers[scope]).filter(
    ([name]) => !isSettingName(name) || !changes.has(name),
  );
  const changed = [...changes].flatMap(([name, value]) =>
    value === null ? [] : [[name, { value, setBy: '', setAt: 0 }] as const],
  );
  const after = { ...layers, [scope]: Object.fromEntries([...kept, ...changed]) };
  const { seats, bench } = resolveSettings(after, known);
  if (seats.value === 'moderated' || bench.value === 'all') return undefined;
  const benched = new Set(bench.value);
  const outside = seats.value.filter((key) => !benched.has(key));
  if (outside.length === 0) return undefined;
  const are = outside.length === 1 ? 'has a seat and is' : 'have seats and are';
  return `${outside.join(', ')} ${are} not on the bench, which is ${bench.value.join(', ')}. Change both together, or one of them.`;
}

/** What can still be said about settings that have mistakes in them, so that all are found at once. */

import { isGroup } from './is-group.ts';
import { type Settings, settingsSchema } from './schema.ts';
import type { SettingPath } from './yaml-source.ts';

/**
 * The settings that a faulty file would give if everything faulty were left out of it.
 *
 * @param data - What the file says.
 * @param faulty - Where it is wrong, as found by checking it once.
 */
export function usableSettings(data: unknown, faulty: readonly SettingPath[]): Settings {
  const distinct = new Map(faulty.map((path) => [JSON.stringify(path), path]));
  const rest = [...distinct.values()].reduce<unknown>(without, data) ?? {};
  const parsed = settingsSchema.safeParse(rest);
  if (parsed.success) return parsed.data;
  // Leaving out a value can uncover that the one beside it is missing: each round leaves out more.
  const paths = parsed.error.issues.map(({ path }) => path.map((step) => String(step)));
  return usableSettings(rest, paths);
}

/** A copy without what the path leads to; where just its last step is missing, without the group that lacks it. */
function without(data: unknown, [step, ...rest]: SettingPath): unknown {
  if (step === undefined || !isGroup(data)) return undefined;
  if (!Object.hasOwn(data, step)) return rest.length === 0 ? undefined : data;
  const { [step]: inner, ...others } = data;
  const remaining = rest.length === 0 ? undefined : without(inner, rest);
  return remaining === undefined ? others : { ...others, [step]: remaining };
}

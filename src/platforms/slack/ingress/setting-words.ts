/** A setting in words. */

import type { SettingField } from '../../../../commands/command.ts';

/** e.g. `Depth: quick (set for this channel by Ada)`. */
export function settingLine(field: SettingField): string {
  const problem = field.problem === undefined ? '' : `. Not changed: ${field.problem}`;
  return `${field.label}: ${field.value} (${originWords(field)})${problem}`;
}

/** Where a value comes from. */
export function originWords({ origin, setBy }: SettingField): string {
  const where = {
    channel: 'set for this channel',
    server: 'set for the workspace',
    file: 'as the files say',
  }[origin];
  return setBy === undefined ? where : `${where} by ${setBy}`;
}

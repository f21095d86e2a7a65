import { settingNames } from '../../src/settings/channel-settings.ts';
import { settingTable } from '../../src/settings/channel-table.ts';
import { settingLeaves } from '../../src/settings/check.ts';
import { settingsSchema } from '../../src/settings/file-table.ts';

/**
 * All settings of `council.yaml` as a Markdown table with the columns setting, default and meaning;
 * no line end after its last row. A setting without a default has `–`.
 */
export function settingsTable(): string {
  const rows = settingLeaves(settingsSchema).map(
    ({ setting, fallback, description }) =>
      `| ${code(setting)} | ${fallback === undefined ? '–' : code(String(fallback))} | ${inCell(description)} |`,
  );
  return ['| setting | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

/** All settings that a channel or a server can change, with who may: columns name, who and meaning. */
export function channelSettingsTable(): string {
  const rows = settingNames.map((name) => {
    const { description, whyOfServer } = settingTable[name];
    const who = whyOfServer === undefined ? 'channel, server' : 'server';
    return `| ${code(name)} | ${who} | ${inCell(description)} |`;
  });
  return ['| name | managers of | meaning |', '|---|---|---|', ...rows].join('\n');
}

function code(text: string): string {
  return inCell(`\`${text}\``);
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|');
}

import { settingNames, settingTable } from '../../src/settings/channel-settings.ts';
import { settingLeaves } from '../../src/settings/check.ts';
import { settingsSchema } from '../../src/settings/file-table.ts';
import { knownProviders } from '../../src/settings/known-providers.ts';

/**
 * All settings of `council.yaml` as a Markdown table with the columns setting, default and meaning;
 * no line end after its last row. A setting without a default has `–`.
 */
export function settingsTable(): string {
  const rows = settingLeaves(settingsSchema).map(
    ({ setting, fallback, description }) =>
      `| ${code(setting)} | ${fallback === undefined ? '–' : code(shown(fallback))} | ${inCell(description)} |`,
  );
  return ['| setting | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

/** All settings that a channel or a server can change, with who may: columns name, who and meaning. */
export function channelSettingsTable(): string {
  const rows = settingNames.map((name) => {
    const { description, whyServerOnly } = settingTable[name];
    const who = whyServerOnly === undefined ? 'channel, server' : 'server';
    return `| ${code(name)} | ${who} | ${inCell(description)} |`;
  });
  return ['| name | managers of | meaning |', '|---|---|---|', ...rows].join('\n');
}

/**
 * A page whose table with the same heading is replaced, to compare with `toMatchFileSnapshot`: a failure then shows
 * the rows that differ, and `vitest run -u` writes them.
 */
export function withTable(page: string, table: string): string {
  const [heading = ''] = table.split('\n');
  const start = page.indexOf(heading);
  const end = page.indexOf('\n\n', start);
  if (start < 0 || end < 0) throw new Error(`The page has no table with the heading ${heading}`);
  return page.slice(0, start) + table + page.slice(end);
}

function shown(fallback: unknown): string {
  return Array.isArray(fallback) ? JSON.stringify(fallback) : String(fallback);
}

function code(text: string): string {
  return inCell(`\`${text}\``);
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** All providers that are known by name, with what each takes. */
export function providersTable(): string {
  const yes = (is: boolean) => (is ? 'yes' : 'no');
  const rows = Object.entries(knownProviders).map(([name, known]) => {
    const { title, baseUrl, apiKeyEnv, models, structuredOutput = 'json_schema' } = known;
    const { outputLimit = 'max_tokens', takesReasoningEffort = true, pictures = false } = known;
    const cells = [
      ...[`\`${name}\``, title, baseUrl, apiKeyEnv ? code(apiKeyEnv) : 'none'],
      ...[models[0] ? code(models[0]) : 'the first it lists', code(structuredOutput)],
      ...[code(outputLimit), yes(pictures), yes(takesReasoningEffort)],
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const heads = 'name|provider|address|key|`auto` takes|answers in JSON by|limit|pictures|effort';
  const columns = heads.split('|');
  return [`| ${columns.join(' | ')} |`, `|${'---|'.repeat(columns.length)}`, ...rows].join('\n');
}

/** A schema's settings one by one, as its JSON Schema describes them; and as a table for people. */

import { z } from 'zod';
import { settingsSchema } from './schema.ts';

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

function code(text: string): string {
  return inCell(`\`${text}\``);
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** One setting. */
interface SettingLeaf {
  /** Dotted, with `<…>` for a name that the operator chooses, e.g. `models.sages.<sage>`. */
  readonly setting: string;
  /** `undefined`: there is none. */
  readonly fallback: unknown;
  /** One sentence or a few, in Markdown. */
  readonly description: string;
}

type Node = z.core.JSONSchema._JSONSchema;

/** All settings of a schema, in its order. */
export function settingLeaves(schema: z.ZodType): SettingLeaf[] {
  return leavesBelow(z.toJSONSchema(schema), '', '');
}

/** The names that a group of settings has; none where the path leads to no group. */
export function settingNames(schema: z.ZodType, path: readonly (string | number)[]): string[] {
  let node: Node | undefined = z.toJSONSchema(schema);
  for (const step of path) {
    if (typeof node !== 'object') return [];
    node = node.properties?.[step] ?? node.additionalProperties;
  }
  return typeof node === 'object' ? Object.keys(node.properties ?? {}) : [];
}

/** A list by name is described as a whole; its values take that description where they have none. */
function leavesBelow(node: Node | undefined, setting: string, inherited: string): SettingLeaf[] {
  if (typeof node !== 'object') return [];
  const description = node.description ?? inherited;
  const inner = Object.entries(node.properties ?? {});
  const { propertyNames, additionalProperties } = node;
  if (typeof propertyNames === 'object') {
    inner.push([`<${propertyNames.title ?? 'name'}>`, additionalProperties ?? {}]);
  }
  if (inner.length === 0) return [{ setting, fallback: node.default, description }];
  return inner.flatMap(([name, child]) =>
    leavesBelow(child, setting === '' ? name : `${setting}.${name}`, description),
  );
}

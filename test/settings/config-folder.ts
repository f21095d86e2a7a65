/** Configurations for the tests, each in a folder of its own that is removed after its test. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ConfigError } from '../../src/settings/config-source.ts';
import type { Environment } from '../../src/settings/environment.ts';
import { type Config, loadConfig } from '../../src/settings/load.ts';

/** Files by their path below the project's folder, e.g. `config/council.yaml`. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** The least a configuration consists of: the sage that sits when no other does. */
export const fallbackSage: Files = {
  'config/sages/strategy_expert.md':
    '---\nname: Strategy Expert\ndescription: Weighs goals and means.\n---\n',
};

/** Writes the files and gives the folder that holds `config`. */
export function projectWith(files: Files): string {
  const project = mkdtempSync(join(tmpdir(), 'council-config-'));
  onTestFinished(() => rmSync(project, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), content);
  }
  return project;
}

/** Loads the files, together with the fallback sage. */
export function load(files: Files, environment: Environment = {}): Config {
  const project = projectWith({ ...fallbackSage, ...files });
  return loadConfig({ directory: join(project, 'config'), environment });
}

/** The lines of the error that loading these files ends in, with paths from the project's folder. */
export function mistakesIn(files: Files, environment: Environment = {}): string[] {
  const project = projectWith({ ...fallbackSage, ...files });
  try {
    loadConfig({ directory: join(project, 'config'), environment });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.replaceAll(`${project}/`, '').split('\n').slice(1);
  }
  return [];
}

/** The mistakes of a `council.yaml` with these lines. */
export function mistakesInCouncil(...lines: string[]): string[] {
  return mistakesIn({ 'config/council.yaml': lines.join('\n') });
}

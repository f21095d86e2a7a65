/** Folders for tests that run the whole program: a configuration of their own, removed afterwards. */

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Files by their path below the folder, e.g. `config/council.yaml`. */
export type Files = Readonly<Record<string, string>>;

/** Three sages that differ in what they see; `ada` sits when no one else is named. */
export const threeSages: Files = Object.fromEntries(
  Object.entries({
    ada: 'Looks for what breaks first in an engine and in a plan.',
    ben: 'Counts what a thing costs and who pays for it.',
    cleo: 'Asks who will live with the outcome in ten years.',
  }).map(([key, description]) => [
    `config/sages/${key}.md`,
    `---\nname: ${key[0]?.toUpperCase()}${key.slice(1)} Sage\ndescription: ${description}\n---\nYou are ${key}. ${description}\n`,
  ]),
);

/** A clone with all its packages is more than 30,000 files, which a busy disk takes minutes to remove. */
const longestRemovalMs = 10 * 60_000;

/** Makes a folder that is removed after the test, and gives its path. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'council-e2e-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }), longestRemovalMs);
  return folder;
}

/** A project folder with the three sages and these settings, as JSON, which is YAML as well. */
export function temporaryProject(settings: object, more: Files = {}): string {
  const folder = temporaryFolder();
  const councilFile = JSON.stringify(settings, null, 2);
  const files = { ...threeSages, 'config/council.yaml': councilFile, ...more };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

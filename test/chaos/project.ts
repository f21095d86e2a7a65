import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder with a configuration of two sages, in which a worker has a place for the turns of all threads. */
export function temporaryProject(settings: object, threads: number) {
  const path = mkdtempSync(join(tmpdir(), 'council-chaos-'));
  const council = {
    memory: { interactions: 0 },
    // A worker that is left alone has a place for the turns of all: nobody waits for one.
    limits: {
      maxConcurrentTurns: threads,
      maxQueuedTurnsPerUser: 1000,
      maxQueuedTurnsPerThread: 1000,
    },
    ...settings,
  };
  const files = {
    'council.yaml': JSON.stringify(council),
    'sages/ada.md': '---\nname: Ada Sage\ndescription: Looks for what breaks first.\n---\n',
    'sages/ben.md': '---\nname: Ben Sage\ndescription: Counts what a thing costs.\n---\n',
  };
  for (const [name, content] of Object.entries(files)) {
    const file = join(path, 'config', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

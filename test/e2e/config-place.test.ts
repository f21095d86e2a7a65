import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectWith } from '../settings/config-folder.ts';
import { projectRoot } from './council-process.ts';

/** What the program says of a mistake in the file that it reads. */
function complaintOf(environment: Readonly<Record<string, string>>, ...words: readonly string[]) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const program = join(projectRoot, 'src/index.ts');
  return spawnSync(process.execPath, [program, ...words, 'sages'], {
    env: { PATH, NODE_COMPILE_CACHE, ...environment },
    encoding: 'utf8',
  }).stderr;
}

test('the configuration is where the command line says, else where COUNCIL_CONFIG does', () => {
  const project = projectWith({
    'one/council.yaml': 'council: { depth: one }',
    'two/other.yaml': 'council: { depth: two }',
  });
  const COUNCIL_CONFIG = join(project, 'two/other.yaml');
  expect(complaintOf({ COUNCIL_CONFIG })).toContain('other.yaml:1 council.depth: "two" is not');
  const INIT_CWD = join(project, 'two');
  expect(complaintOf({ COUNCIL_CONFIG: 'other.yaml', INIT_CWD })).toContain('depth: "two" is not');
  expect(complaintOf({ INIT_CWD }, '--config', '../one')).toContain('depth: "one" is not');
  const words = ['--config', join(project, 'one')];
  expect(complaintOf({ COUNCIL_CONFIG }, ...words)).toContain('council.depth: "one" is not');
});

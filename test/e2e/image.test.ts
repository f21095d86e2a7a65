import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectRoot } from './council-process.ts';
import { readCopy, readDockerfile } from './dockerfile.ts';
import { buildImage } from './image-stages.ts';
import { freshClone, isSlowAsked, run, slowly } from './machine.ts';

const minutes = 60_000;
const instructions = readDockerfile(readFileSync(join(projectRoot, 'Dockerfile'), 'utf8'));
const ignored = readFileSync(join(projectRoot, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const copied = instructions
  .filter(({ keyword }) => keyword === 'COPY')
  .map(({ rest }) => readCopy(rest))
  .filter(({ from }) => from === undefined)
  .flatMap(({ sources }) => sources);

describe('the Dockerfile', () => {
  test.each(copied)('copies %s, which is committed', async (source) => {
    const listed = await run('git', ['ls-tree', '--name-only', 'HEAD', source], {
      folder: projectRoot,
    });
    expect(listed.stdout.trim()).toBe(source);
    expect(ignored).not.toContain(source);
  });

  test('does not run as root, and says how its health is checked', () => {
    const keywords = instructions.map(({ keyword }) => keyword);
    expect(keywords.lastIndexOf('USER')).toBeGreaterThan(keywords.lastIndexOf('RUN'));
    expect(keywords).toContain('HEALTHCHECK');
    // Nothing from outside a container reaches its loopback.
    expect(instructions).toContainEqual({ keyword: 'ENV', rest: 'COUNCIL_HEALTH_HOST=0.0.0.0' });
    expect(keywords.at(-1)).toBe('CMD');
  });

  test.each(['node_modules', 'data', '.env', '.git', 'test'])('is not sent %s', (name) => {
    expect(ignored).toContain(name);
  });
});

describe.skipIf(!isSlowAsked)(slowly('the image'), () => {
  test(
    'answers a piped question and is healthy, with its own files alone and as an ordinary user',
    async () => {
      const image = await buildImage(instructions, await freshClone());
      const modules = join(image.workdir, 'node_modules');
      expect(existsSync(join(modules, 'openai'))).toBe(true);
      for (const tool of ['vitest', 'typescript', '@biomejs/biome', '@copilotkit/aimock']) {
        expect(existsSync(join(modules, tool))).toBe(false);
      }

      const answered = await image.start('command', 'How should I frame my career path?\n');
      expect(answered.stdout).toMatch(/^## Verdict$/m);
      expect(answered.stdout).not.toContain('\u001b');
      expect(answered.code).toBe(0);

      const healthy = await image.start('healthcheck');
      expect(healthy.stdout).toContain('store data/council.db: can be read and written');
      expect(healthy.stdout).toContain('All is well.');
      expect(healthy.code).toBe(0);

      expect(readdirSync(join(image.workdir, 'data'))).toContain('council.db');
      expect(statSync(join(image.workdir, 'src/index.ts')).isFile()).toBe(true);
    },
    10 * minutes,
  );
});

import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startWorld } from '../fakes/discord/connected-client.ts';
import { freePort } from '../fakes/redis-server.ts';
import { projectRoot } from './council-process.ts';
import { readCopy, readDockerfile } from './dockerfile.ts';
import { buildImage } from './image-stages.ts';
import { freshClone, isSlowAsked, run, slowly } from './machine.ts';
import { temporaryProject } from './temporary-project.ts';

const minutes = 60_000;
const instructions = readDockerfile(readFileSync(join(projectRoot, 'Dockerfile'), 'utf8'));
const strategist = '---\nname: Strategist\ndescription: Weighs what a plan needs.\n---\n';
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
    const [asked] = instructions.filter(({ keyword }) => keyword === 'HEALTHCHECK');
    expect(asked?.rest).toContain('CMD ["node", "src/index.ts", "health"]');
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
    'serves and is asked for its health, with its own files alone and as an ordinary user',
    async () => {
      const image = await buildImage(instructions, await freshClone());
      const modules = join(image.workdir, 'node_modules');
      expect(existsSync(join(modules, 'openai'))).toBe(true);
      for (const tool of ['vitest', 'typescript', '@biomejs/biome', '@copilotkit/aimock']) {
        expect(existsSync(join(modules, tool))).toBe(false);
      }

      const input = 'How should I frame my career path?\n';
      const answered = await image.start('command', { input });
      expect(answered.stdout).toContain('No model is set up');
      expect(answered.stdout).not.toContain('\u001b');
      expect(answered.code).toBe(0);

      await using world = await startWorld();
      const { discord } = world;
      const settings = { discord: { apiUrl: discord.api }, health: { port: await freePort() } };
      const project = temporaryProject(settings, { 'config/sages/strategy_expert.md': strategist });
      chmodSync(project, 0o755);
      const COUNCIL_CONFIG = join(project, 'config');
      const environment = { COUNCIL_CONFIG, DISCORD_TOKEN: discord.token };
      const ending = new AbortController();
      const bot = image.start('command', { environment, ending: ending.signal });
      const healthy = () => image.start('healthcheck', { environment });
      await expect
        .poll(async () => (await healthy()).stdout, { timeout: minutes })
        .toContain('ok discord');
      expect((await healthy()).code).toBe(0);
      ending.abort();
      expect((await bot).code).toBe(0);
      expect((await healthy()).code).toBe(1);

      expect(readdirSync(join(image.workdir, 'data'))).toContain('council.db');
      expect(statSync(join(image.workdir, 'src/index.ts')).isFile()).toBe(true);
    },
    10 * minutes,
  );
});

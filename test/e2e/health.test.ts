import { expect, test } from 'vitest';
import { startWorld } from '../fakes/discord/connected-client.ts';
import { freePort } from '../fakes/redis-server.ts';
import { runCouncil, startCouncil } from './council-process.ts';
import { runProgram } from './running-program.ts';
import { temporaryProject } from './temporary-project.ts';

const ask = (folder: string, environment: Readonly<Record<string, string>>) =>
  runCouncil({ folder, environment, args: ['health'] });

test('a bot is asked for its health where it says that it listens, and missed when it is gone', async () => {
  await using world = await startWorld();
  const { discord } = world;
  const environment = { DISCORD_TOKEN: discord.token, COUNCIL_HEALTH_HOST: '0.0.0.0' };
  const settings = { discord: { apiUrl: discord.api }, health: { port: await freePort() } };
  const bot = runProgram(settings, environment);
  await expect.poll(bot.printed).toContain('Add it to a server');
  const alive = await ask(bot.folder, environment);
  expect(alive.stdout).toBe('ok discord: connected to Discord\nok queue: in this process\n');
  expect(alive.code).toBe(0);
  const proxy = { HTTP_PROXY: 'http://127.0.0.1:1', NODE_USE_ENV_PROXY: '1' };
  expect(await ask(bot.folder, { ...environment, ...proxy })).toEqual(alive);

  await bot.end();
  const gone = await ask(bot.folder, environment);
  expect(gone.stderr).toMatch(/^Nothing answers at http:\/\/127\.0\.0\.1:\d+\/healthz: .*REFUSED/);
  expect(gone.code).toBe(1);

  const nameless = await ask(bot.folder, {});
  expect(nameless.stdout).toContain('there is no bot to ask');
  expect(nameless.code).toBe(0);
});

test('the web alone is asked for its health like a bot, also beside one that listens there', async () => {
  const health = { port: await freePort() };
  const settings = { council: { fallbackSage: 'ada' }, models: { default: 'auto' }, health };
  const open = async (port: number) => {
    const folder = temporaryProject({ ...settings, web: { port } });
    const opened = startCouncil({ folder, args: ['web'] });
    await expect.poll(() => opened.stdout).toContain(`127.0.0.1:${port}`);
    return { folder, opened };
  };
  const { folder } = await open(await freePort());
  const alive = await ask(folder, {});
  expect(alive.stdout).toMatch(/^ok web: listens on http.*\nok queue: in this process\n$/);
  expect(alive.code).toBe(0);
  const { opened } = await open(await freePort());
  expect(opened.stderr).toContain('this process serves no health page');
});

test('health that is served at no port can not be asked for', async () => {
  const folder = temporaryProject({ council: { fallbackSage: 'ada' } });
  const { stderr, code } = await ask(folder, { DISCORD_TOKEN: 'a.b.c' });
  expect(stderr).toMatch(/Set health\.port in \S+\/council\.yaml\./);
  expect(code).toBe(1);
});

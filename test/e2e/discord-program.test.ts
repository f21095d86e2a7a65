import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { startWorld } from '../fakes/discord/connected-client.ts';
import type { FakeDiscord } from '../fakes/discord/discord.ts';
import { temporaryProject } from './temporary-project.ts';

const program = fileURLToPath(new URL('../../src/index.ts', import.meta.url));

interface Running {
  readonly child: ChildProcess;
  /** What was printed so far, on either stream. */
  readonly printed: () => string;
}

/** Starts the whole program against the fake, with the rehearsal model. */
function run(discord: FakeDiscord, settings: object, ...words: readonly string[]): Running {
  const project = temporaryProject({
    ...settings,
    council: { fallbackSage: 'ada', depth: 'quick' },
    models: { default: 'rehearsal:sages' },
    discord: { apiUrl: discord.api },
  });
  const child = spawn(process.execPath, [program, '--config', join(project, 'config'), ...words], {
    cwd: project,
    env: {
      PATH: process.env.PATH,
      HOME: project,
      DISCORD_TOKEN: discord.token,
      NODE_COMPILE_CACHE: join(tmpdir(), 'council-compiled'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (text += piece));
  return { child, printed: () => text };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (typeof address !== 'object' || address === null) throw new Error('There is no port.');
  return address.port;
}

test('with a token the program answers in Discord, tells its health, and ends on SIGTERM', async () => {
  await using world = await startWorld();
  const { discord, channel, ada } = world;
  discord.addGuild({ name: 'Stoa', botPermissions: ['ViewChannel', 'SendMessages'] });
  const port = await freePort();
  const { child, printed } = run(discord, { health: { port } });
  await expect
    .poll(printed, { timeout: 20_000 })
    .toContain('Add it to a server: https://discord.com/oauth2');
  expect(printed()).toContain('Connected to Discord, in 2 servers.');
  expect(printed()).toContain(
    'In Stoa it lacks Manage Webhooks: the sages speak through the bot, without names and pictures of their own.',
  );
  expect(printed()).not.toContain('In Agora');
  const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([200, 'ok discord: connected to Discord\n']);
  const options = { question: 'Ada: what breaks first?' };
  discord.slash({ user: ada, channel, command: 'council', subcommand: 'ask', options });
  const said = () => discord.messages(discord.threads(channel.id)[0]?.id ?? '');
  await discord.until(() => said().length === 1, 'the answer');
  expect(said()[0]?.wire.author.username).toBe('Ada Sage');
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  expect(printed()).not.toContain(discord.token);
  expect(discord.violations.all).toEqual([]);
});

test('a token that Discord does not accept ends the program with what to do', async () => {
  await using world = await startWorld();
  world.discord.revokeToken();
  const { child, printed } = run(world.discord, {});
  const [code] = await once(child, 'exit');
  expect(code).toBe(1);
  expect(printed()).toContain('Reset Token');
  expect(printed()).not.toContain('    at ');
  expect(printed()).not.toContain(world.discord.token);
});

test('doctor looks at the token as well', async () => {
  await using world = await startWorld({ privilegedIntents: [] });
  const { child, printed } = run(world.discord, {}, 'doctor');
  await once(child, 'exit');
  expect(printed()).toContain('✓ Discord: the token is accepted');
  expect(printed()).toContain('Message Content Intent');
});

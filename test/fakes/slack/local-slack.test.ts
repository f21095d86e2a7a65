import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { startLocalSlack } from './binary/local-slack.ts';
import { describeWithSlack } from './describe-with-slack.ts';

const options = {
  workspace: { name: 'Agora', domain: 'agora', teamId: 'T1' },
  app: { appId: 'A1', botUserId: 'U1', botName: 'Council' },
} as const;

describeWithSlack('the program behind it', () => {
  test('listens on loopback alone', async () => {
    const program = await startLocalSlack(options);
    try {
      const { port } = new URL(program.origin);
      expect((await fetch(program.origin)).status).toBe(200);
      const others = Object.values(networkInterfaces())
        .flatMap((addresses) => addresses ?? [])
        .filter(({ internal, family }) => !internal && family === 'IPv4');
      for (const { address } of others) {
        await expect(fetch(`http://${address}:${port}/`)).rejects.toThrow('fetch failed');
      }
    } finally {
      await program.stop();
    }
  });

  test('ends with the process that started it, when that is killed', async () => {
    const module = new URL('./binary/local-slack.ts', import.meta.url).href;
    const script = `import { startLocalSlack } from '${module}';
      const { origin } = await startLocalSlack(${JSON.stringify(options)});
      console.log(origin);
      setInterval(() => {}, 1000);`;
    const starter = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: starter.stdout });
    const [origin] = await once(lines, 'line');
    expect((await fetch(String(origin))).status).toBe(200);
    starter.kill('SIGKILL');
    await once(starter, 'exit');
    await expect
      .poll(
        () =>
          fetch(String(origin)).then(
            () => 'there',
            () => 'gone',
          ),
        { timeout: 10_000 },
      )
      .toBe('gone');
  });
});

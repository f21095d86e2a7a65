import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { widthOf } from '../../src/platforms/chat/text/text-width.ts';
import { projectRoot } from './council-process.ts';
import { startRehearsedModels } from './rehearsed-models.ts';
import { temporaryProject } from './temporary-project.ts';

/** Gives a program a terminal; part of util-linux. */
const script = '/usr/bin/script';

/** Opens the council at a terminal of 60 columns. */
function openAtTerminal(folder: string, task = '') {
  const program = `stty cols 60; echo "pid $$"; exec '${process.execPath}' '${projectRoot}src/index.ts' --config '${folder}/config' ${task}`;
  const child = spawn(
    script,
    ['--quiet', '--flush', '--return', '--command', program, '/dev/null'],
    {
      cwd: folder,
      env: {
        HOME: folder,
        TERM: 'xterm',
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      },
    },
  );
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    ended,
    screen: () => screen,
    type: (text: string) => child.stdin.write(text),
    /** Closes the window: the program gets SIGHUP, and can neither read nor write any more. */
    close: () => child.kill('SIGKILL'),
    kill: (signal: NodeJS.Signals) => {
      const [, pid] = /pid (\d+)/.exec(screen) ?? [];
      process.kill(Number(pid), signal);
    },
  };
}

const name = existsSync(script)
  ? 'SIGTERM leaves a conversation at a terminal; its turn goes on at the next start'
  : `SIGTERM at a terminal: not run, because there is no ${script}`;

test.skipIf(!existsSync(script))(name, async () => {
  const models = await startRehearsedModels((part, earlier) =>
    part === 'chair' && earlier === 0 ? { kind: 'hang' } : undefined,
  );
  const limits = { shutdownGraceMs: 0 };
  const folder = temporaryProject({ ...models.settings, limits });
  const first = openAtTerminal(folder);
  await expect.poll(first.screen).toContain('Ask the council');
  first.type('Should we rewrite the engine?\r');
  await expect.poll(() => models.counts().chair).toBe(1);
  first.kill('SIGTERM');
  expect(await first.ended).toBe(0);

  const second = openAtTerminal(folder);
  await expect.poll(second.screen).toContain('Interrupted earlier; resuming:');
  await expect.poll(second.screen).toContain('Confidence');
  second.type('\u0004');
  expect(await second.ended).toBe(0);
  expect(models.counts()).toMatchObject({
    moderator: 1,
    'sage ada': 1,
    'reviewer ada': 1,
    chair: 2,
  });
});

const printing = existsSync(script)
  ? 'what a command prints at a terminal is as wide as that, and no word is broken'
  : `a command at a terminal: not run, because there is no ${script}`;

test.skipIf(!existsSync(script))(printing, async () => {
  const folder = temporaryProject({ council: { fallbackSage: 'ada' } });
  const { ended, screen } = openAtTerminal(folder, 'sages');
  expect(await ended).toBe(0);
  expect(screen()).toContain('what would you ask first');
  const lines = screen().split('\r\n').map(stripVTControlCharacters);
  expect(lines.filter((line) => widthOf(line) > 60 && !line.startsWith('{'))).toEqual([]);
});

const closing = existsSync(script)
  ? 'a terminal that is closed leaves its turn the time to finish'
  : `a terminal that is closed: not run, because there is no ${script}`;

test.skipIf(!existsSync(script))(closing, async () => {
  const models = await startRehearsedModels(undefined, { latencyMs: 1000 });
  const folder = temporaryProject(models.settings);
  const terminal = openAtTerminal(folder);
  await expect.poll(terminal.screen).toContain('Ask the council');
  terminal.type('Should we rewrite the engine?\r');
  await expect.poll(() => models.counts().chair).toBe(1);
  terminal.close();
  await expect.poll(() => models.outcomesOf('chair')).toEqual(['answered']);
});

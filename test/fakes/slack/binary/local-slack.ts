import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { programMissing, programPath } from './program.ts';

/** The program, running. */
export interface LocalSlack {
  /** e.g. `http://127.0.0.1:40123`. */
  readonly origin: string;
  /** Ends the process, by its id, and removes its files. */
  stop(): Promise<void>;
}

export interface LocalSlackOptions {
  readonly workspace: { readonly name: string; readonly domain: string; readonly teamId: string };
  readonly app: { readonly appId: string; readonly botUserId: string; readonly botName: string };
}

/**
 * Starts the program on a free port of 127.0.0.1. It ends with this process, however that ends:
 * its standard input is ours, and it goes when that closes.
 *
 * @throws Error where the package is not installed, or with what the program said when it did not start.
 */
export async function startLocalSlack({ workspace, app }: LocalSlackOptions): Promise<LocalSlack> {
  if (programPath === undefined) throw new Error(`A Slack for tests ${programMissing}.`);
  const folder = await mkdtemp(join(tmpdir(), 'local-slack-'));
  const config = join(folder, 'workspace.json');
  // Nobody connects to the program's own sockets, so it delivers nothing: that is ours to do.
  await writeFile(config, JSON.stringify({ workspace, apps: [{ ...app, mode: 'socket' }] }));
  const child = spawn(
    programPath,
    ['--config', config, '--port', '0', '--base-host', '127.0.0.1', '--files-dir', folder],
    { cwd: import.meta.dirname, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGKILL');
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  const said: string[] = [];
  child.stderr.on('data', (bytes: Buffer) => said.push(bytes.toString()));
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    const origin = /Web UI:\s+(http:\/\/\S+)/.exec(line)?.[1];
    if (origin === undefined) continue;
    child.stdout.resume();
    return { origin, stop };
  }
  await stop();
  throw new Error(`local-slack did not start. It said:\n${said.join('\n')}`);
}

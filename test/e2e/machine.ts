/** The machine as a newcomer has it: its own Node and npm, and nothing of this project on the PATH. */

import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { projectRoot } from './council-process.ts';
import { temporaryFolder } from './temporary-project.ts';

/** Whether what takes minutes and the network is to be run. */
export const isSlowAsked = Boolean(process.env.CI) || process.env.COUNCIL_FRESH_CLONE === '1';

/** The name of a suite that takes minutes. Where it is not run, its name and the output say so, and how to run it. */
export function slowly(name: string): string {
  if (isSlowAsked) return name;
  const told = `${name}: NOT RUN, because neither CI nor COUNCIL_FRESH_CLONE=1 is set`;
  process.stderr.write(`${told}\n`);
  return told;
}

export interface Done {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What reaches a program here: where things are and how the network is reached; no key, nothing of a test. */
const passedOn =
  /^(?:PATH|HOME|USER|TMPDIR|LANG|SSL_CERT_\w+|NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy|npm_config_(?:registry|cache|cafile|https?_proxy|no_?proxy))$/i;

/** The environment of a newcomer. No one listens at its `OLLAMA_HOST`. */
export function cleanEnvironment(): Record<string, string> {
  const { PATH = '' } = process.env;
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] => passedOn.test(entry[0]) && entry[1] !== undefined,
  );
  const ownTools = /[\\/]node_modules[\\/]/;
  return {
    ...Object.fromEntries(kept),
    PATH: PATH.split(delimiter)
      .filter((folder) => !ownTools.test(`${folder}/`))
      .join(delimiter),
    OLLAMA_HOST: '127.0.0.1:9',
  };
}

/** Runs a program to its end. */
export function run(
  program: string,
  args: readonly string[],
  options: {
    readonly folder: string;
    readonly input?: string;
    readonly environment?: Readonly<Record<string, string>>;
    readonly userId?: number;
    /** Aborted: the program is asked to end. */
    readonly ending?: AbortSignal;
  },
): Promise<Done> {
  const { folder, input = '', environment = cleanEnvironment(), userId, ending } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: folder,
      env: environment,
      ...(userId === undefined ? {} : { uid: userId, gid: userId }),
    });
    ending?.addEventListener('abort', () => child.kill('SIGTERM'));
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.on('error', () => undefined).end(input);
  });
}

/** Clones what is committed here into a temporary folder, and gives its path. */
export async function freshClone(): Promise<string> {
  const folder = temporaryFolder();
  const cloned = await run('git', ['clone', '--quiet', projectRoot, 'clone'], { folder });
  if (cloned.code !== 0) throw new Error(`git clone failed: ${cloned.stderr}`);
  return join(folder, 'clone');
}

/** An environment whose `npm` is of this major version, running on the Node that runs this test. */
export async function environmentWithNpm(major: number): Promise<Record<string, string>> {
  const folder = temporaryFolder();
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', `npm@${major}`];
  const installed = await run('npm', [...args, '--prefix', folder], { folder });
  if (installed.code !== 0) throw new Error(`npm@${major} can't be installed: ${installed.stderr}`);
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, 'node'));
  symlinkSync(join(folder, 'node_modules/npm/bin/npm-cli.js'), join(bin, 'npm'));
  const environment = cleanEnvironment();
  return { ...environment, PATH: `${bin}${delimiter}${environment.PATH}` };
}

/** Does what the Dockerfile says, in temporary folders: one for each stage, as its file system. */

import { chmodSync, chownSync, copyFileSync, cpSync, mkdirSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { type Instruction, readCopy } from './dockerfile.ts';
import { cleanEnvironment, type Done, run } from './machine.ts';
import { temporaryFolder } from './temporary-project.ts';

/** A user that no system knows by name: what runs as it has no home, and no right to write but what it is given. */
const nobody = 54_321;
const isRoot = process.getuid?.() === 0;

interface Stage {
  readonly folder: string;
  workdir: string;
  environment: Record<string, string>;
}

/** The last stage, built. */
export interface BuiltImage {
  readonly workdir: string;
  /** What `CMD` and the `CMD` of `HEALTHCHECK` start, as the image's user. */
  start(what: 'command' | 'healthcheck', options?: StartOptions): Promise<Done>;
}

export interface StartOptions {
  readonly input?: string;
  /** Beside what the image sets. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Aborted: what was started is asked to end. */
  readonly ending?: AbortSignal;
}

const commandSchema = z.tuple([z.literal('node')], z.string());

/** @param project - A clone of the project. Throws at the first instruction that it does not know. */
export async function buildImage(
  instructions: readonly Instruction[],
  project: string,
): Promise<BuiltImage> {
  const bin = binWithNode24();
  const stages = new Map<string, Stage>();
  let stage: Stage = openStage();
  let userId: number | undefined;
  const commands = new Map<string, readonly string[]>();
  const inStage = (path: string, { folder, workdir }: Stage = stage) =>
    join(folder, isAbsolute(path) ? path : join(workdir, path));

  for (const { keyword, rest } of instructions) {
    switch (keyword) {
      case 'FROM': {
        const [, name = ''] = /^node:24-slim(?: AS (\w+))?$/.exec(rest) ?? [undefined, 'unknown'];
        if (name === 'unknown') throw new Error(`This image is not known to the test: ${rest}`);
        stage = openStage();
        stages.set(name, stage);
        break;
      }
      case 'WORKDIR':
        stage.workdir = rest;
        mkdirSync(inStage('.'), { recursive: true });
        break;
      case 'ENV': {
        const [name = '', value = ''] = rest.split('=');
        stage.environment = { ...stage.environment, [name]: value };
        break;
      }
      case 'COPY': {
        const { from, sources, target } = readCopy(rest);
        const origin = from === undefined ? undefined : stages.get(from);
        for (const source of sources) {
          const path = origin ? inStage(source, origin) : join(project, source);
          const isFolderTarget = target.endsWith('/');
          cpSync(path, inStage(isFolderTarget ? join(target, source) : target), {
            recursive: true,
            verbatimSymlinks: true,
          });
        }
        break;
      }
      case 'RUN':
        await carryOut(rest, inStage('.'), bin);
        break;
      case 'USER':
        if (rest !== '1000') throw new Error(`This user is not known to the test: ${rest}`);
        userId = isRoot ? nobody : undefined;
        break;
      case 'VOLUME':
        break;
      case 'HEALTHCHECK':
        commands.set('healthcheck', commandIn(rest.replace(/^.*?\bCMD\s+/, '')));
        break;
      case 'CMD':
        commands.set('command', commandIn(rest));
        break;
      default:
        throw new Error(`${keyword} is not known to the test of the Dockerfile.`);
    }
  }
  const workdir = inStage('.');
  const ofImage = { ...stage.environment, PATH: bin, OLLAMA_HOST: '127.0.0.1:9' };
  return {
    workdir,
    start: (what, { environment, ...options } = {}) =>
      run(join(bin, 'node'), commands.get(what) ?? [], {
        folder: workdir,
        ...options,
        environment: { ...ofImage, ...environment },
        ...(userId === undefined ? {} : { userId }),
      }),
  };
}

/** What `RUN` may say. */
async function carryOut(command: string, folder: string, bin: string): Promise<void> {
  if (command === 'mkdir data && chown node:node data') {
    mkdirSync(join(folder, 'data'));
    if (isRoot) chownSync(join(folder, 'data'), nobody, nobody);
    return;
  }
  const [program = '', ...args] = command.split(' ');
  if (program !== 'npm' || args[0] !== 'ci' || args.some((word) => /[&|;<>$]/.test(word))) {
    throw new Error(`This RUN is not known to the test: ${command}`);
  }
  const environment = cleanEnvironment();
  const path = `${bin}${delimiter}${environment.PATH}`;
  const done = await run(program, args, { folder, environment: { ...environment, PATH: path } });
  if (done.code !== 0) throw new Error(`${command} failed: ${done.stderr}`);
}

function commandIn(json: string): readonly string[] {
  const [, ...args] = commandSchema.parse(JSON.parse(json));
  return args;
}

function openStage(): Stage {
  return { folder: readableFolder(), workdir: '/', environment: {} };
}

/** The Node that runs this test, where every user may start it. */
function binWithNode24(): string {
  const bin = readableFolder();
  copyFileSync(process.execPath, join(bin, 'node'));
  return bin;
}

function readableFolder(): string {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  return folder;
}

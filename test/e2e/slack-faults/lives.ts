/** A bot in a process of its own that is killed, and another one that goes on where it died. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { FakeSlack } from '../../fakes/slack/slack.ts';
import type { Death } from '../discord-faults/mortal-store.ts';
import { type SlackApp, startWholeBot } from './whole-council.ts';

const program = fileURLToPath(new URL('whole-bot.ts', import.meta.url));

/** Starts a bot; with a death, one that dies at that call of its store. */
export function begin(slack: FakeSlack, path: string, death?: Death) {
  const { apiUrl, botToken, appToken } = appIn(slack);
  const words = [apiUrl, botToken, appToken, path, ...(death ? [JSON.stringify(death)] : [])];
  return spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
}

function appIn(slack: FakeSlack): SlackApp {
  const { botToken } = slack.installation();
  return { apiUrl: slack.api, botToken, appToken: slack.app.appToken };
}

/** Starts a bot in this process, where another one has died. */
export async function goOn(slack: FakeSlack, path: string): Promise<AsyncDisposable> {
  const store = openSqliteStore({ path });
  const bot = await startWholeBot(appIn(slack), store, 'the next one');
  return {
    async [Symbol.asyncDispose]() {
      await bot.shutDown();
      await store.close();
    },
  };
}

/** Waits until a bot is connected, or was killed before it was; fails when it ends by itself. */
export async function connected(child: ReturnType<typeof begin>): Promise<void> {
  const exited = once(child, 'exit');
  const isReady = await Promise.race([
    once(child.stdout, 'data').then(() => true),
    exited.then(() => child.signalCode === 'SIGKILL'),
  ]);
  if (!isReady) throw new Error(`The bot ended with ${child.exitCode}.`);
}

export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Processes begin slowly on a busy machine. */
export const patienceMs = 60_000;

/** What a kill leaves of a call: its effect and no answer, or nothing at all. */
export type Left = 'done' | 'not done';

/** Calls that make something people see. */
export const posts: readonly string[] = ['chat.postMessage', 'chat.startStream', 'chat.stopStream'];

/** Kills a bot at its call of this number, counted from now on from 1. Resolves when it is dead. */
export function killAtCall(
  slack: FakeSlack,
  child: ChildProcess,
  {
    number,
    left,
    counted = posts,
  }: {
    readonly number: number;
    readonly left: Left;
    /** Which calls count; absent: {@link posts}. */
    readonly counted?: readonly string[];
  },
): Promise<void> {
  const kind = left === 'done' ? 'drop after processing' : 'drop';
  const when = ({ method }: { readonly method: string }) => counted.includes(method);
  slack.faults.plan('*', { kind }, { after: number - 1, when });
  let count = 0;
  return new Promise((resolve, reject) => {
    slack.onCall(({ method }) => {
      if (!counted.includes(method)) return;
      count += 1;
      if (count === number) kill(child).then(resolve, reject);
    });
  });
}

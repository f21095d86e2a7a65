import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startWorld } from '../fakes/slack/connected-app.ts';
import type { FakeSlack } from '../fakes/slack/slack.ts';
import { temporaryFolder } from './temporary-project.ts';

const program = fileURLToPath(new URL('../platforms/slack/bot-process.ts', import.meta.url));

/** Starts the bot and waits until it is connected; it is killed after the test at the latest. */
async function startProcess(slack: FakeSlack, path: string): Promise<ChildProcess> {
  const { botToken } = slack.installation();
  const words = [program, slack.api, botToken, slack.app.appToken, path];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => end(child));
  await once(child.stdout ?? child, 'data');
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Calls that make something people see, or end it. */
const posts = ['chat.postMessage', 'chat.startStream', 'chat.stopStream'];

describe('a bot that is killed with SIGKILL', () => {
  test.each([1, 2, 3, 4, 5])(
    'after post %i has said everything once, in order, after a restart',
    async (number) => {
      await using world = await startWorld();
      const { slack, channel, ada } = world;
      const path = join(temporaryFolder(), 'council.db');
      const first = await startProcess(slack, path);
      let count = 0;
      const killed = new Promise<void>((resolve) => {
        slack.onCall(({ method }) => {
          if (!posts.includes(method)) return;
          count += 1;
          // It has been done, and the answer does not arrive any more.
          if (count === number) resolve(end(first));
        });
      });
      const { thread } = await ada.mentions(channel, 'Should we rewrite the engine?');
      await killed;
      await startProcess(slack, path);
      const said = () => slack.thread(channel, thread).filter(({ isApp }) => isApp);
      const progress = () => said().filter(({ text }) => text.includes('Read the verdict'));
      await slack.until(() => progress().length > 0, 'the way to the verdict', 25_000);
      const [card, ...rest] = said();
      expect(card?.text).toContain('Read the verdict');
      expect(
        rest
          .map(({ author }) => author)
          .slice(0, -1)
          .toSorted(),
      ).toEqual(['Ada Sage', 'Ben Sage', 'Cleo Sage']);
      expect(
        rest.find(({ author }) => author === 'Ben Sage')?.text.match(/Ben says no\./g),
      ).toHaveLength(200);
      expect(rest.at(-1)?.text).toContain('Rewrite it in parts');
      expect(rest.every(({ streaming }) => streaming !== 'in_progress')).toBe(true);
      slack.assertNoViolations();
    },
  );
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startWorld } from '../fakes/discord/connected-client.ts';
import type { FakeDiscord } from '../fakes/discord/discord.ts';
import { textOf } from '../platforms/discord/discord-world.ts';

const program = fileURLToPath(new URL('../platforms/discord/bot-process.ts', import.meta.url));

/** Starts the bot and waits until it is connected. */
async function startProcess(discord: FakeDiscord, path: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, discord.api, discord.token, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout ?? child, 'data');
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Requests that make something people see. */
const posts =
  /^POST (\/channels\/\{channel_id\}\/messages|\/webhooks\/\{webhook_id\}\/\{webhook_token\})$|threads$/;

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'a bot that is killed with SIGKILL after post %i has said everything once, in order, after a restart',
  async (number) => {
    await using world = await startWorld();
    const { discord, channel, ada } = world;
    const folder = await mkdtemp(join(tmpdir(), 'council-kill-'));
    const path = join(folder, 'council.db');
    let child = await startProcess(discord, path);
    try {
      let count = 0;
      const killed = new Promise<void>((resolve) => {
        discord.onCall(({ route }) => {
          if (!posts.test(route)) return;
          count += 1;
          // It has been done, and the answer does not arrive any more.
          if (count === number) resolve(end(child));
        });
      });
      const asked = discord.userSays(channel, ada, 'Should we rewrite the engine?', {
        mentionsBot: true,
      });
      await killed;
      // By then Discord has forgotten every nonce.
      discord.clock.advance(10 * 60_000);
      child = await startProcess(discord, path);
      const thread = asked.wire.id;
      const cards = () =>
        discord.messages(channel.id).filter(({ wire }) => wire.id !== asked.wire.id);
      await discord.until(
        () => cards().some((card) => textOf(card).includes('Read the whole council')),
        'the card that leads to the verdict',
      );
      expect(cards()).toHaveLength(1);
      const said = discord.messages(thread).map((message) => textOf(message).trim().slice(0, 12));
      expect(said.slice(0, 4).toSorted()).toEqual([
        'Ada says yes',
        'Ben says no.',
        'Ben says no.',
        'Cleo says la',
      ]);
      expect(said.slice(4)).toEqual(['### Ranking ', '## Verdict\n\n']);
      expect(discord.violations.all).toEqual([]);
    } finally {
      await end(child);
      await rm(folder, { recursive: true });
    }
  },
);

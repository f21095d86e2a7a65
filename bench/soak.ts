/**
 * Whether the program grows: the whole of it as an operator starts it, on the fake Discord with its
 * limits on, while more and more members ask without a pause, in more and more threads of as many channels
 * as a server may have. Its heap is told after collection each minute, and must be flat within 5 % from
 * the fifth minute on.
 */

import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type FakeDiscord, startDiscord } from '../test/fakes/discord/discord.ts';
import { benchQuestion, benchSages } from './bench-council.ts';
import { printTable } from './table.ts';

const minuteMs = 60_000;
/** From when on the heap is held to be warm, in minutes. */
const warmAfter = 5;
const mostGrowth = 1.05;
/** Members who ask at the same time, each in a channel of their own. */
const seats = 24;
/** Channels that a seat goes round in: with all seats 480, of the 500 that Discord allows in a server. */
const channelsPerSeat = 20;
/** Questions asked in a thread before it is archived, and another member opens one in the next channel. */
const questionsPerThread = 5;

/** In the last state of a card. */
const ended = 'Read the verdict';

interface Minute {
  readonly turns: number;
  readonly heapMb: number;
}

/** @param given - Minutes; without any, 10. */
export async function benchSoak(given = '10'): Promise<void> {
  const minutes = z.coerce.number().int().min(1).parse(given);
  const models = fork(pathOf('./model-server.ts'));
  const [modelUrl] = await once(models, 'message');
  const discord = await startDiscord();
  const folder = project(z.string().parse(modelUrl), discord.api);
  const program = startProgram(folder, discord.token);
  const stop = new AbortController();
  const counted = { turns: 0 };
  try {
    await connected(program);
    const guild = discord.addGuild({ name: 'Agora' });
    const asking = Promise.all(
      Array.from({ length: seats }, (_, seat) =>
        keepAsking({ discord, guild, seat, counted, signal: stop.signal }),
      ),
    );
    const measured: Minute[] = [];
    for (let minute = 1; minute <= minutes; minute += 1) {
      const before = counted.turns;
      await Promise.race([asking, wait(minuteMs)]);
      const heapMb = (await heapOf(program)) / 1e6;
      measured.push({ turns: counted.turns - before, heapMb });
      process.stderr.write(`minute ${minute}: ${counted.turns} turns, ${heapMb.toFixed(1)} MB\n`);
    }
    stop.abort();
    await asking;
    report(measured);
  } finally {
    program.kill('SIGKILL');
    models.disconnect();
    await discord.close();
    rmSync(folder, { recursive: true });
  }
}

function report(measured: readonly Minute[]): void {
  printTable(
    `Soak: ${measured.length} minutes`,
    ['minute', 'turns', 'heap after collection, MB'],
    measured.map(({ turns, heapMb }, index) => [`${index + 1}`, `${turns}`, heapMb.toFixed(1)]),
  );
  const warm = measured.slice(warmAfter - 1).map(({ heapMb }) => heapMb);
  if (warm.length < 2) return;
  const growth = Math.max(...warm) / (warm[0] ?? 1);
  process.stdout.write(
    `\nFrom minute ${warmAfter} on the heap is at most ${growth.toFixed(3)} times what it was then.\n`,
  );
  if (growth > mostGrowth) process.exitCode = 1;
}

/** One member after another asks in a thread, a new one each time, until told to stop. */
async function keepAsking(asking: {
  readonly discord: FakeDiscord;
  readonly guild: ReturnType<FakeDiscord['addGuild']>;
  readonly seat: number;
  readonly counted: { turns: number };
  readonly signal: AbortSignal;
}): Promise<void> {
  const { discord, guild, seat, counted, signal } = asking;
  const channels = Array.from({ length: channelsPerSeat }, (_, room) =>
    discord.addChannel(guild, `room-${seat}-${room}`),
  );
  for (let round = 0; !signal.aborted; round += 1) {
    const channel = channels[round % channelsPerSeat];
    if (!channel) throw new RangeError('A seat needs a channel.');
    const person = discord.addMember(guild, `Member ${seat}-${round}`);
    const thread = discord.userOpensThread(channel, person, `Thread ${round}`);
    for (let question = 1; question <= questionsPerThread && !signal.aborted; question += 1) {
      const text = `${benchQuestion} (${seat}.${round}.${question})`;
      discord.userSays(thread, person, text, { mentionsBot: true });
      const isOver = () =>
        discord
          .messages(thread.id)
          .filter(({ wire }) => JSON.stringify(wire.components ?? []).includes(ended)).length >=
        question;
      while (!isOver() && !signal.aborted) await wait(250);
      counted.turns += 1;
    }
    discord.archiveThread(thread);
    // What is over is of no use to the fake, which would hold every message for good.
    discord.state.messages.delete(thread.id);
  }
}

function project(modelUrl: string, api: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'council-soak-'));
  const config = join(folder, 'config');
  mkdirSync(join(config, 'sages'), { recursive: true });
  for (const { key, name, description, prompt } of benchSages) {
    const head = `---\nname: ${name}\ndescription: ${description}\n---\n`;
    writeFileSync(join(config, 'sages', `${key}.md`), `${head}${prompt}\n`);
  }
  const settings = {
    council: { fallbackSage: 'ada', maxDynamicSages: 0 },
    models: { default: 'bench:sages', providers: { bench: { baseUrl: modelUrl } } },
    discord: { apiUrl: api },
    log: { level: 'error' },
  };
  writeFileSync(join(config, 'council.yaml'), JSON.stringify(settings));
  return folder;
}

function startProgram(folder: string, token: string): ChildProcess {
  // What is held of memory may take an eighth of the heap: in a small one that is full before the fifth minute.
  const heap = ['--max-old-space-size=128', '--max-semi-space-size=2'];
  const flags = ['--expose-gc', ...heap, '--import', pathOf('./heap-report.ts')];
  const program = [pathOf('../src/index.ts'), '--config', join(folder, 'config')];
  return spawn(process.execPath, [...flags, ...program], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, DISCORD_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
}

/** Throws when the program ends before it is connected. */
async function connected(program: ChildProcess): Promise<void> {
  let said = '';
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  program.stdout?.on('data', (piece) => {
    said += String(piece);
    if (said.includes('Connected to ')) resolve();
  });
  program.once('exit', () => reject(new Error(`The program ended: ${said}`)));
  await promise;
}

/** In bytes, after collection. */
async function heapOf(program: ChildProcess): Promise<number> {
  program.send('heap');
  const [heap] = await once(program, 'message');
  return z.number().parse(heap);
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

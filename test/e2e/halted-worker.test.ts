/** Workers that are halted in the midst of a turn, and go on when another has taken it over. */

import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Program } from '../chaos/program.ts';
import { startWorld as startSlackWorld } from '../fakes/slack/connected-app.ts';
import { textOf } from '../platforms/discord/discord-world.ts';
import { hasEnded, isCardText } from './discord-faults/lives.ts';
import { routes } from './discord-faults/whole-turn.ts';
import { startFleetWorld } from './fleet-world.ts';

// Whole processes are started, on machines that may be busy.
vi.setConfig({ testTimeout: 240_000 });

const soon = { timeout: 100_000, interval: 50 };

function signal({ pid }: Program, name: 'SIGSTOP' | 'SIGCONT'): void {
  if (pid === undefined) throw new Error('There is no such process.');
  process.kill(pid, name);
}

const numbers = [1, 2, 3];
const callers = ['ada', 'ben', 'Verdict'];
/** What is said in a thread, once and in order. */
const everything = numbers.map((number) => callers.map((caller) => `${caller} on #${number}.`));

function saidIn(texts: readonly string[]): readonly (readonly string[])[] {
  const said = texts.flatMap((text) => text.match(/(ada|ben|Verdict) on #\d\./g) ?? []);
  return numbers.map((_, index) => said.slice(3 * index, 3 * index + 3).toSorted(inOrder));
}

function inOrder(one: string, other: string): number {
  const place = (text: string) => callers.findIndex((caller) => text.startsWith(caller));
  return place(one) - place(other);
}

/** The models take the first number that they are shown for the question's. */
const memory = { interactions: 0 };

type World = Awaited<ReturnType<typeof startFleetWorld>>;

/** Until the worker that was halted has left its turn to its successor. */
async function untilLeft({ lines }: World, { pid }: Program): Promise<void> {
  const left = /turn left to be resumed|another process runs the turn now/;
  await expect
    .poll(() => lines.filter((line) => line.pid === pid && left.test(line.msg)), soon)
    .toHaveLength(1);
}

/** Stands before Discord, and holds an edit back when it is told to. */
async function startDoor(api: string) {
  let holding: { readonly held: () => void; readonly released: Promise<void> } | undefined;
  const door = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray());
    if (incoming.method === 'PATCH' && holding) {
      const { held, released } = holding;
      holding = undefined;
      held();
      await released;
    }
    const { host: _, ...headers } = incoming.headers;
    const options = { method: incoming.method, headers };
    request(new URL(incoming.url ?? '', api), options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    }).end(body);
  });
  onTestFinished(() => {
    door.closeAllConnections();
    door.close();
  });
  await once(door.listen(0, '127.0.0.1'), 'listening');
  const address = door.address();
  if (address === null || typeof address === 'string') throw new Error('The port is not known.');
  return {
    apiUrl: `http://127.0.0.1:${address.port}/api`,
    /** Resolves when an edit is held back, with what lets it arrive. */
    async holdEdit() {
      const held = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      holding = { held: held.resolve, released: released.promise };
      await held.promise;
      return released.resolve;
    },
  };
}

async function startThread() {
  const world = await startFleetWorld(700, { memory });
  const { discord, channel, ada, start, runners } = world;
  await start('gateway');
  const door = await startDoor(discord.api);
  const own = { discord: { apiUrl: door.apiUrl } };
  const workers = [await start('worker', {}, own), await start('worker', {}, own)];
  const thread = discord.userOpensThread(channel, ada, 'Engines');
  const ask = (number: number) =>
    discord.userSays(thread, ada, `#${number}. What now?`, { mentionsBot: true });
  ask(1);
  await expect.poll(runners, soon).toHaveLength(1);
  const [first] = workers.filter(({ pid }) => pid === runners()[0]);
  if (!first) throw new Error('Nobody runs the turn.');
  ask(2);
  const texts = () =>
    discord
      .messages(thread.id)
      .filter(({ wire }) => wire.author.id !== ada.id)
      .map((message) => textOf(message));
  /** How many cards there are, and how many of them tell the end. */
  const cards = () => {
    const all = texts().filter(isCardText);
    return { all: all.length, ended: all.filter(hasEnded).length };
  };
  const said = () => saidIn(texts().filter((text) => !isCardText(text)));
  return { ...world, door, first, ask, cards, said };
}

test('a worker that was halted while it said an answer leaves all that its successor shows as it is', async () => {
  const world = await startThread();
  const { discord, first, ask, cards, said } = world;
  const halted = new Promise<void>((resolve) => {
    const stop = discord.onCall(({ route }) => {
      if (route !== routes.webhookPost) return;
      // Only once: later posts are its successor's, or its own after it went on.
      stop();
      signal(first, 'SIGSTOP');
      resolve();
    });
  });
  await halted;
  await expect.poll(cards, soon).toEqual({ all: 2, ended: 2 });
  signal(first, 'SIGCONT');
  await untilLeft(world, first);
  ask(3);
  await expect.poll(cards, soon).toEqual({ all: 3, ended: 3 });
  expect(said()).toEqual(everything);
  expect(discord.violations.all).toEqual([]);
});

test('a worker that was halted while its sages thought pays for nothing that its successor has stored', async () => {
  const world = await startThread();
  const { models, first, ask, cards, said } = world;
  await expect.poll(() => models.calls(), soon).toBe(3);
  signal(first, 'SIGSTOP');
  await expect.poll(cards, soon).toEqual({ all: 2, ended: 2 });
  // The sages of the first question were asked twice.
  expect(models.calls()).toBe(3 + 4 + 4);
  signal(first, 'SIGCONT');
  await untilLeft(world, first);
  ask(3);
  await expect.poll(cards, soon).toEqual({ all: 3, ended: 3 });
  expect(models.calls()).toBe(3 + 4 + 4 + 4);
  expect(said()).toEqual(everything);
});

test('a worker that was halted while its successor is at work leaves it alone', async () => {
  const world = await startThread();
  const { first, ask, cards, said, runners } = world;
  signal(first, 'SIGSTOP');
  await expect.poll(runners, soon).toHaveLength(2);
  signal(first, 'SIGCONT');
  await untilLeft(world, first);
  ask(3);
  await expect.poll(cards, soon).toEqual({ all: 3, ended: 3 });
  expect(said()).toEqual(everything);
});

test('a worker that was halted while it edited a card shows it again as its successor had', async () => {
  const world = await startThread();
  const { discord, door, first, cards, said } = world;
  const arrive = await door.holdEdit();
  signal(first, 'SIGSTOP');
  await expect.poll(cards, soon).toEqual({ all: 2, ended: 2 });
  arrive();
  await expect.poll(cards, soon).toEqual({ all: 2, ended: 1 });
  signal(first, 'SIGCONT');
  await untilLeft(world, first);
  await expect.poll(cards, soon).toEqual({ all: 2, ended: 2 });
  expect(said().slice(0, 2)).toEqual(everything.slice(0, 2));
  expect(discord.violations.all).toEqual([]);
});

describe('in Slack', () => {
  test('a worker that was halted while a sage spoke leaves all that its successor shows as it is', async () => {
    await using slackWorld = await startSlackWorld();
    const { slack, ada, channel } = slackWorld;
    const world = await startFleetWorld(700, { memory, slack: { apiUrl: slack.api } });
    const { start, runners } = world;
    const environment = {
      DISCORD_TOKEN: '',
      SLACK_BOT_TOKEN: slack.installation().botToken,
      SLACK_APP_TOKEN: slack.app.appToken,
    };
    await start('gateway', environment);
    const first = await start('worker', environment);
    // A busy machine may take seconds to pass on the second question; by then the first one may have been answered.
    const halted = new Promise<void>((resolve) => {
      const stop = slack.onCall(({ method, args }) => {
        if (!/^chat\.(startStream|postMessage)$/.test(method)) return;
        if (!JSON.stringify(args).includes('ada on')) return;
        stop();
        signal(first, 'SIGSTOP');
        resolve();
      });
    });
    const { thread } = await ada.mentions(channel, '#1. What now?');
    await ada.mentions(channel, '#2. What now?', { thread });
    await halted;
    await expect.poll(runners, soon).toEqual([first.pid]);
    await start('worker', environment);
    const texts = () =>
      slack.thread(channel, thread).flatMap((one) => (one.isApp ? [one.text] : []));
    const ended = () => texts().filter((text) => text.includes('The council has answered.')).length;
    await expect.poll(ended, soon).toBe(2);
    signal(first, 'SIGCONT');
    await untilLeft(world, first);
    await ada.mentions(channel, '#3. What now?', { thread });
    await expect.poll(ended, soon).toBe(3);
    const isCard = (text: string) => text.includes('The council has answered.');
    expect(saidIn(texts().filter((text) => !isCard(text)))).toEqual(everything);
    expect(texts().filter((text) => !/on #\d\./.test(text) && !isCard(text))).toEqual([]);
    slack.assertNoViolations();
  });
});

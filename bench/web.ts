/**
 * The council as a model, asked by many programs at once: how soon the first event comes, what a stream that is
 * open takes of memory with its turn, whether one that reads nothing slows the others, and what is left of 10,000
 * requests that no program should send.
 */

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { hostilePrograms } from '../test/platforms/web/v1/hostile-programs.ts';
import { benchQuestion } from './bench-council.ts';
import { start, told } from './children.ts';
import { printTable, quantile } from './table.ts';

const streams = [1, 50, 500] as const;
const hostile = { requests: 10_000, atOnce: 50 } as const;
/** How many read, and how many hold their connection open and read nothing. */
const slow = { reading: 50, silent: 50 } as const;
/** Until what ended has let go of its memory. */
const settleMs = 2000;

const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
const body = JSON.stringify({
  model: 'council',
  stream: true,
  messages: [{ role: 'user', content: benchQuestion }],
});

export async function benchWeb(): Promise<void> {
  const models = start('./model-server.ts');
  const modelUrl = z.string().parse(await told(models));
  const bot = start('./web-bot.ts', { modelUrl }, ['--expose-gc']);
  const origin = z.string().parse(await told(bot));
  await Promise.all((await open(origin, 10)).map(toEnd)); // warm
  const rows: string[][] = [];
  for (const count of streams) rows.push(await measure(bot, origin, count));
  printTable(
    'The council as a model: streams at once (models 200 ms a call)',
    [
      'streams',
      'first event p50 ms',
      'p99',
      'whole p50 ms',
      'p99',
      'kB each, with its turn',
      'kB left',
    ],
    rows,
  );
  await measureSlow(origin);
  await measureHostile(bot, origin);
  agent.destroy();
  bot.send('end');
  await once(bot, 'exit');
  models.disconnect();
}

interface Stream {
  readonly response: IncomingMessage;
  readonly askedAt: number;
  /** Milliseconds from the request to the first event. */
  readonly firstMs: number;
}

/** Opens streams at the same moment, and gives them when each has its first event. */
function open(origin: string, count: number): Promise<Stream[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const askedAt = performance.now();
      const sent = request(`${origin}/v1/chat/completions`, { method: 'POST', agent }).end(body);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      await once(response, 'readable');
      return { response, askedAt, firstMs: performance.now() - askedAt };
    }),
  );
}

/** Reads a stream to its end. @returns Milliseconds from the request. */
async function toEnd({ response, askedAt }: Stream): Promise<number> {
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  if (!text.endsWith('data: [DONE]\n\n'))
    throw new Error(`A stream broke off: ${text.slice(-300)}`);
  return performance.now() - askedAt;
}

async function measure(bot: ChildProcess, origin: string, count: number): Promise<string[]> {
  const before = await bytesOf(bot);
  const opened = await open(origin, count);
  const during = await bytesOf(bot);
  const wholes = await Promise.all(opened.map(toEnd));
  await wait(settleMs);
  const after = await bytesOf(bot);
  const firsts = opened.map(({ firstMs }) => firstMs);
  const ms = (values: readonly number[], share: number) => quantile(values, share).toFixed(0);
  return [
    ...[String(count), ms(firsts, 0.5), ms(firsts, 0.99), ms(wholes, 0.5), ms(wholes, 0.99)],
    ((during - before) / count / 1000).toFixed(0),
    ((after - before) / count / 1000).toFixed(0),
  ];
}

async function measureSlow(origin: string): Promise<void> {
  const beside = async (isSilent: boolean) => {
    const [reading, others] = await Promise.all([
      open(origin, slow.reading),
      open(origin, slow.silent),
    ]);
    const rest = isSilent ? [] : others.map(toEnd);
    const wholes = await Promise.all(reading.map(toEnd));
    await Promise.all(rest);
    for (const { response } of others) response.destroy();
    return quantile(wholes, 0.5);
  };
  const all = await beside(false);
  const some = await beside(true);
  printTable(
    `${slow.reading} streams that are read, beside ${slow.silent} others`,
    ['the others', 'whole p50 ms', 'ratio'],
    [
      ['are read', all.toFixed(0), '1.00'],
      ['are not read', some.toFixed(0), (some / all).toFixed(2)],
    ],
  );
}

async function measureHostile(bot: ChildProcess, origin: string): Promise<void> {
  const requests = hostilePrograms(hostile.requests);
  const counts = new Map<number, number>();
  const before = await bytesOf(bot);
  let shown = 0;
  const send = async () => {
    for (const { path, body: hostileBody, ...head } of requests) {
      const sent = request(`${origin}${path}`, { ...head, agent }).end(hostileBody);
      // A server may answer, and cut what is still being sent.
      sent.on('error', () => undefined);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      const { statusCode = 0 } = response;
      counts.set(statusCode, (counts.get(statusCode) ?? 0) + 1);
      let text = '';
      for await (const part of response.setEncoding('utf8')) text += part;
      if (/\bat .*:\d+:\d+|node:internal|\.ts:\d/.test(text)) shown += 1;
    }
  };
  await Promise.all(Array.from({ length: hostile.atOnce }, send));
  await wait(settleMs);
  const left = (await bytesOf(bot)) - before;
  const isAlive = (await fetch(`${origin}/v1/models`)).status === 200;
  const statuses = [...counts].sort(([one], [other]) => one - other);
  printTable(
    `${hostile.requests} requests that no program should send`,
    ['statuses', 'answers that show a stack', 'answers afterwards', 'kB left, of turns and all'],
    [
      [
        statuses.map(([status, count]) => `${status}: ${count}`).join(', '),
        ...[String(shown), isAlive ? 'yes' : 'no', (left / 1000).toFixed(0)],
      ],
    ],
  );
}

async function bytesOf(bot: ChildProcess): Promise<number> {
  bot.send('memory');
  return z.object({ bytes: z.number() }).parse(await told(bot)).bytes;
}

/**
 * 50 members give `/council ask` in the same moment: the whole bot, with the real discord.js and the real
 * store, on the fake Discord with its limits on, beside what the models (four calls of 200 ms one after
 * another) and the limits alone would take; see `discord-alone.ts`. The limits of webhooks hold for each
 * channel, so the threads are spread over 50, 10 and 1 of them; the last takes some 7 minutes.
 */

import { once } from 'node:events';
import { z } from 'zod';
import { start, told } from './children.ts';
import { alone, type Moments } from './discord-alone.ts';
import { printTable, quantile } from './table.ts';

const plans = [
  { turns: 1, channels: 1 },
  { turns: 50, channels: 50 },
  { turns: 50, channels: 10 },
  { turns: 50, channels: 1 },
] as const;
type Plan = (typeof plans)[number];

const turnSchema = z.object({
  cardMs: z.number(),
  firstAnswerMs: z.number(),
  verdictMs: z.number(),
  /** The card shows the verdict in short; nothing of the turn is left to do. */
  lastCardMs: z.number(),
  /** The card is one of them. */
  posts: z.number(),
  edits: z.number(),
});
const figuresSchema = z.object({
  turns: z.array(turnSchema),
  /** Of all turns; those by which a channel's webhook is opened among them. */
  requests: z.number(),
  /** How many of them were refused with 429. */
  tooMany: z.number(),
  /** Requests or answers outside Discord's own description. */
  violations: z.number(),
});
export type DiscordFigures = z.infer<typeof figuresSchema>;

const accessSchema = z.object({ api: z.string(), token: z.string() });
const cpuSchema = z.object({ cpuMs: z.number() });

export async function benchDiscord(): Promise<void> {
  const models = start('./model-server.ts');
  const modelUrl = z.string().parse(await told(models));
  const rows: string[][] = [];
  for (const plan of plans) rows.push(...(await measure(plan, modelUrl)));
  models.disconnect();
  printTable(
    'Discord: threads at once, on the fake with its limits on (“alone”: models and limits alone)',
    [
      ...['threads', 'channels', 'to', 'p50 ms', 'alone', 'p99 ms', 'alone'],
      ...['requests', 'posts', 'edits', '429s', 'CPU ms'],
    ],
    rows,
  );
}

async function measure(plan: Plan, modelUrl: string): Promise<string[][]> {
  const town = start('./discord-town.ts', plan);
  const access = accessSchema.parse(await told(town));
  const bot = start('./discord-bot.ts', { ...access, modelUrl });
  await told(bot);
  town.send('ask');
  const figures = figuresSchema.parse(await told(town));
  bot.send('end');
  const { cpuMs } = cpuSchema.parse(await told(bot));
  await once(bot, 'exit');
  town.disconnect();
  if (figures.violations > 0) throw new Error('The bot asked what Discord does not know.');
  return rowsOf(plan, figures, cpuMs);
}

/** The counts stand in the first row: mean requests of a turn, the most posts and edits of one, all 429s. */
function rowsOf({ turns, channels }: Plan, figures: DiscordFigures, cpuMs: number): string[][] {
  const bounds = alone(turns, channels);
  const most = (counts: readonly number[]) => String(Math.max(...counts));
  const times = (name: string, measured: readonly number[], bound: readonly number[]) => [
    name,
    ...[0.5, 0.99].flatMap((share) => [
      quantile(measured, share).toFixed(0),
      bound.length === 0 ? '' : quantile(bound, share).toFixed(0),
    ]),
  ];
  const moment = (name: string, of: keyof Moments) =>
    times(
      name,
      figures.turns.map((turn) => turn[of]),
      bounds.map((bound) => bound[of]),
    );
  const lastCards = figures.turns.map(({ lastCardMs }) => lastCardMs);
  return [
    [
      ...[String(turns), String(channels), ...moment('card', 'cardMs')],
      (figures.requests / turns).toFixed(1),
      most(figures.turns.map(({ posts }) => posts)),
      most(figures.turns.map(({ edits }) => edits)),
      String(figures.tooMany),
      (cpuMs / turns).toFixed(0),
    ],
    ['', '', ...moment('first answer', 'firstAnswerMs')],
    ['', '', ...moment('verdict', 'verdictMs')],
    ['', '', ...times('last state of the card', lastCards, [])],
  ];
}

/**
 * Turns in Slack (moderator, four sages, four reviews, chair; every model call 200 ms away), many
 * threads at once and with Slack's limits on, beside what the models and the limits alone would
 * take. The bot is a process of its own, and so is the model; Slack is the tests' fake.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startSlack } from '../test/fakes/slack/slack.ts';
import { benchQuestion } from './bench-council.ts';
import {
  idealMilestones,
  type Milestones,
  milestoneNames,
  milestonesOf,
} from './slack-milestones.ts';
import { printTable, quantile } from './table.ts';

const plans = [
  { threads: 1, channels: 1 },
  { threads: 50, channels: 50 },
  { threads: 50, channels: 10 },
] as const;
type Plan = (typeof plans)[number];

/** What bounds a turn: the model's latency, and about one post a second in a channel. */
const bounds = { sages: 4, stepMs: 200, postGapMs: 1000 } as const;
const longestMs = 300_000;

export async function benchSlack(): Promise<void> {
  const model = fork(pathOf('./model-server.ts'));
  const [baseUrl] = await once(model, 'message');
  const rows: string[][] = [];
  for (const plan of plans) rows.push(...(await measure(plan, baseUrl)));
  model.disconnect();
  printTable(
    'Slack: whole turns within its limits, ms after the question, p50 / p99',
    [
      'threads',
      'channels',
      'by',
      ...milestoneNames,
      'calls a turn',
      'posts a turn',
      'streams a turn',
      '429s a turn',
    ],
    rows,
  );
}

async function measure(plan: Plan, baseUrl: unknown): Promise<string[][]> {
  await using slack = await startSlack({ limits: true });
  const { botToken } = slack.installation();
  const access = { baseUrl, apiUrl: slack.api, botToken, appToken: slack.app.appToken };
  const bot = fork(pathOf('./slack-worker.ts'), [JSON.stringify(access)]);
  await once(bot, 'message');
  // A person who asks much at once is held back, so each asks once.
  const members = Array.from({ length: plan.threads }, (_, index) => slack.addMember(`M ${index}`));
  const channels: Awaited<ReturnType<typeof slack.addChannel>>[] = [];
  for (let index = 0; index < plan.channels; index += 1) {
    channels.push(await slack.addChannel(`c-${index}`));
  }
  const before = slack.calls.length;
  const asked = await Promise.all(
    members.map(async (member, index) => {
      const channel = channels[index % channels.length];
      if (!channel) throw new Error('There is no channel to ask in.');
      const askedAtMs = slack.clock.now();
      return { askedAtMs, ...(await member.mentions(channel, benchQuestion)) };
    }),
  );
  const calls = () => slack.calls.slice(before);
  await slack.until(() => milestonesOf(calls()).size === plan.threads, 'the ends', longestMs);
  const closed = once(bot, 'exit');
  bot.disconnect();
  await closed;
  const reached = milestonesOf(calls());
  const times = asked.flatMap(({ thread, askedAtMs }) => {
    const times = reached.get(thread);
    return times ? [since(times, askedAtMs)] : [];
  });
  const ideal = Array.from({ length: plan.channels }, () =>
    idealMilestones(plan.threads / plan.channels, bounds),
  );
  const perTurn = (count: number) => (count / plan.threads).toFixed(1);
  const countOf = (method: string) =>
    calls().filter((call) => call.method === method && call.status === 200).length;
  return [
    rowOf(plan, 'models and limits', ideal.flat(), ['', '', '', '']),
    rowOf(plan, 'council', times, [
      perTurn(calls().length),
      perTurn(countOf('chat.postMessage')),
      perTurn(countOf('chat.startStream')),
      perTurn(calls().filter(({ status }) => status === 429).length),
    ]),
  ];
}

function since(times: Milestones, startMs: number): Milestones {
  const { status, answer, verdict, end } = times;
  return {
    status: status - startMs,
    answer: answer - startMs,
    verdict: verdict - startMs,
    end: end - startMs,
  };
}

function rowOf(
  { threads, channels }: Plan,
  by: string,
  times: readonly Milestones[],
  counts: readonly string[],
): string[] {
  const cells = milestoneNames.map((name) => {
    const values = times.map((one) => one[name]);
    return [0.5, 0.99].map((share) => quantile(values, share).toFixed(0)).join(' / ');
  });
  return [`${threads}`, `${channels}`, by, ...cells, ...counts];
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

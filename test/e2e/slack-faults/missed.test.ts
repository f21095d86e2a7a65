/** What people say while no event comes in, and Slack does not tell again. */

import { describe, expect, test, vi } from 'vitest';
import { scopeNames } from '../../../src/platforms/slack/connection/identity.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import {
  type CouncilInSlack,
  joinSlack,
  type SlackWorld,
  startSlackWorld,
} from '../../platforms/slack/slack-world.ts';
import { saidIn } from './whole-turn.ts';

function benSays(times: number) {
  return scriptedModels({ sages: { ben: Array.from({ length: times }, () => answer('No.')) } });
}

/** Slack is out of reach, meanwhile someone talks, and it is back. */
async function away({ slack }: SlackWorld, meanwhile: () => Promise<void>): Promise<void> {
  slack.events.givesUp = true;
  await slack.goAway();
  await meanwhile();
  await slack.comeBack();
}

function untilAnswered(world: SlackWorld, thread: string): Promise<void> {
  const isAnswered = () => saidIn(world, thread).some(({ text }) => text === 'No.');
  return world.slack.until(isAnswered, `an answer to ${thread}`, 60_000);
}

function looked({ slack }: SlackWorld): readonly unknown[] {
  return slack.calls
    .filter(({ method }) => method === 'conversations.history')
    .map(({ args }) => args.channel);
}

vi.setConfig({ testTimeout: 90_000 });

describe('what was missed in an outage of Slack', () => {
  test.concurrent('is answered where it was for the council, once', async () => {
    const world = await startSlackWorld({ scopes: scopeNames });
    await using slack = world.slack;
    await using council = await joinSlack(world, benSays(3));
    const { ada, channel, bot } = council;
    const direct = await ada.direct();
    const before = await ada.mentions(channel, 'Ben: and before?');
    await untilAnswered(world, before.thread);
    const meant: string[] = [];
    await away(world, async () => {
      meant.push((await ada.mentions(channel, 'Ben: what now?')).thread);
      meant.push((await ada.says(direct, 'Ben: and for me?')).thread);
      await ada.says(channel, 'Ben: who takes the minutes?');
      await ada.mentions(channel, 'Ben: in a thread?', { thread: before.thread });
    });
    for (const thread of meant) {
      const where = thread === meant[1] ? { ...world, channel: direct } : world;
      await untilAnswered(where, thread);
    }
    await bot.idle();
    await vi.waitFor(() =>
      expect(council.lines.join('\n')).toContain('were checked for missed messages'),
    );
    const asked = await bot.store.turns.unfinished(9);
    expect(asked).toEqual([]);
    expect(slack.appMessages().filter(({ text }) => text === 'No.')).toHaveLength(3);
    slack.assertNoViolations();
  });

  test.concurrent('is read, in a thread, with the next question there', async () => {
    const world = await startSlackWorld({ scopes: scopeNames });
    await using _ = world.slack;
    const models = benSays(1);
    await using council = await joinSlack(world, models);
    const { ada, channel, platform } = council;
    const { thread } = await ada.says(channel, 'Drop Android, or pay 40k.');
    await away(world, async () => {
      await expect.poll(() => platform.health().isListening).toBe(false);
      await ada.says(channel, 'We have only 20k.', { thread });
    });
    await expect.poll(() => platform.health().isListening, { timeout: 60_000 }).toBe(true);
    await ada.mentions(channel, 'Ben: which one?', { thread });
    await untilAnswered(world, thread);
    const told = JSON.stringify(models.sage({ key: 'ben' }).requests[0]?.messages);
    expect(told).toContain('We have only 20k.');
    expect(told.match(/Drop Android/g)).toHaveLength(1);
  });

  test.concurrent('is answered also when its author has edited it since', async () => {
    let ahead = 0;
    const world = await startSlackWorld({ scopes: scopeNames });
    await using slack = world.slack;
    await using council = await joinSlack(world, benSays(1), { now: () => Date.now() + ahead });
    const { ada, channel } = council;
    let thread = '';
    await away(world, async () => {
      const said = await ada.mentions(channel, 'Ben: what nwo?');
      thread = said.thread;
      await ada.edits(channel, said, `<@${slack.installation().botUserId}> Ben: what now?`);
      ahead = 15 * 60_000;
    });
    await untilAnswered(world, thread);
    await council.bot.idle();
    slack.assertNoViolations();
  });

  test.concurrent('is not answered when it is older than that', async () => {
    let ahead = 0;
    const world = await startSlackWorld({ scopes: scopeNames });
    await using slack = world.slack;
    await using council = await joinSlack(world, benSays(0), { now: () => Date.now() + ahead });
    await away(world, async () => {
      await council.ada.mentions(council.channel, 'Ben: what now?');
      ahead = 31 * 60_000;
    });
    await slack.until(() => looked(world).length === 1, 'a look', 30_000);
    await vi.waitFor(() =>
      expect(council.lines.join('\n')).toContain('were checked for missed messages'),
    );
    await council.bot.idle();
    expect(slack.appMessages()).toEqual([]);
  });

  test.concurrent('is looked for in few calls, and no longer where Slack limits them', async () => {
    const world = await startSlackWorld({ scopes: scopeNames });
    await using slack = world.slack;
    await using council = await joinSlack(world, benSays(1));
    const { ada, channel } = council;
    const direct = await ada.direct();
    for (let index = 0; index < 60; index += 1) await slack.addChannel(`channel-${index}`);
    slack.faults.plan(
      'conversations.history',
      { kind: 'rate limit', retryAfterSeconds: 60 },
      { after: 2 },
    );
    let thread = '';
    await away(world, async () => {
      thread = (await ada.says(direct, 'Ben: and for me?')).thread;
    });
    await untilAnswered({ ...world, channel: direct }, thread);
    await vi.waitFor(() =>
      expect(council.lines.join('\n')).toContain('can’t be looked for any further'),
    );
    expect(looked(world)).toEqual([direct.id, channel.id, expect.any(String)]);
    slack.sockets.cut();
    await slack.until(() => looked(world).length === 43, 'what a minute allows', 30_000);
    await council.bot.shutDown();
    expect(looked(world)).toHaveLength(43);
  });
});

const minuteMs = 60_000;

/** Slack repeats nothing: anyone who was not there has missed it. */
const noRetries = { scopes: scopeNames, retryDelaysMs: [] };

/** No one listens, meanwhile someone talks, and so long after that a new process starts. */
async function restarted(
  world: SlackWorld,
  models: ReturnType<typeof benSays>,
  {
    meanwhile,
    awayMs,
    ...how
  }: {
    readonly meanwhile: (council: CouncilInSlack) => Promise<void>;
    readonly awayMs: number;
    readonly isOverHttp: boolean;
  },
): Promise<CouncilInSlack> {
  const store = openSqliteStore({ path: ':memory:' });
  world.slack.events.givesUp = true;
  const first = await joinSlack(world, models, { store, ...how });
  await expect.poll(() => store.settings.read(['listened:slack'])).not.toEqual([{}]);
  await first.bot.shutDown();
  await expect.poll(() => world.slack.sockets.connections()).toBe(0);
  await meanwhile(first);
  return joinSlack(world, models, { store, ...how, now: () => Date.now() + awayMs });
}

describe.each([
  { way: 'over HTTP', isOverHttp: true },
  { way: 'over a socket', isOverHttp: false },
])('what was missed while no process ran, $way', ({ isOverHttp }) => {
  test.concurrent('is answered once, and what was to be stopped then is not stopped now', async () => {
    const world = await startSlackWorld(noRetries);
    await using slack = world.slack;
    const { ada, channel } = world;
    const direct = await ada.direct();
    const meant: string[] = [];
    await using council = await restarted(world, benSays(2), {
      isOverHttp,
      awayMs: 6 * minuteMs,
      meanwhile: async () => {
        await ada.says(direct, 'stop');
        meant.push((await ada.mentions(channel, 'Ben: what now?')).thread);
        meant.push((await ada.says(direct, 'Ben: and for me?')).thread);
        await ada.says(channel, 'Ben: who takes the minutes?');
      },
    });
    await untilAnswered(world, meant[0] ?? '');
    await untilAnswered({ ...world, channel: direct }, meant[1] ?? '');
    await vi.waitFor(() =>
      expect(council.lines.join('\n')).toContain('were checked for missed messages'),
    );
    await council.bot.idle();
    await council.bot.shutDown();
    // Who starts at once finds the same posts, and has answered them.
    const { store } = council.bot;
    await using _again = await joinSlack(world, benSays(0), { store, isOverHttp });
    await council.bot.idle();
    expect(slack.appMessages().filter(({ text }) => text === 'No.')).toHaveLength(2);
    expect(slack.appMessages().filter(({ text }) => /stop/i.test(text))).toEqual([]);
    slack.assertNoViolations();
  });
});

test('over HTTP, what came while the process stood still for longer than that is answered', async () => {
  let ahead = 0;
  const world = await startSlackWorld(noRetries);
  await using slack = world.slack;
  const options = { isOverHttp: true, now: () => Date.now() + ahead };
  await using council = await joinSlack(world, benSays(1), options);
  const { ada, channel, bot, platform } = council;
  const stored = () => bot.store.settings.read(['listened:slack']);
  await expect.poll(stored).not.toEqual([{}]);
  slack.deliverTo('http://127.0.0.1:1/slack/events');
  const { thread } = await ada.mentions(channel, 'Ben: what now?');
  slack.deliverTo(`http://127.0.0.1:${platform.report().listeningOn}/slack/events`);
  ahead = 6 * minuteMs;
  await untilAnswered(world, thread);
  slack.assertNoViolations();
});

test('over HTTP nothing is looked for while Slack still repeats what it could not deliver', async () => {
  const world = await startSlackWorld(noRetries);
  await using slack = world.slack;
  await using council = await restarted(world, benSays(0), {
    isOverHttp: true,
    awayMs: 4 * minuteMs,
    meanwhile: async () => undefined,
  });
  const kept = async () => {
    const [notes = {}] = await council.bot.store.settings.read(['listened:slack']);
    return Object.values(notes).map(({ value }) => Number(value) > Date.now() + minuteMs);
  };
  await expect.poll(kept).toEqual([true]);
  expect(slack.calls.filter(({ method }) => method === 'users.conversations')).toEqual([]);
});

test('an app of a whole organisation looks through each of its workspaces', async () => {
  const world = await startSlackWorld({ ...noRetries, isOrgWide: true });
  await using slack = world.slack;
  let thread = '';
  await using _council = await restarted(world, benSays(1), {
    isOverHttp: true,
    awayMs: 6 * minuteMs,
    meanwhile: async ({ ada, channel }) => {
      thread = (await ada.mentions(channel, 'Ben: what now?')).thread;
    },
  });
  await untilAnswered(world, thread);
  const asked = slack.calls.filter(({ method }) => method === 'users.conversations');
  expect(asked.map(({ args }) => args.team_id)).toEqual([slack.workspace.id]);
  slack.assertNoViolations();
});

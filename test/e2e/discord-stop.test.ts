import { expect, test } from 'vitest';
import type { OpenModels } from '../../src/bot/money/money.ts';
import { openModel } from '../../src/models/providers.ts';
import { withRetry } from '../../src/models/retry.ts';
import { withUsage } from '../../src/models/usage.ts';
import { answer, scriptedModels, seating, verdict } from '../council/scripted-council.ts';
import {
  done,
  finish,
  type RawModelServer,
  type RawRequest,
  sse,
  startRawModelServer,
  text,
} from '../fakes/raw-model-server.ts';
import { noPrices } from '../models/ask.ts';
import {
  ask,
  type CouncilInDiscord,
  setFollowUps,
  startCouncil,
  textOf,
} from '../platforms/discord/discord-world.ts';

/** The parts of a council in the order of their stages; each is a model of its own on the server. */
const parts = ['moderator', 'sage', 'reviewer', 'chair'] as const;
type Part = (typeof parts)[number];

const says: Readonly<Record<Part, string>> = {
  moderator: seating(['ada', 'ben', 'cleo']),
  sage: answer('It is wise to wait.'),
  reviewer: 'I would not rank them.',
  chair: verdict,
};

/** A model server on which everybody answers whole, but `silent` begins and never ends. */
function startModels(silent: Part): Promise<RawModelServer> {
  return startRawModelServer(({ body }, response) => {
    const part = parts.find((one) => one === body.model);
    if (part === undefined) throw new Error(`There is no model ${String(body.model)}.`);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const whole = says[part];
    if (part === silent) response.write(sse(text(whole.slice(0, whole.length / 2))));
    else response.end([text(whole), finish()].map(sse).join('') + done);
  });
}

/** The models of the program, over that server. */
function modelsOn({ baseUrl }: RawModelServer): OpenModels {
  const provider = { baseUrl, structuredOutput: 'json_schema', streamUsage: false } as const;
  return (count) => {
    const ready = (part: Part) =>
      withRetry(
        withUsage(openModel(`test:${part}`, { test: provider }), {
          prices: noPrices,
          record: count,
        }),
      );
    return {
      moderator: ready('moderator'),
      sage: () => ready('sage'),
      reviewer: () => ready('reviewer'),
      chair: ready('chair'),
      // Nothing is so long here that it has to be made shorter.
      compactor: ready('moderator'),
    };
  };
}

function callsOf(server: RawModelServer, part: Part): readonly RawRequest[] {
  return server.requests.filter(({ body }) => body.model === part);
}

/** Someone asks for the stop of a turn. */
type Stop = (council: CouncilInDiscord) => void;

const byButton: Stop = ({ discord, channel, ada }) => {
  const card = discord.messages(channel.id).find(({ onlyFor }) => onlyFor === undefined);
  const [, id = ''] = /"custom_id":"([^"]*\|stop\|[^"]*)"/.exec(JSON.stringify(card)) ?? [];
  if (card) discord.pressButton(ada, card, id);
};

const byCommand: Stop = ({ discord, channel, ada: user }) => {
  const [thread] = discord.threads(channel.id);
  if (thread) discord.slash({ user, channel: thread, command: 'council', subcommand: 'stop' });
};

/** What everybody sees in a channel or thread. */
function seen({ discord }: CouncilInDiscord, channelId: string): readonly string[] {
  return discord
    .messages(channelId)
    .filter(({ onlyFor }) => onlyFor === undefined)
    .map(textOf);
}

async function openThread({ discord, channel }: CouncilInDiscord): Promise<string> {
  const hasButton = () => JSON.stringify(discord.messages(channel.id)).includes('|stop|');
  await discord.until(
    () => discord.threads(channel.id).length === 1 && hasButton(),
    'the thread and the button',
  );
  return discord.threads(channel.id)[0]?.id ?? '';
}

const stages = [
  { stage: 'the seating', part: 'moderator', calls: 1, saidInThread: [] },
  { stage: 'the answers', part: 'sage', calls: 3, saidInThread: Array(3).fill('Stopped here.') },
  { stage: 'the reviews', part: 'reviewer', calls: 3, saidInThread: Array(3).fill('wise to wait') },
  {
    stage: 'the verdict',
    part: 'chair',
    calls: 1,
    // No review of these could be read as a ballot, so there is no ranking.
    saidInThread: Array(3).fill('wise to wait'),
  },
] as const;

test.each(
  stages.flatMap((one) => [
    { ...one, how: 'the button', stop: byButton },
    { ...one, how: '/council stop', stop: byCommand },
  ]),
)(
  'stopped during $stage by $how, every call in flight is ended upstream, and card and thread say so',
  async ({ part, calls, saidInThread, stop }) => {
    await using server = await startModels(part);
    await using council = await startCouncil(scriptedModels({}), {
      bot: { openModels: modelsOn(server) },
    });
    const { channel, bot, discord } = council;
    ask(council, 'Should we rewrite the engine?');
    const thread = await openThread(council);
    await expect.poll(() => callsOf(server, part).length).toBe(calls);
    stop(council);
    await Promise.all(callsOf(server, part).map(({ closed }) => closed));
    const asked = server.requests.length;
    await bot.idle();
    expect(seen(council, channel.id)).toEqual([expect.stringContaining('Stopped.')]);
    expect(seen(council, channel.id).join()).not.toContain('|stop|');
    expect(seen(council, thread)).toEqual(
      [...saidInThread, 'Stopped.'].map((said) => expect.stringContaining(said)),
    );
    expect(server.requests).toHaveLength(asked);
    expect(discord.violations.all).toEqual([]);
  },
);

test('stopped before anyone spoke, neither card nor thread speaks of what was said', async () => {
  await using server = await startModels('moderator');
  await using council = await startCouncil(scriptedModels({}), {
    bot: { openModels: modelsOn(server) },
  });
  const { channel, bot } = council;
  ask(council, 'Should we rewrite the engine?');
  const thread = await openThread(council);
  await expect.poll(() => callsOf(server, 'moderator').length).toBe(1);
  byButton(council);
  await bot.idle();
  const shown = [...seen(council, channel.id), ...seen(council, thread)];
  expect(shown).toEqual([1, 2].map(() => expect.stringContaining('No sage had answered yet.')));
  expect(shown.join()).not.toContain('kept');
});

test('a question that waits in its thread is stopped with the one before it, and never asked upstream', async () => {
  await using server = await startModels('sage');
  await using council = await startCouncil(scriptedModels({}), {
    bot: { openModels: modelsOn(server) },
  });
  const { discord, bot, ada } = council;
  await setFollowUps(council, 'everything');
  ask(council, 'Should we rewrite the engine?');
  const thread = await openThread(council);
  await expect.poll(() => callsOf(server, 'sage').length).toBe(3);
  const [open] = discord.threads(council.channel.id);
  if (open) discord.userSays(open, ada, 'And the tests?');
  const says = (text: string) => () => seen(council, thread).some((one) => one.includes(text));
  await discord.until(says('one question is ahead'), 'that it waits');
  byCommand(council);
  await bot.idle();
  await discord.until(() => seen(council, thread).length === 7, 'all that was said');
  const [waiting, card] = seen(council, thread).slice(-2);
  expect(waiting).toContain('Stopped.');
  expect(card).not.toContain('And the tests?');
  expect(card).toContain('Stopped.');
  // The moderator's, three sages' and the chair's own answer.
  expect(server.requests).toHaveLength(5);
  expect(discord.violations.all).toEqual([]);
});

test('a question that waits for others to end is stopped by its button, and never asked upstream', async () => {
  await using server = await startModels('sage');
  await using council = await startCouncil(scriptedModels({}), {
    bot: { openModels: modelsOn(server), concurrency: 1 },
  });
  const { discord, bot, channel, guild } = council;
  ask(council, 'Should we rewrite the engine?');
  await openThread(council);
  await expect.poll(() => callsOf(server, 'sage').length).toBe(3);
  const elsewhere = { ...council, channel: discord.addChannel(guild, 'elsewhere') };
  ask(elsewhere, 'And the tests?');
  const card = () => seen(council, elsewhere.channel.id)[0] ?? '';
  await discord.until(() => card().includes('is being seated'), 'the card of the second question');
  byButton(elsewhere);
  await discord.until(() => discord.messages(elsewhere.channel.id).length === 2, 'the reply');
  byButton(council);
  await bot.idle();
  expect(card()).toContain('Stopped.');
  expect(seen(council, channel.id)).toEqual([expect.stringContaining('Stopped.')]);
  // The moderator's, three sages' and the chair's own answer.
  expect(server.requests).toHaveLength(5);
  expect(discord.violations.all).toEqual([]);
});

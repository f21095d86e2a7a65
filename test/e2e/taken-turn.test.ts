/** A turn that another process takes while an answer of it waits for the platform's limits. */

import { describe, expect, test } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { ask, startCouncil as startInDiscord, textOf } from '../platforms/discord/discord-world.ts';
import { startCouncil as startInSlack } from '../platforms/slack/slack-world.ts';
import { routes } from './discord-faults/whole-turn.ts';

const said = 'Only my successor says this.';

function models() {
  return scriptedModels({ sages: { ben: [answer(said)] } });
}

async function takeByAnother(store: Store): Promise<void> {
  const [turn] = await store.turns.unfinished(1);
  if (!turn) throw new Error('There is no turn.');
  await store.turns.take(turn);
}

test('in Discord the process that had it posts the answer no more', async () => {
  await using council = await startInDiscord(models());
  const { discord, channel, bot } = council;
  const fault = { kind: 'rate limit', scope: 'user', retryAfterMs: 1000 } as const;
  discord.faults.failNext(routes.webhookPost, fault);
  ask(council, 'Ben: why?');
  const tries = () => discord.calls.filter(({ route }) => route === routes.webhookPost).length;
  await discord.until(() => tries() === 1, 'the first try');
  await takeByAnother(bot.store);
  await bot.idle();
  const everything = [channel, ...discord.threads(channel.id)].flatMap(({ id }) =>
    discord.messages(id).map(textOf),
  );
  expect(everything.join('\n')).not.toContain(said);
  expect(await bot.store.turns.unfinished(9)).toMatchObject([{ attempt: 2 }]);
});

describe('a turn that another process takes', () => {
  test('in Slack the process that had it posts the answer no more', async () => {
    await using council = await startInSlack(models());
    const { slack, channel, ada, bot } = council;
    const posts = () =>
      slack.calls.filter(({ method }) => /^chat\.(postMessage|startStream)$/.test(method)).length;
    // The first post is the one that tells how the turn goes.
    const fault = { kind: 'rate limit', retryAfterSeconds: 1 } as const;
    slack.faults.plan('chat.postMessage', fault, { after: 1 });
    slack.faults.plan('chat.startStream', fault);
    const { thread } = await ada.mentions(channel, 'Ben: why?');
    await slack.until(() => posts() >= 2, 'the first try');
    await takeByAnother(bot.store);
    await bot.idle();
    expect(JSON.stringify(slack.thread(channel, thread))).not.toContain(said);
    expect(await bot.store.turns.unfinished(9)).toMatchObject([{ attempt: 2 }]);
  });
});

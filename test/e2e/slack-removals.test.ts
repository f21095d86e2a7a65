/** What is deleted in Slack, and what follows when the app is taken out of a workspace. */

import type { ChannelDeletedEvent } from '@slack/types';
import { expect, test } from 'vitest';
import { keptAfterDepartureMs } from '../../src/bot/departures.ts';
import { type BotChanges, fileSettings, forgettingIn } from '../bot/bot-fixture.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { describeWithSlack } from '../fakes/slack/describe-with-slack.ts';
import { type CouncilInSlack, startCouncil } from '../platforms/slack/slack-world.ts';

const forgetting: BotChanges = { settings: { ...fileSettings, forgetDeleted: true } };

function benSays(...lines: readonly string[]) {
  return scriptedModels({ sages: { ben: lines.map((line) => answer(line)) } });
}

async function remembered({ bot, slack }: CouncilInSlack): Promise<string> {
  const { messages } = bot.store;
  const { threadIds } = await messages.threads(`slack:${slack.workspace.id}`, { limit: 500 });
  const pages = await Promise.all(threadIds.map((id) => messages.page(id, { limit: 500 })));
  return JSON.stringify(pages);
}

async function mention(council: CouncilInSlack, text: string, channel = council.channel) {
  const said = await council.ada.mentions(channel, text);
  await expect.poll(() => remembered(council)).toContain(text);
  await council.bot.idle();
  return said;
}

async function departures({ bot }: CouncilInSlack): Promise<number> {
  const [kept = {}] = await bot.store.settings.read(['forgetting:due']);
  return Object.keys(kept).length;
}

/** Goes on in the background, as a process does, with the real Slack platform to ask. */
async function resume({ bot, platform }: CouncilInSlack, now: number): Promise<void> {
  const membership = async (workspace: string) =>
    (await platform.isIn(workspace.split(':')[1] ?? '')) ? 'member' : 'gone';
  const { signal } = new AbortController();
  await forgettingIn(bot.store, { now: () => now, membership }).resume(signal);
}

describeWithSlack('what is deleted in Slack', () => {
  test('is forgotten: a question with its answers, and not its neighbours', async () => {
    await using council = await startCouncil(benSays('In May.', 'In June.'), { bot: forgetting });
    const { ada, channel, slack } = council;
    const said = await mention(council, 'Ben: when do we dredge?');
    await mention(council, 'Ben: when do we paint?');
    // A thread hangs on it, so that a tombstone is left.
    await ada.deletes(channel, said);
    await expect.poll(() => remembered(council)).not.toMatch(/dredge|In May/);
    expect(await remembered(council)).toContain('In June.');
    slack.assertNoViolations();
  });

  test('is forgotten where somebody who may has deleted an answer', async () => {
    await using council = await startCouncil(benSays('In May.', 'In June.'), { bot: forgetting });
    const { boss, channel, slack } = council;
    const { thread } = await mention(council, 'Ben: when do we dredge?');
    await mention(council, 'Ben: when do we paint?');
    const said = slack.thread(channel, thread).find(({ text }) => text === 'In May.');
    if (!said) throw new Error('Nothing was answered.');
    await boss.deletes(channel, said);
    await expect.poll(() => remembered(council)).not.toContain('dredge');
    expect(await remembered(council)).toContain('In June.');
  });

  test('is not believed of another app’s message that carries the mark of a turn', async () => {
    await using council = await startCouncil(benSays('In May.', 'Yes.'), { bot: forgetting });
    const { channel, slack, bot } = council;
    const { ts: asked } = await mention(council, 'Ben: when do we dredge?');
    const threadId = `slack:${slack.workspace.id}:${channel.id}:${asked}`;
    const [turn] = await bot.store.turns.list(threadId, { limit: 1 });
    const ts = '1700000000.000100';
    const payload = { turn_id: turn?.turnId, part: 'verdict' };
    const forged = {
      ...{ type: 'message', ts, bot_id: 'BFORGED', text: 'Hi.' },
      metadata: { event_type: 'council_turn', event_payload: payload },
    };
    await slack.events.tell({
      teamId: slack.workspace.id,
      subscription: 'message.channels',
      event: {
        ...{ type: 'message', subtype: 'message_deleted', channel: channel.id },
        ...{ ts: '1700000001.000100', event_ts: '1700000001.000100', deleted_ts: ts },
        ...{ channel_type: 'channel', previous_message: forged },
      },
    });
    await mention(council, 'Ben: still there?');
    expect(await remembered(council)).toContain('In May.');
  });

  test('is forgotten with its channel, and the other channels stay', async () => {
    await using council = await startCouncil(benSays('In May.', 'In June.'), { bot: forgetting });
    const { boss, channel, slack } = council;
    await mention(council, 'Ben: when do we dredge?');
    const other = await slack.addChannel('harbour', { creator: boss });
    await mention(council, 'Ben: when do we paint?', other);
    const event = { type: 'channel_deleted', channel: channel.id } satisfies ChannelDeletedEvent;
    await slack.events.tell({ teamId: slack.workspace.id, subscription: event.type, event });
    await expect.poll(() => remembered(council)).not.toContain('dredge');
    expect(await remembered(council)).toContain('In June.');
  });

  test('stays where it is not so set', async () => {
    await using council = await startCouncil(benSays('In May.', 'Yes.'));
    const { ada, channel } = council;
    const said = await mention(council, 'Ben: when do we dredge?');
    await ada.deletes(channel, said);
    await mention(council, 'Ben: still there?');
    expect(await remembered(council)).toContain('In May.');
  });
});

describeWithSlack('a workspace that the app was taken out of', () => {
  test('is forgotten a day later', async () => {
    await using council = await startCouncil(benSays('In May.'));
    const { slack } = council;
    await mention(council, 'Ben: when do we dredge?');
    await slack.uninstall(slack.workspace);
    await expect.poll(() => departures(council)).toBe(1);
    await resume(council, Date.now());
    expect(await remembered(council)).toContain('In May.');
    await resume(council, Date.now() + keptAfterDepartureMs + 60_000);
    expect(await remembered(council)).toBe('[]');
  });

  test('is not forgotten for a word that is old, or of a person’s token', async () => {
    await using council = await startCouncil(benSays('In May.', 'Yes.'));
    const { slack } = council;
    const teamId = slack.workspace.id;
    await mention(council, 'Ben: when do we dredge?');
    for (const event of [
      { type: 'app_uninstalled' },
      { type: 'tokens_revoked', tokens: { oauth: [], bot: ['U1'] } },
      { type: 'tokens_revoked', tokens: { oauth: ['U1'], bot: [] } },
    ]) {
      await slack.events.tell({ teamId, subscription: event.type, event });
    }
    await mention(council, 'Ben: still there?');
    expect(await departures(council)).toBe(0);
  });
});

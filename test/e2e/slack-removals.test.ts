/** What is deleted in Slack, and what follows when the app is taken out of a workspace. */

import type { ChannelDeletedEvent, GroupDeletedEvent } from '@slack/types';
import { describe, expect, test } from 'vitest';
import { keptAfterDepartureMs } from '../../src/bot/leaving/leaving.ts';
import { silentLog } from '../../src/domain/log.ts';
import { latePosts } from '../../src/platforms/slack/api/late-posts.ts';
import { metadataOf } from '../../src/platforms/slack/api/messages.ts';
import { createSlackApi } from '../../src/platforms/slack/api/slack-api.ts';
import { readIdentity } from '../../src/platforms/slack/connection/identity.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type BotChanges, fileSettings, forgettingIn } from '../bot/bot-fixture.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import {
  type CouncilInSlack,
  joinSlack,
  startCouncil,
  startSlackWorld,
} from '../platforms/slack/slack-world.ts';

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

/** What is to be forgotten, by name. */
async function due(store: Store) {
  const [kept = {}] = await store.settings.read(['forgetting:due']);
  return kept;
}

/** Something is said in the workspace, and the bot's process ends. What it asks Slack itself needs no connection. */
async function askedBefore() {
  const world = await startSlackWorld();
  const store = openSqliteStore({ path: ':memory:' });
  const before = await joinSlack(world, benSays('In May.'), { store });
  await mention(before, 'Ben: when do we dredge?');
  await before.bot.shutDown();
  return { world, store, before };
}

const later = () => Date.now() + keptAfterDepartureMs + 60_000;

/** Goes on in the background, as a process does, with the real Slack platform to ask. */
async function resume({ bot, platform }: CouncilInSlack, now: number): Promise<void> {
  const isMember = (workspace: string) => platform.isIn(workspace.split(':')[1] ?? '');
  const { signal } = new AbortController();
  await forgettingIn(bot.store, { now: () => now, isMember }).resume(signal);
}

describe('what is deleted in Slack', () => {
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

  test('is forgotten where someone who may has deleted an answer', async () => {
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

  test('is forgotten alone where it is a remark below a question', async () => {
    await using council = await startCouncil(benSays('In May.', 'Yes.'), { bot: forgetting });
    const { ada, channel } = council;
    const { thread } = await mention(council, 'Ben: when do we dredge?');
    const remark = await ada.says(channel, 'Thanks!', { thread });
    await ada.deletes(channel, remark);
    await mention(council, 'Ben: still there?');
    expect(await remembered(council)).toContain('In May.');
  });

  test('is not meant where the app takes back what it said twice', async () => {
    await using council = await startCouncil(benSays('In May.', 'Yes.'), { bot: forgetting });
    const { channel, slack, bot } = council;
    const { thread } = await mention(council, 'Ben: when do we dredge?');
    const team = slack.workspace.id;
    const [turn] = await bot.store.turns.list(`slack:${team}:${channel.id}:${thread}`, {
      limit: 1,
    });
    const mark = { turnId: turn?.turnId ?? '', part: 'progress' };
    const api = createSlackApi({
      tokenOf: () => slack.installation().botToken,
      apiUrl: slack.api,
      timeoutMs: 5000,
    });
    const args = { channel: channel.id, thread_ts: thread, metadata: metadataOf(mark) };
    const said = await api.call(team, 'chat.postMessage', { ...args, text: 'The same.' });
    const before = slack.thread(channel, thread).length;
    const late = latePosts({
      api,
      turnId: mark.turnId,
      log: silentLog,
      settle: async () => undefined,
      botId: async () => (await readIdentity(api, team)).botId,
    });
    const sent = { team, args };
    expect(await late.same(sent)).toHaveLength(2);
    await late.remove(sent, late.idOf(said));
    expect(slack.thread(channel, thread)).toHaveLength(before - 1);
    await mention(council, 'Ben: still there?');
    expect(await remembered(council)).toContain('In May.');
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
      type: 'message',
      ts,
      bot_id: 'BFORGED',
      text: 'Hi.',
      metadata: { event_type: 'council_turn', event_payload: payload },
    };
    await slack.events.tell({
      teamId: slack.workspace.id,
      subscription: 'message.channels',
      event: {
        type: 'message',
        subtype: 'message_deleted',
        channel: channel.id,
        ts: '1700000001.000100',
        event_ts: '1700000001.000100',
        deleted_ts: ts,
        channel_type: 'channel',
        previous_message: forged,
      },
    });
    await mention(council, 'Ben: still there?');
    expect(await remembered(council)).toContain('In May.');
  });

  test('is forgotten with the post that showed a command’s question, of which a tombstone is left', async () => {
    await using council = await startCouncil(benSays('In May.', 'In June.'), { bot: forgetting });
    const { ada, boss, channel, slack, bot } = council;
    await ada.commands(channel, '/council ask Ben: when do we dredge?');
    await expect.poll(() => remembered(council)).toContain('In May.');
    await bot.idle();
    const [shown] = slack.messages(channel);
    if (!shown) throw new Error('The question is not shown.');
    await mention(council, 'Ben: when do we paint?');
    await boss.deletes(channel, shown);
    expect(slack.events.all.at(-1)?.payload.event).toMatchObject({
      type: 'message',
      subtype: 'message_changed',
      message: { subtype: 'tombstone', ts: shown.ts },
    });
    await expect.poll(() => remembered(council)).not.toMatch(/dredge|In May/);
    expect(await remembered(council)).toContain('In June.');
  });

  test('is forgotten with its private channel, and the other channels stay', async () => {
    await using council = await startCouncil(benSays('In May.', 'In June.'), { bot: forgetting });
    const { boss, ada, slack } = council;
    const wardroom = await slack.addChannel('wardroom', {
      creator: boss,
      isPrivate: true,
      members: [ada],
    });
    await mention(council, 'Ben: when do we dredge?', wardroom);
    await mention(council, 'Ben: when do we paint?');
    const event = { type: 'group_deleted', channel: wardroom.id } satisfies Pick<
      GroupDeletedEvent,
      'type' | 'channel'
    >;
    await slack.events.tell({ teamId: slack.workspace.id, subscription: event.type, event });
    await expect.poll(() => remembered(council)).not.toContain('dredge');
    expect(await remembered(council)).toContain('In June.');
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

describe('a workspace that the app was taken out of', () => {
  test('is forgotten a day later', async () => {
    await using council = await startCouncil(benSays('In May.'));
    const { slack } = council;
    await mention(council, 'Ben: when do we dredge?');
    await slack.uninstall(slack.workspace);
    await expect.poll(() => departures(council)).toBe(1);
    await resume(council, Date.now());
    expect(await remembered(council)).toContain('In May.');
    await resume(council, later());
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

  test('while no process ran is found by its token, and forgotten a day later, however often it is started', async () => {
    const { world, store, before } = await askedBefore();
    await using _slack = world.slack;
    world.slack.withdraw();
    await expect(joinSlack(world, benSays(), { store })).rejects.toThrow('token_revoked');
    const noted = await due(store);
    expect(Object.keys(noted)).toEqual([`departure:slack:${world.slack.workspace.id}`]);
    await expect(joinSlack(world, benSays(), { store })).rejects.toThrow('token_revoked');
    expect(await due(store)).toEqual(noted);
    await resume(before, Date.now());
    expect(await remembered(before)).toContain('In May.');
    await resume(before, later());
    expect(await remembered(before)).toBe('[]');
  });

  test('and has added it again since, with another token, is not forgotten', async () => {
    const { world, store } = await askedBefore();
    await using _slack = world.slack;
    world.slack.withdraw();
    await expect(joinSlack(world, benSays(), { store })).rejects.toThrow('token_revoked');
    world.slack.reinstall();
    await using council = await joinSlack(world, benSays(), { store });
    await resume(council, later());
    expect(await due(store)).toEqual({});
    expect(await remembered(council)).toContain('In May.');
  });

  test('while its socket was lost is found when that is back', async () => {
    await using council = await startCouncil(benSays('In May.'));
    const { slack, platform } = council;
    await mention(council, 'Ben: when do we dredge?');
    slack.withdraw();
    slack.sockets.cut();
    await expect.poll(() => departures(council)).toBe(1);
    await expect(platform.finished).rejects.toThrow('The app was removed from the workspace.');
  });

  test('is not taken for one because of a wrong token: mistyped, of another workspace, or withdrawn there', async () => {
    const { world, store, before } = await askedBefore();
    const { slack } = world;
    await using _slack = slack;
    const start = (botToken: string) => joinSlack(world, benSays(), { store, botToken });
    await expect(start('xoxb-mistyped')).rejects.toThrow('invalid_auth');
    const stoa = slack.addWorkspace('Stoa');
    const { botToken } = slack.installation(stoa);
    await (await start(botToken)).bot.shutDown();
    slack.withdraw(stoa);
    await expect(start(botToken)).rejects.toThrow('token_revoked');
    expect(Object.keys(await due(store))).toEqual([`departure:slack:${stoa.id}`]);
    await resume(before, later());
    expect(await remembered(before)).toContain('In May.');
  });

  test('stays when its day is over and Slack does not say so: the token is mistyped, or may not call from here', async () => {
    const { world, store, before } = await askedBefore();
    await using _slack = world.slack;
    world.slack.withdraw();
    await expect(joinSlack(world, benSays(), { store })).rejects.toThrow('token_revoked');
    const refusal = { kind: 'refusal', error: 'invalid_auth' } as const;
    world.slack.faults.plan('auth.test', refusal);
    await expect(resume(before, later())).rejects.toThrow('invalid_auth');
    expect(await remembered(before)).toContain('In May.');
    await resume(before, later());
    expect(await remembered(before)).toBe('[]');
  });
});

import { describe, expect, test } from 'vitest';
import type { Place, Reply } from '../../../commands/command.ts';
import { scoredTurnsIn } from '../../../src/bot/places/turns-of-place.ts';
import { ForgetNotes } from '../../../src/memory/forgetting/notes.ts';
import { PendingForgetting, visibleStore } from '../../../src/memory/forgetting/visible-store.ts';
import { scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import { turnsBetween } from '../../turns-between.ts';
import { question, startBot, type TestBot } from '../bot-fixture.ts';
import { command, here, member, placeIn, textOf } from '../commanding.ts';
import { type ScoredChanges, scoredTurn } from '../scored.ts';

const openHere: Place = { ...here, isPrivate: false };
const dayMs = 86_400_000;

async function stored(
  { store }: Pick<TestBot, 'store'>,
  count: number,
  threadId: string,
  changes: ScoredChanges = {},
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) ids.push(await scoredTurn(store, threadId, changes));
  return ids;
}

function board({ bot }: TestBot, options = {}, place = openHere): Promise<Reply> {
  return command(bot, 'leaderboard', options, member, place);
}

/** What is counted for the workspace, or here. */
async function counted(started: TestBot, scope: string, place = openHere): Promise<number> {
  const text = textOf(await board(started, { scope }, place));
  return Number(/(\d+) ranked turns?/.exec(text)?.[1]);
}

test('others are served between the pages of turns that a leaderboard counts', async () => {
  const pages = [
    { turns: [], next: '1' },
    { turns: [], next: '2' },
  ];
  const turns = { steps: async () => pages.shift() ?? { turns: [] } };
  const count = () => scoredTurnsIn(turns, here, { reach: 'workspace', since: 0 });
  expect(await turnsBetween(count)).toBeGreaterThanOrEqual(2);
});

describe('the leaderboard', () => {
  test('shows bars, a table, turns and intervals, for the person who asked alone', async () => {
    const started = await startBot(scriptedModels({}));
    await stored(started, 8, here.threadId, { feedback: 'good' });
    await stored(started, 4, here.threadId, { first: 'ben' });
    const reply = await board(started);
    expect(reply.isPrivate).toBe(true);
    const text = textOf(reply);
    expect(text).toContain('12 ranked turns in this channel, last 90 days');
    expect(text).toContain('1. Ada Sage 🏆');
    expect(text).toContain('`████████░░  83 %` · 55–95 % · 12 turns');
    const table = reply.blocks.find((block) => block.type === 'table');
    expect(table?.type === 'table' && table.rows[0]).toEqual([
      ...['Ada Sage', '12', '83 %', '55–95 %', '67 %', '39–86 %', '', '0 of 12', '8 / 0', '$0.12'],
    ]);
    const chart = reply.blocks.find((block) => block.type === 'file');
    expect(chart).toMatchObject({ name: 'leaderboard.svg', isDrawn: true });
    expect(chart?.type === 'file' && chart.content).toMatch(
      /<desc>12 ranked turns.*1\. Ada Sage: 83 %, 55 % to 95 %;/,
    );
  });

  test('ranks models, of turns in which several spoke', async () => {
    const started = await startBot(scriptedModels({}));
    await stored(started, 10, here.threadId);
    const text = textOf(await board(started, { by: 'model' }));
    expect(text).toMatch(/1\. test:small.*2\. test:large/s);
  });

  test('ranks no one with fewer than ten turns', async () => {
    const started = await startBot(scriptedModels({}));
    await stored(started, 9, here.threadId);
    const text = textOf(await board(started));
    expect(text).toContain('No sage has 10 turns yet');
    expect(textOf(await board(started, { by: 'model' }))).toContain('No model has 10 turns yet');
    expect(textOf(await board(started, { days: 1 }))).toContain('in this channel, last 24 hours');
    expect(text).toContain('Ada Sage (9)');
    expect(text).not.toContain('1. Ada');
  });

  test('counts no turn of another workspace, and none of another channel unless asked to', async () => {
    const started = await startBot(scriptedModels({}));
    await stored(started, 2, here.threadId);
    await stored(started, 3, placeIn('c2').threadId);
    await stored(started, 5, placeIn('c', 'w2').threadId);
    expect(await counted(started, 'channel')).toBe(2);
    expect(await counted(started, 'workspace')).toBe(5);
  });

  test('counts what is private only where it was asked', async () => {
    const started = await startBot(scriptedModels({}));
    const closed = placeIn('closed');
    await stored(started, 1, here.threadId);
    await stored(started, 2, 'test:w:c:secret', { isPrivateThread: true });
    await stored(started, 4, closed.threadId, { isPrivate: true });
    expect(await counted(started, 'channel')).toBe(1);
    expect(await counted(started, 'workspace')).toBe(1);
    const secret = { ...openHere, threadId: 'test:w:c:secret' };
    expect(await counted(started, 'channel', secret)).toBe(3);
    expect(await counted(started, 'workspace', closed)).toBe(5);
  });

  test('counts nothing elsewhere of a channel that has become private since', async () => {
    const started = await startBot(scriptedModels({}));
    const other = placeIn('c2').threadId;
    await stored(started, 3, other, { createdAt: Date.now() - dayMs });
    expect(await counted(started, 'workspace')).toBe(3);
    await stored(started, 1, other, { isPrivate: true });
    expect(await counted(started, 'workspace')).toBe(0);
  });

  test('counts only the channel where people from outside read along', async () => {
    const started = await startBot(scriptedModels({}));
    const reply = await board(
      started,
      { scope: 'workspace' },
      { ...openHere, isOpenOutside: true },
    );
    expect(reply.isRefusal).toBe(true);
    expect(textOf(reply)).toContain('People from outside read along here');
  });

  test('passes over an imported score that is none', async () => {
    const started = await startBot(scriptedModels({}));
    const [turnId = ''] = await stored(started, 2, here.threadId);
    const step = { kind: 'scored', key: '', data: { sages: 'all' } };
    await started.store.turns.remark({ turnId, threadId: here.threadId }, step);
    expect(await counted(started, 'channel')).toBe(1);
  });

  test('counts the days that it is asked for', async () => {
    const started = await startBot(scriptedModels({}));
    await stored(started, 1, here.threadId);
    await stored(started, 2, here.threadId, { createdAt: Date.now() - 40 * dayMs });
    expect(textOf(await board(started, { days: 30 }))).toContain('1 ranked turn in');
    expect(textOf(await board(started, { days: 60 }))).toContain('3 ranked turns in');
  });

  test('loses what is forgotten, already while it is being forgotten', async () => {
    const started = await startBot(scriptedModels({}));
    const [first = ''] = await stored(started, 3, here.threadId);
    await started.store.forget({ threadId: here.threadId, turnIds: [first], messageIds: [] });
    expect(await counted(started, 'channel')).toBe(2);
    const store = visibleStore(started.store, new PendingForgetting(started.store));
    await new ForgetNotes(started.store.settings, Date.now).add('note', {
      kind: 'channel',
      channel: 'test:w:c',
    });
    const options = { kinds: ['scored'], since: 0, limit: 9 };
    expect((await store.turns.steps('test:w:c', options)).turns).toEqual([]);
  });

  test('counts a turn as it was run and rated, and the receipt tells the voices of ten', async () => {
    const started = await startBot(scriptedModels(wholeScript));
    await started.bot.ask({ ...question, isPrivate: false });
    await started.idle();
    await command(started.bot, 'feedback', { rating: 'bad' });
    expect(textOf(await board(started))).toContain('Ada Sage (1)');
    expect(textOf(await command(started.bot, 'receipt'))).not.toContain('Effective voices');
    await stored(started, 9, here.threadId, { createdAt: Date.now() - dayMs });
    const receipt = textOf(await command(started.bot, 'receipt'));
    expect(receipt).toMatch(
      /Effective voices.*3\.1 ballots a turn vote like 1\.4 independent ones/,
    );
    const table = (await board(started)).blocks.find((block) => block.type === 'table');
    expect(table?.type === 'table' && table.rows[0]).toMatchObject({ 0: 'Ada Sage', 8: '0 / 1' });
  });
});

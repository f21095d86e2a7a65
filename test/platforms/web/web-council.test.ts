import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { AwayError } from '../../../src/domain/failure.ts';
import { type Caller, type KeyRecords, localCaller } from '../../../src/platforms/web/caller.ts';
import { LiveTurns } from '../../../src/platforms/web/live-turns.ts';
import { createWebCouncil } from '../../../src/platforms/web/web-council.ts';
import { answered, grew, seated } from '../terminal/turn-events.ts';
import { allOf, askedTurn, keyed, openWeb, recordsOf, webRecordsOf } from './web-world.ts';

const reader = keyed('k1', 'acme', 'read');
const asker = keyed('k2', 'acme', 'ask');
const signal = new AbortController().signal;
const forbidden = { status: 403 };

describe('what every way in does with the council', () => {
  test('asks in a thread of the caller’s workspace, for the person of the key', async () => {
    const { web, asked } = await openWeb();
    const taken = await web.council.ask(asker, {
      question: 'Rewrite it?',
      thread: 'plans',
      depth: 'quick',
      eventId: 'e1',
    });
    expect(taken).toMatchObject({ status: 'accepted', threadId: 'web:acme:council:plans' });
    const author = { id: 'k2', name: 'k2' };
    expect(asked).toMatchObject([
      { question: 'Rewrite it?', depth: 'quick', eventId: 'e1', author, isPrivate: false },
    ]);
  });

  test('opens a thread for a question that names none, and refuses a name that leads elsewhere', async () => {
    const { web, asked } = await openWeb();
    const one = await web.council.ask(asker, { question: 'Rewrite it?' });
    const other = await web.council.ask(asker, { question: 'Rewrite it?' });
    expect(one.threadId).not.toBe(other.threadId);
    const elsewhere = web.council.ask(asker, { question: 'Why?', thread: 'a:b' });
    await expect(elsewhere).rejects.toMatchObject({ status: 422 });
    expect(asked).toHaveLength(2);
  });

  test('finds nothing of another workspace', async () => {
    const { web, stopped } = await openWeb([
      askedTurn('theirs', 'other'),
      askedTurn('ours', 'acme'),
    ]);
    const { council } = web;
    const all = { ...reader, scopes: new Set(['ask', 'read'] as const) };
    expect(await council.turn(all, 'theirs')).toBeUndefined();
    expect(await allOf(council.watch(all, 'theirs', { signal }))).toEqual([]);
    expect(await council.stop(all, 'theirs')).toBe(false);
    expect(stopped).toEqual([]);
    const threads = await council.threads(all, { limit: 10 });
    expect(threads.map(({ thread }) => thread)).toEqual(['ours']);
    const their = { ...all, person: { ...all.person, id: 'local' } };
    expect(await council.stop(their, 'ours')).toBe(true);
  });

  test('stops a question for the key that asked it, and for no other', async () => {
    const { web, stopped } = await openWeb([askedTurn('ours', 'acme')]);
    const by = (id: string) => ({ ...asker, person: { ...asker.person, id } });
    await expect(web.council.stop(by('k2'), 'ours')).rejects.toMatchObject(forbidden);
    expect(stopped).toEqual([]);
    expect(await web.council.stop(by('local'), 'ours')).toBe(true);
  });

  test('reads a conversation by its name, and none of a name that leads elsewhere', async () => {
    const { web } = await openWeb([askedTurn('ours', 'acme'), askedTurn('ours:2', 'acme')]);
    const named = async (thread: string) =>
      (await web.council.history(reader, thread, { limit: 5 })).map(({ turnId }) => turnId);
    expect(await named('ours')).toEqual(['ours']);
    expect(await named('ours:2')).toEqual([]);
    expect(await named('nothing')).toEqual([]);
  });

  test('refuses what a key may not do', async () => {
    const { web } = await openWeb([askedTurn('ours', 'acme')]);
    const { council } = web;
    await expect(council.ask(reader, { question: 'Why?' })).rejects.toMatchObject(forbidden);
    await expect(council.stop(reader, 'ours')).rejects.toThrow('This key may not ask questions.');
    await expect(council.turn(asker, 'ours')).rejects.toThrow('This key may not read.');
    await expect(council.threads(asker, { limit: 1 })).rejects.toMatchObject(forbidden);
    const history = council.history(asker, 'ours', { limit: 1 });
    await expect(history).rejects.toMatchObject(forbidden);
    await expect(council.scoredTurns(asker, 0)).rejects.toMatchObject(forbidden);
    const watched = allOf(council.watch(asker, 'ours', { signal }));
    await expect(watched).rejects.toMatchObject(forbidden);
    expect(await council.turn(localCaller, 'ours')).toBeUndefined();
  });
});

describe('who watches a turn', () => {
  /** The key's reader of a running turn, who has read its first event. */
  async function watching(caller: Caller, keys: KeyRecords) {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const live = new LiveTurns();
    const turn = live.begin('ours');
    const unused = () => {
      throw new Error('The bot is not asked.');
    };
    const records = webRecordsOf([askedTurn('ours', caller.workspace)]);
    const council = createWebCouncil(unused, live, records, keys);
    const read = council.watch(caller, 'ours', { signal })[Symbol.asyncIterator]();
    turn.add(seated);
    expect((await read.next()).value?.event).toBe(seated);
    return { turn, read };
  }

  test('is told nothing more once the key is withdrawn', async () => {
    const keys: Record<string, Caller> = { ck_1: reader };
    const { turn, read } = await watching(reader, recordsOf(keys));
    vi.advanceTimersByTime(1000);
    turn.add(grew('nassim_taleb', 'Bet'));
    expect((await read.next()).value?.event).toMatchObject({ type: 'answer_grew' });
    delete keys.ck_1;
    vi.advanceTimersByTime(1000);
    turn.add(answered('nassim_taleb', 'Bet small.'));
    await expect(read.next()).rejects.toMatchObject({ status: 401 });
    expect((await read.next()).done).toBe(true);
  });

  test('is told on while the keys can’t be read, and without a key', async () => {
    const named = async (): Promise<never> => {
      throw new AwayError('10.0.0.1 does not answer.');
    };
    for (const caller of [reader, { ...localCaller, workspace: 'acme' }]) {
      const { turn, read } = await watching(caller, { ...recordsOf({}), named });
      vi.advanceTimersByTime(1000);
      turn.add(answered('nassim_taleb', 'Bet small.'));
      expect((await read.next()).value?.event).toMatchObject({ type: 'answered' });
    }
  });
});

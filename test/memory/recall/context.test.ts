import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../../src/memory/recall/history.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { newTurn, question } from '../../contracts/store/samples.ts';
import { addTurn, fencedInShort, recall, said, threadId } from '../remembering.ts';

describe('what earlier turns give to a prompt', () => {
  test('sages see questions, summaries and the last verdict, the chair sees questions and verdicts', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    await addTurn(
      store,
      't1',
      { ada: said('Yes.'), ben: said('No.') },
      { kind: 'synthesis', verdict: 'Perhaps.' },
    );
    const context = await recall(store);
    expect(context.forSages).toEqual([
      { role: 'user', content: '[question Uma] Question t1' },
      { role: 'assistant', by: 'ada', content: '[summary ada] Yes.' },
      { role: 'assistant', by: 'ben', content: '[summary ben] No.' },
      { role: 'assistant', by: 'chair', content: '[verdict ] Perhaps.' },
    ]);
    expect(context.forChair[1]).toEqual({
      role: 'assistant',
      by: 'chair',
      content: '[verdict ] Perhaps.',
    });
    expect(JSON.stringify(context)).not.toContain('At length.');
    await store.close();
  });

  test('sages see the verdict that people read last, and none before it', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const judge = (turnId: string, verdict: string) =>
      addTurn(store, turnId, { ada: said('Yes.') }, { kind: 'synthesis', verdict });
    await judge('t1', 'First sell the quay.');
    await judge('t2', 'First ask the port.');
    await addTurn(store, 't3', { ben: said('Ben alone.') });
    const { forSages, forChair } = await recall(store, { question: 'Why the port first?' });
    const verdicts = (messages: typeof forSages) =>
      messages.flatMap(({ content }) => content.match(/(?<=\[verdict \] ).*/g) ?? []);
    expect(verdicts(forSages)).toEqual(['First ask the port.']);
    expect(verdicts(forChair)).toEqual(['First sell the quay.', 'First ask the port.']);
    const scarce = await recall(store, { budgetTokens: 70 });
    expect(verdicts(scarce.forSages)).toEqual([]);
    await store.close();
  });

  test('a verdict is told with what people read below it: its open points and the minority report', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const verdict = {
      kind: 'synthesis',
      verdict: 'Sell the quay.',
      unsettled: ['Who pays.', 'By\nwhen.'],
      minorityReport: 'Ada would\nkeep it.',
    };
    await addTurn(store, 't1', { ada: said('Yes.') }, verdict);
    const { forSages, forChair, forReviewers } = await recall(store);
    const below = 'Still open:\n- Who pays.\n- By when.\n\nMinority report: Ada would keep it.';
    const told = {
      role: 'assistant',
      by: 'chair',
      content: `[verdict ] Sell the quay.\n\n${below}`,
    };
    expect(forSages.at(-1)).toEqual(told);
    expect(forChair.at(-1)).toEqual(told);
    expect(forReviewers.at(-1)?.content).toBe('[verdict ] Sell the quay.');
    await store.close();
  });

  test('reviewers see questions, verdicts and what people said, and nothing by which to know a sage', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const verdict = { kind: 'synthesis', verdict: 'Perhaps.' };
    await addTurn(store, 't1', { ada: said('Yes.'), ben: said('No.') }, verdict);
    await addTurn(store, 't2', { cleo: said('Later.') });
    const elsewhere = { threadId: `${threadId}2`, question: 'Is the harbour deep?' };
    await addTurn(store, 't3', { dan: said('The harbour is deep.') }, verdict, elsewhere);
    const context = await recall(store, { question: 'The harbour?' });
    expect(context.forReviewers.map(({ role, content }) => `${role}: ${content}`)).toEqual([
      expect.stringMatching(
        /^user: What follows was said here earlier.*\n\[memory Uma,[^\]]*\] Is the harbour deep\?$/,
      ),
      'assistant: (Remembered.)',
      'user: [question Uma] Question t1',
      'user: [verdict ] Perhaps.',
      'user: [question Uma] Question t2\n(No answer was kept.)',
    ]);
    expect(JSON.stringify(context.forChair)).toContain('The harbour is deep.');
    await store.close();
  });

  test('it is the last three questions, oldest first, without the one that is asked', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    for (const turnId of ['t1', 't2', 't3', 't4', 't5'])
      await addTurn(store, turnId, { ada: said(turnId) });
    const context = await recall(store, { turnId: 't5' });
    const questions = context.forSages
      .filter(({ role }) => role === 'user')
      .map(({ content }) => content);
    expect(questions).toEqual([
      '[question Uma] Question t2',
      '[question Uma] Question t3',
      '[question Uma] Question t4',
    ]);
    expect(context.interactions).toBe(3);
    await store.close();
  });

  test('what the chair answered alone takes no place of another question, and is told with the verdict before it', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const judged = (verdict: string) => ({ kind: 'synthesis', verdict });
    await addTurn(store, 't1', { ada: said('Yes.'), ben: said('No.') }, judged('Sell it.'));
    for (const turnId of ['t2', 't3', 't4', 't5']) await addTurn(store, turnId, {}, judged(turnId));
    const { forSages, forChair, forChairAlone = [] } = await recall(store, { memories: 0 });
    const told = forSages.map(({ content }) => fencedInShort(content));
    expect(told).toEqual([
      '[question Uma] Question t1',
      ...['[summary ada] Yes.', '[summary ben] No.', '[verdict ] Sell it.'],
      ...['t2', 't3', 't4', 't5'].flatMap((id) => [
        `[question Uma] Question ${id}`,
        `[verdict ] ${id}`,
      ]),
    ]);
    expect(forChair[1]?.content).toBe('[verdict ] Sell it.');
    expect(
      forChairAlone.slice(0, told.length).map(({ content }) => fencedInShort(content)),
    ).toEqual(told);
    await store.close();
  });

  test('what a sage said that was asked alone is told whole to a chair that answers alone', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    await addTurn(store, 't1', { ada: { ...said('A letter.'), answer: 'Dear Sir, …' } });
    const { forChair, forChairAlone = [] } = await recall(store);
    expect(forChairAlone[1]?.content).toContain('Dear Sir');
    expect(JSON.stringify(forChair)).not.toContain('Dear Sir');
    await store.close();
  });

  test('a question that is heard among what people said is no memory beside it', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    for (const id of ['t1', 't2', 't3', 't4']) {
      await addTurn(store, id, { ada: said('Yes.') }, undefined, {
        question: `The harbour ${id}?`,
      });
    }
    const toldOf = async (text: string) => {
      const messages = [{ id: '1', text, at: 1, author: { id: 'u', name: 'Uma' } }];
      const heard = { place: 'test:w:c', of: 'thread', leftOut: 0, messages } as const;
      const situation = { at: 9, timeZone: 'UTC', heard };
      const { forSages } = await recall(store, { question: 'The harbour?', situation });
      return forSages.filter(({ content }) => content.includes('The harbour t1?')).length;
    };
    expect(await toldOf('The harbour t1?')).toBe(0);
    // Without the right to read what people write.
    expect(await toldOf('')).toBe(1);
    await store.close();
  });

  test('the answers to a question that is heard are found by its words', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    await addTurn(store, 't1', { ada: said('The Bianchi.') }, undefined, {
      question: 'Which coffee machine do we buy?',
    });
    for (const id of ['t2', 't3', 't4', 't5']) await addTurn(store, id, { ada: said('Yes.') });
    const text = 'Which coffee machine do we buy?';
    const messages = [{ id: '1', text, at: 1, author: { id: 'u', name: 'Uma' } }];
    const heard = { place: 'test:w:c', of: 'thread', leftOut: 0, messages } as const;
    const situation = { at: 9, timeZone: 'UTC', heard };
    const { forSages } = await recall(store, { question: 'And the coffee machine?', situation });
    expect(forSages[0]?.content).toContain('The Bianchi.');
    expect(forSages[0]?.content).not.toContain('Which coffee machine');
    await store.close();
  });

  test('questions without an answer do not crowd out answered ones, except the last', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const failed = { status: 'failed', answer: 'Error: no.', summary: 'Error invoking sage.' };
    for (const turnId of ['t1', 't2', 't3']) await addTurn(store, turnId, { ada: said(turnId) });
    for (const turnId of ['t4', 't5', 't6']) await addTurn(store, turnId, { ada: failed });
    const { forSages } = await recall(store, { memories: 0 });
    const asked = forSages.filter(({ role, by }) => role === 'user' && by === undefined);
    expect(asked.map(({ content }) => content)).toEqual([
      '[question Uma] Question t2',
      '[question Uma] Question t3',
      '[question Uma] Question t6\n(No answer was kept.)',
    ]);
    await store.close();
  });

  test('a question that got no answer is not told where it is asked once more', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const failed = { status: 'failed', answer: 'Error: no.', summary: 'Error invoking sage.' };
    for (const turnId of ['t1', 't2', 't3']) await addTurn(store, turnId, { ada: said('Yes.') });
    await addTurn(store, 't4', { ada: failed });
    const questions = async (question: string) => {
      const { forSages } = await recall(store, { question, memories: 0 });
      return forSages.flatMap(({ content }) => content.match(/(?<=Question )t\d/) ?? []);
    };
    expect(await questions('Question t4')).toEqual(['t1', 't2', 't3']);
    expect(await questions('Another one?')).toEqual(['t2', 't3', 't4']);
    await store.close();
  });

  test('of a question that is repeated it is the three before it, however much was asked since', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    for (let at = 1; at <= 60; at += 1) await addTurn(store, `t${at}`, { ada: said('Yes.') });
    const { forSages, forChair } = await recall(store, { before: 5, memories: 0 });
    const asked = forSages.filter(({ role, by }) => role === 'user' && by === undefined);
    expect(asked.map(({ content }) => content)).toEqual(
      ['t2', 't3', 't4'].map((turnId) => `[question Uma] Question ${turnId}`),
    );
    expect(JSON.stringify(forChair)).toContain('Question t4');
    await store.close();
  });

  test('what failed, and what stood in for a verdict, is not told as if it had been said', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const failed = { status: 'failed', answer: 'Error: no.', summary: 'Error invoking sage.' };
    await addTurn(
      store,
      't1',
      { ada: failed, ben: said('No.') },
      { kind: 'top_answer', verdict: 'The text of Ben.' },
    );
    const context = await recall(store);
    expect(JSON.stringify(context)).not.toMatch(/Error|The text of Ben/);
    expect(context.forChair[1]?.content).toBe('[summary ben] No.');
    await store.close();
  });

  test('the older part of a full history is summarised with its verdicts', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const verdict = { kind: 'synthesis', verdict: 'Sell the quay.' };
    await addTurn(store, 't1', { ada: said('Yes.') }, verdict);
    for (const at of [2, 3, 4, 5, 6]) await addTurn(store, `t${at}`, { ada: said('Yes.') });
    const read: string[] = [];
    const compact = async (_: unknown, exchanges: readonly Exchange[]) => {
      read.push(...exchanges.flatMap(({ forSages }) => forSages.map(({ content }) => content)));
      return 'In short.';
    };
    await recall(store, { history: 'full', compact, memories: 0 });
    expect(read.map(fencedInShort)).toEqual([
      '[question Uma] Question t1',
      '[summary ada] Yes.',
      '[verdict ] Sell the quay.',
    ]);
    await store.close();
  });

  test('old messages without a turn are taken as they stand', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    const old = { threadId, status: 'complete' as const };
    await store.messages.append([
      {
        ...old,
        id: '1',
        role: 'human',
        type: 'user_query',
        author: 'Uma',
        content: { text: 'Why?' },
        createdAt: 1,
      },
      {
        ...old,
        id: '2',
        role: 'ai',
        type: 'sage_output',
        sage: 'ada',
        content: { text: 'Because.' },
        createdAt: 2,
      },
      {
        ...old,
        id: '3',
        role: 'ai',
        type: 'sage_output',
        sage: 'ben',
        content: { words: 'odd' },
        createdAt: 3,
      },
    ]);
    const context = await recall(store);
    expect(context.forSages).toEqual([
      { role: 'user', content: '[question Uma] Why?' },
      { role: 'assistant', by: 'ada', content: '[summary ada] Because.' },
      { role: 'assistant', by: 'ben', content: '[summary ben] {"words":"odd"}' },
    ]);
    await store.close();
  });

  test('a question that waits in the thread for this one is no memory of it', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    await addTurn(store, 't20', {}, undefined, { question: 'What does dredging cost?' });
    const waiting = { threadId, createdAt: 60 };
    const text = 'Who dredges the harbour?';
    const asked = question('t60', { ...waiting, content: { type: 'user_query', text } });
    await store.turns.begin(newTurn('t60', { ...waiting, question: asked }));
    const { forSages } = await recall(store, {
      question: 'Should the harbour be dredged?',
      interactions: 1,
      situation: { at: 50, timeZone: 'UTC' },
    });
    expect(JSON.stringify(forSages[0])).toContain('What does dredging cost?');
    expect(JSON.stringify(forSages)).not.toContain(text);
    await store.close();
  });

  test('nothing is read when nothing is to be remembered', async () => {
    const store = openSqliteStore({ path: ':memory:' });
    await addTurn(store, 't1', { ada: said('Yes.') });
    const context = await recall(store, { interactions: 0 });
    expect(context).toMatchObject({ forSages: [], forChair: [], interactions: 0 });
    expect(context.receipt).toMatchObject({ tokens: 0, used: [] });
    await store.close();
  });
});

import { describe, expect, test } from 'vitest';
import { readPastTurn } from '../../src/council/past-turn.ts';
import { receiptOf } from '../../src/council/receipt.ts';
import { answer, scriptedModels, wholeScript } from '../council/scripted-council.ts';
import { fileSettings, question, startBot } from './bot-fixture.ts';
import { textOf } from './commanding.ts';
import { memory } from './remembered-here.ts';

const said = 'The harbour of Whitby must be dredged.';
const toBen = { ...question, question: said, sages: ['ben'] };
const everywhere = { settings: { ...fileSettings, memoryReach: 'workspace' } } as const;

/** Asks one thing in each place in turn, and gives what ben was shown with the last. */
async function lastPrompt(
  places: readonly {
    readonly threadId: string;
    readonly isPrivate?: boolean;
    readonly isPrivateThread?: boolean;
    readonly asked?: string;
  }[],
  changes: Parameters<typeof startBot>[1] = everywhere,
): Promise<string> {
  const models = scriptedModels({ sages: { ben: places.map(() => answer('Noted.')) } });
  const { bot, idle, store } = await startBot(models, changes);
  for (const [at, { asked: wanted = said, ...place }] of places.entries()) {
    const isLast = at === places.length - 1;
    const asked = isLast ? 'What of the harbour of Whitby?' : wanted;
    await bot.ask({ ...toBen, ...place, eventId: `event-${at}`, question: asked });
    await idle();
  }
  await store.close();
  return JSON.stringify(models.sage({ key: 'ben' }).requests.at(-1)?.messages);
}

describe('what a sage is shown of what was said elsewhere', () => {
  test('is what was said in the channel, its own question left out', async () => {
    const places = [{ threadId: 'test:w:c:t' }, { threadId: 'test:w:c:u' }];
    const prompt = await lastPrompt(places, {});
    expect(prompt).toContain(`\\n${said}\\n</memory>`);
    expect(prompt).toContain('from=\\"Uma\\"');
    expect(prompt.split('What of the harbour').length).toBe(2);
  });

  test('has the verdict with the question, though the question was read before there was one', async () => {
    const sages = { ...wholeScript.sages, ada: [answer('Ada says yes.'), answer('In spring.')] };
    const models = scriptedModels({ ...wholeScript, sages });
    const started = await startBot(models);
    await started.bot.ask({ ...question, threadId: 'test:w:c:t' });
    await started.idle();
    const next = { eventId: 'next', threadId: 'test:w:c:u', sages: ['ada'] };
    await started.bot.ask({ ...question, ...next, question: 'When do we rewrite the parts?' });
    await started.idle();
    const prompt = JSON.stringify(models.sage({ key: 'ada' }).requests.at(-1)?.messages);
    expect(prompt).toContain('verdict on this question');
    expect(prompt).toContain('Rewrite it in parts.');
    const shown = await memory(started, {});
    expect(textOf(shown)).toContain('Verdict: Rewrite it in parts.');
    await started.store.close();
  });

  test('is what everybody may read, question and answer, where memory reaches everywhere', async () => {
    const prompt = await lastPrompt([
      { threadId: 'test:w:c:t', isPrivate: false },
      { threadId: 'test:w:d:t', isPrivate: false },
    ]);
    expect(prompt).toContain(said);
    expect(prompt).toContain('from=\\"ben\\"');
  });

  test.each([
    ['a private channel', { threadId: 'test:w:c:t', isPrivate: true }],
    ['a place that nobody knows about', { threadId: 'test:w:c:t' }],
    ['another workspace', { threadId: 'test:v:c:t', isPrivate: false }],
  ])('is nothing of %s', async (_, place) => {
    const prompt = await lastPrompt([place, { threadId: 'test:w:d:t', isPrivate: false }]);
    expect(prompt).not.toContain(said);
    expect(prompt).not.toContain('Noted.');
  });

  test.each([
    ['seen from its channel', { threadId: 'test:w:c:u', isPrivate: false }],
    ['seen from another one', { threadId: 'test:w:c:u', isPrivate: true }],
  ])('is nothing of a private thread, %s', async (_, place) => {
    const asked = 'Who owns the harbour of Whitby?';
    const open = { threadId: 'test:w:c:open', isPrivate: false, asked };
    const hidden = { threadId: 'test:w:c:hidden', isPrivate: true };
    const prompt = await lastPrompt([hidden, open, place], {});
    expect(prompt).toContain(asked);
    expect(prompt).not.toContain(said);
  });

  test('is nothing of another private thread, seen from one, where nothing is known to be open', async () => {
    const hidden = { threadId: 'test:w:c:hidden', isPrivate: true, isPrivateThread: true };
    const prompt = await lastPrompt([hidden, { ...hidden, threadId: 'test:w:c:u' }], {});
    expect(prompt).not.toContain(said);
    expect(await lastPrompt([hidden, hidden], {})).toContain(said);
  });

  test('is all of a private channel, whichever its threads are', async () => {
    const places = [
      { threadId: 'test:w:c:t', isPrivate: true },
      { threadId: 'test:w:c:u', isPrivate: true },
    ];
    expect(await lastPrompt(places, {})).toContain(said);
  });

  test('is nothing where the channel has its memory switched off', async () => {
    const places = [{ threadId: 'test:w:c:t' }, { threadId: 'test:w:c:u' }];
    const settings = { ...fileSettings, memory: false };
    expect(await lastPrompt(places, { settings })).not.toContain(said);
  });
});

test('the receipt says by ids what was recalled, without a word of it', async () => {
  const models = scriptedModels({ sages: { ben: [answer('Noted.'), answer('Wait.')] } });
  const { bot, idle, store } = await startBot(models);
  await bot.ask(toBen);
  await idle();
  const elsewhere = { threadId: 'test:w:c:u', eventId: 'event-2', question: 'And the harbour?' };
  await bot.ask({ ...toBen, ...elsewhere });
  await idle();
  const [last] = await store.turns.list('test:w:c:u', { limit: 1 });
  const [first] = await store.turns.list(question.threadId, { limit: 1 });
  const record = last && (await store.turns.read(last));
  if (!record) throw new Error('The turn was not stored.');
  const { memory } = receiptOf(readPastTurn(record), 'answered', record.usage);
  expect(memory?.used).toContainEqual({
    kind: 'message',
    threadId: question.threadId,
    id: `${first?.turnId}:question`,
    tokens: expect.any(Number),
  });
  expect(memory).toMatchObject({ budgetTokens: 4000 });
  expect(JSON.stringify(record.steps)).not.toContain('Whitby');
});

/** What was confirmed to be forgotten is shown nowhere, although the process has died before any of it went. */

import { describe, expect, test } from 'vitest';
import type { ForgetSubject } from '../../src/memory/forgetting/notes.ts';
import { ForgetNotes } from '../../src/memory/forgetting/notes.ts';
import type { Store } from '../../src/store/store.ts';
import { imported } from '../contracts/store/samples.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { storeFixtures } from '../store/store-fixtures.ts';
import { startBot, type TestBot } from './bot-fixture.ts';

const fixtures = storeFixtures();

const threadId = 'test:w:c:1';
const place = { platform: 'test', workspace: 'w', channel: 'c', threadId, isPrivate: false };
const person = { id: 'uma', name: 'Uma', isManager: true, isServerManager: true };

/** What is said in each of them, by who asked. */
const said = { roses: 'uma', ferns: 'ben', palms: 'uma', moss: 'imported' } as const;
type Said = keyof typeof said;
const all = ['roses', 'ferns', 'palms', 'moss'] as const;

/** Three questions and an imported one; the shard is made of the roses. @returns The turns' ids. */
async function fill(store: Store): Promise<Readonly<Record<Said, string>>> {
  const asked = ['roses', 'ferns', 'palms'] as const;
  const models = scriptedModels({ sages: { ben: asked.map((one) => answer(`Cut the ${one}.`)) } });
  const { bot, idle, shutDown } = await startBot(models, {}, store);
  const ids = { roses: '', ferns: '', palms: '', moss: 'q' };
  for (const one of asked) {
    const author = { id: said[one], name: said[one] };
    const question = { threadId, author, isPrivate: false, eventId: one, askedAt: Date.now() };
    const taken = await bot.ask({ ...question, question: `Ben: what of the ${one}?` });
    if (taken.status === 'accepted') ids[one] = taken.turnId;
    await idle();
  }
  await shutDown();
  const content = { type: 'user_query', text: 'What of the moss?' };
  const createdAt = Date.now();
  await store.messages.append([
    { ...imported('q', 'human', { threadId }), isPrivate: false, content, createdAt },
  ]);
  const messages = await store.messages.page(threadId, { limit: 9 });
  const source = messages.find(({ turnId, role }) => turnId === ids.roses && role === 'human');
  await store.memories.keepShard({
    id: 'short',
    threadId,
    text: 'In short, the roses.',
    isPrivate: false,
    sourceIds: [source?.id ?? ''],
    createdAt,
    agesFrom: createdAt,
  });
  return ids;
}

/**
 * All that someone can look at, in a process that has just been started.
 * @param who - One person can look once: channels are exported for them once in ten seconds.
 */
async function seen({ bot }: TestBot, ids: Readonly<Record<Said, string>>, who: string) {
  const looking = { ...person, id: who };
  const show = async (command: string, options: Readonly<Record<string, unknown>>) =>
    JSON.stringify(await bot.command({ place, person: looking, command, options }));
  const receipts = await Promise.all(all.map((one) => show('receipt', { turn: ids[one] })));
  return {
    list: await show('memory', {}),
    search: await show('memory', { do: 'search', what: 'roses ferns palms moss' }),
    thread: await show('export', { format: 'json' }),
    channel: await show('export', { format: 'json', scope: 'channel' }),
    receipts: receipts.join('\n'),
    overview: JSON.stringify(await bot.overview(place, 'uma')),
  };
}

/** What the prompt of the next question holds. */
async function prompted(store: Store): Promise<string> {
  const models = scriptedModels({ sages: { ben: [answer('Yes.')] } });
  const { bot, idle, shutDown } = await startBot(models, {}, store);
  const author = { id: 'ada', name: 'Ada' };
  const question = 'Ben: what of roses, ferns, palms and the rest?';
  const asked = { threadId, author, isPrivate: false, eventId: 'next', askedAt: Date.now() };
  await bot.ask({ ...asked, question });
  await idle();
  await shutDown();
  const [request] = models.sage({ key: 'ben' }).requests;
  return JSON.stringify(request?.messages).replaceAll(question, '');
}

type Subjects = Readonly<
  Record<
    string,
    { readonly gone: readonly Said[]; of(ids: Readonly<Record<Said, string>>): ForgetSubject }
  >
>;
const subjects: Subjects = {
  'a question': { gone: ['ferns'], of: ({ ferns }) => ({ kind: 'turn', threadId, turnId: ferns }) },
  'an imported question': {
    gone: ['moss'],
    of: () => ({ kind: 'message', threadId, messageId: 'q' }),
  },
  'a summary': { gone: ['roses'], of: () => ({ kind: 'shard', threadId, shardId: 'short' }) },
  'all that somebody has asked': {
    gone: ['roses', 'palms'],
    of: () => ({ kind: 'person', workspace: 'test:w', personId: 'uma' }),
  },
  'a thread': { gone: all, of: () => ({ kind: 'thread', threadId }) },
  'a channel': { gone: all, of: () => ({ kind: 'channel', channel: 'test:w:c' }) },
  'a workspace': { gone: all, of: () => ({ kind: 'workspace', workspace: 'test:w' }) },
};

describe.each(Object.entries(fixtures))('over %s', (_, open) => {
  test.each(Object.entries(subjects))(
    '%s is in no list, search, export, receipt or prompt',
    async (_name, { gone, of }) => {
      const at = await open();
      try {
        const store = await at.open();
        const ids = await fill(store);
        const whole = await startBot(scriptedModels({}), {}, store);
        const before = await seen(whole, ids, 'before');
        await whole.shutDown();
        for (const one of all) expect(before.list).toContain(one);
        // As a process leaves it that dies right after someone has confirmed.
        await new ForgetNotes(store.settings, Date.now).add('note', of(ids));
        const next = await startBot(scriptedModels({}), {}, store);
        const after = { ...(await seen(next, ids, 'after')), prompt: await prompted(store) };
        await next.shutDown();
        const left = all.filter((one) => !gone.includes(one));
        for (const [what, shown] of Object.entries(after)) {
          for (const one of gone) expect(shown, what).not.toContain(`the ${one}`);
        }
        for (const one of left) {
          for (const what of ['list', 'search', 'thread', 'channel', 'prompt'] as const) {
            expect(after[what], what).toContain(`the ${one}`);
          }
        }
      } finally {
        await at.remove();
      }
    },
  );

  test('what this process notes is hidden at once, also from what it has read before', async () => {
    const at = await open();
    try {
      const store = await at.open();
      const ids = await fill(store);
      // It hangs before the first of it has gone.
      const { promise: hangs, resolve: hang } = Promise.withResolvers<void>();
      const forget = () => {
        hang();
        return new Promise<never>(() => undefined);
      };
      const next = await startBot(scriptedModels({}), {}, { ...store, forget });
      expect((await seen(next, ids, 'before')).list).toContain('the ferns');
      const subject = { kind: 'turn', threadId, turnId: ids.ferns } as const;
      void next.memory.forgetting.forget(subject, new AbortController().signal);
      await hangs;
      expect((await seen(next, ids, 'after')).list).not.toContain('the ferns');
      await next.shutDown();
    } finally {
      await at.remove();
    }
  });
});

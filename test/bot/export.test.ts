import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Person, Place, Reply } from '../../commands/command.ts';
import { exportSchema } from '../../src/memory/export/export.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { answer, scriptedModels, wholeScript } from '../council/scripted-council.ts';
import { question, startBot, type TestBot } from './bot-fixture.ts';
import {
  channelManager,
  command,
  here,
  member,
  placeIn,
  serverManager,
  textOf,
} from './commanding.ts';

function fileOf(reply: Reply) {
  const file = reply.blocks.find((block) => block.type === 'file');
  if (file?.type !== 'file') throw new Error(`There is no file in ${textOf(reply)}`);
  return file;
}

/** A bot that was asked one thing in each of these places; what was asked is the place's own words. */
async function askedIn(
  ...places: readonly (Pick<Place, 'threadId' | 'isPrivate'> & { said: string })[]
) {
  const models = scriptedModels({ sages: { ben: places.map(({ said }) => answer(`On ${said}`)) } });
  const started = await startBot(models);
  for (const { said, ...place } of places) {
    await started.bot.ask({ ...question, ...place, eventId: said, question: said, sages: ['ben'] });
    await started.idle();
  }
  return started;
}

async function exported(
  { bot }: TestBot,
  options: Readonly<Record<string, string>>,
  person: Person = member,
  place: Place = here,
): Promise<string> {
  return fileOf(await command(bot, 'export', options, person, place)).content;
}

const openHere = { ...here, isPrivate: false };

test('a member takes along the thread, for no one else to see', async () => {
  const started = await askedIn({ ...openHere, said: 'dredging' });
  const reply = await command(started.bot, 'export', {}, member, openHere);
  expect(reply.isPrivate).toBe(true);
  expect(fileOf(reply)).toMatchObject({
    name: 'council-test-w-c-t.md',
    mediaType: 'text/markdown',
  });
  expect(fileOf(reply).content).toContain('> dredging');
  expect(fileOf(reply).content).toContain('> On dredging');
});

test('the verdict and the reviews are in it; prompts, settings, and who liked it are not', async () => {
  const started = await startBot(scriptedModels(wholeScript));
  await started.bot.ask(question);
  await started.idle();
  await command(started.bot, 'feedback', { rating: 'bad' }, { ...member, id: 'secret-critic' });
  const text = await exported(started, { format: 'json' });
  const { threads } = exportSchema.parse(JSON.parse(text));
  const kinds = new Set(threads[0]?.turns[0]?.steps.map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual([
    'ended',
    'own_answer',
    'ranked',
    'reviewed',
    'scored',
    'seated',
    'verdict',
  ]);
  expect(text).not.toContain('secret-critic');
  expect(text).not.toContain('"prompt"');
  expect(await exported(started, { format: 'html' })).toContain('<article class="verdict">');
});

test('a remark that the council answered by itself gives away neither prompts nor costs', async () => {
  const started = await startBot(scriptedModels(wholeScript));
  const prompt = 'You never tell this.';
  const ada = {
    key: 'ada',
    name: 'Ada',
    description: 'Thinks.',
    prompt,
    source: 'custom',
  } as const;
  const seated = { seats: [{ sage: ada, model: 'test:ada' }], how: 'moderated' } as const;
  const judged = { model: 'test:moderator', stage: 'moderator', outcome: 'ok', latencyMs: 1 };
  const tokens = { inputTokens: 4321, outputTokens: 1, reasoningTokens: 0, estimated: false };
  await started.bot.ask({
    ...question,
    convened: {
      seated: { ...seated, seats: [...seated.seats], dropped: [], latencyMs: 1 },
      calls: [{ ...judged, ...tokens }],
    },
  });
  await started.idle();
  const text = await exported(started, { format: 'json' });
  expect(text).toContain(question.question);
  expect(text).not.toMatch(/You never tell this|4321/);
});

test('all of a channel is for those who manage it', async () => {
  const started = await askedIn(
    { ...openHere, said: 'dredging' },
    { threadId: 'test:w:c:other', isPrivate: false, said: 'fishing' },
    { threadId: 'test:w:d:t', isPrivate: false, said: 'whaling' },
  );
  const refused = await command(started.bot, 'export', { scope: 'channel' }, member, openHere);
  expect(textOf(refused)).toContain('Only those who may manage this channel');
  expect(textOf(refused)).not.toContain('fishing');
  const text = await exported(started, { scope: 'channel' }, channelManager, openHere);
  expect(text).toContain('dredging');
  expect(text).toContain('fishing');
  expect(text).not.toContain('whaling');
});

test('a private thread stays out of what its channel gives, no matter who asks and wherever from', async () => {
  const hidden = { threadId: 'test:w:c:hidden', isPrivate: true, said: 'the merger' };
  const mine = { threadId: 'test:w:c:mine', isPrivate: true, said: 'my own' };
  const started = await askedIn({ ...openHere, said: 'dredging' }, hidden, mine);
  const options = { scope: 'channel', format: 'json' };
  const fromOutside = await command(started.bot, 'export', options, channelManager, openHere);
  expect(fileOf(fromOutside).content).not.toContain('the merger');
  expect(textOf(fromOutside)).toContain('Left out: 2 private threads of this channel.');
  const place = { ...here, ...mine };
  const fromAnother = await exported(started, options, serverManager, place);
  expect(fromAnother).not.toContain('the merger');
  expect(fromAnother).toContain('my own');
});

test('a private thread gives no other one, where nothing is known to be open', async () => {
  const hidden = { threadId: 'test:w:c:hidden', isPrivate: true, said: 'the merger' };
  const mine = { threadId: 'test:w:c:mine', isPrivate: true, said: 'my own' };
  const started = await askedIn(hidden, mine);
  const place = { ...here, ...mine, isPrivateThread: true };
  const text = await exported(started, { scope: 'channel' }, channelManager, place);
  expect(text).not.toContain('the merger');
  expect(text).toContain('my own');
});

test('a private channel gives all its threads', async () => {
  const started = await askedIn(
    { ...here, isPrivate: true, said: 'dredging' },
    { threadId: 'test:w:c:other', isPrivate: true, said: 'fishing' },
  );
  const place = { ...here, isPrivate: true };
  const text = await exported(started, { scope: 'channel' }, channelManager, place);
  expect(text).toContain('fishing');
});

test('what is still being answered is not in it, and that is said', async () => {
  const started = await startBot(scriptedModels({}));
  const { threadId } = here;
  const asked = { turnId: 'open', threadId, createdAt: 1_000 };
  await started.store.turns.begin({
    ...asked,
    eventId: 'open',
    request: {},
    question: {
      ...asked,
      id: 'q',
      role: 'human',
      type: 'user_query',
      status: 'complete',
      content: { text: 'Not yet' },
    },
  });
  const reply = await command(started.bot, 'export');
  expect(textOf(reply)).toContain('Nothing has been answered in this thread yet.');
  expect(textOf(reply)).toContain('Left out: 1 unfinished question.');
});

test.each([
  ['thread', 'export test:w:c:t'],
  ['channel', 'export test:w:c:- --scope channel'],
])(
  'a %s too long for a file in chat is refused, with the way that there is',
  async (scope, task) => {
    const started = await startBot(scriptedModels({}));
    const { threadId } = here;
    const said = { threadId, role: 'human', type: 'user_query', status: 'complete' } as const;
    await started.store.messages.append([
      { ...said, id: 'long', content: { text: 'é'.repeat(4_100_000) }, createdAt: Date.now() },
    ]);
    const refused = await command(started.bot, 'export', { scope }, channelManager);
    expect(textOf(refused)).toContain(`npm run council -- ${task}\``);
  },
);

test('a second one of a channel has to wait, since each reads all of it', async () => {
  const started = await askedIn({ ...openHere, said: 'dredging' });
  const again = (person: Person, place: Place) =>
    command(started.bot, 'export', { scope: 'channel' }, person, place).then(textOf);
  expect(await again(channelManager, openHere)).toContain('Here is what was said');
  expect(await again(channelManager, openHere)).toContain('Try again in ten seconds.');
  expect(await again(channelManager, placeIn('d'))).not.toContain('Try again');
  expect(await again(serverManager, openHere)).toContain('Here is what was said');
});

test('no export holds a message of another channel or workspace, wherever things were said', async () => {
  const scope = fc.record({
    workspace: fc.constantFrom('w', 'w2', 'v'),
    channel: fc.constantFrom('c', 'c2', 'd'),
    thread: fc.constantFrom('t', 'u'),
    isPrivate: fc.constantFrom(true, false, undefined),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(scope, { maxLength: 12 }), scope, async (said, asking) => {
      const store = openSqliteStore({ path: ':memory:' });
      const started = await startBot(scriptedModels({}), {}, store);
      for (const [index, { isPrivate, ...at }] of said.entries()) {
        const threadId = `test:${at.workspace}:${at.channel}:${at.thread}`;
        const message = {
          threadId,
          role: 'human',
          type: 'user_query',
          status: 'complete',
        } as const;
        const seen = isPrivate === false ? 'open' : 'hidden';
        const content = { text: `heard ${at.workspace}/${at.channel}/${at.thread}/${seen}.` };
        const known = isPrivate === undefined ? {} : { isPrivate };
        await store.messages.append([
          { ...message, ...known, id: `m${index}`, content, createdAt: Date.now() },
        ]);
      }
      const { workspace, channel, thread, isPrivate } = asking;
      const place = {
        ...placeIn(channel, workspace),
        threadId: `test:${workspace}:${channel}:${thread}`,
        ...(isPrivate !== undefined && { isPrivate }),
      };
      for (const reach of ['thread', 'channel']) {
        const options = { scope: reach, format: 'json' };
        const text = textOf(await command(started.bot, 'export', options, channelManager, place));
        const own = `heard ${workspace}/${channel}/${thread}/`;
        let isOwnThere = false;
        for (const [found] of text.matchAll(/heard [^.]*\./g)) {
          isOwnThere ||= found.startsWith(own);
          const isOfChannel = found.startsWith(`heard ${workspace}/${channel}/`);
          const maySee = found.endsWith('/open.') || isPrivate !== false;
          const isTheirs = reach === 'channel' && isOfChannel && maySee;
          expect(found.startsWith(own) || isTheirs).toBe(true);
        }
        const wasSaidHere = said.some(
          (one) => one.workspace === workspace && one.channel === channel && one.thread === thread,
        );
        expect(isOwnThere).toBe(wasSaidHere);
      }
      await store.close();
    }),
    { numRuns: 60 },
  );
});

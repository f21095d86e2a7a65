import { describe, expect, test } from 'vitest';
import type { Person, Reply } from '../../commands/command.ts';
import { commands } from '../../commands/index.ts';
import { parseCommandLine } from '../../src/platforms/chat/text/command-line.ts';
import { fileSettings, forgettingIn, type TestBot } from './bot-fixture.ts';
import {
  channelManager,
  choiceOf,
  command,
  here,
  member,
  placeIn,
  serverManager,
  textOf,
} from './commanding.ts';
import {
  type AskedOfBen,
  botThatWasAsked,
  entriesOf,
  idOf,
  memory,
  type RememberingBot,
  sumUp,
} from './remembered-here.ts';

const bo: Person = { ...member, id: 'u2', name: 'Bo' };
const inThread = (thread: string) => ({ ...here, threadId: `test:w:c:${thread}` });
const ofUma: AskedOfBen = { asked: 'Should the harbour be dredged?', reply: 'In May.' };
const ofBo: AskedOfBen = { asked: 'Who bakes the bread?', author: bo };

const forget = (started: RememberingBot, what: string, person = member, place = here) =>
  memory(started, { do: 'forget', what }, person, place);

/** Presses the button below what would go. */
function confirm(started: RememberingBot, reply: Reply, person = member, place = here) {
  const line = parseCommandLine(choiceOf(reply, 'Forget it for good'), commands);
  if (line.status !== 'read') throw new Error(line.message);
  return memory(started, line.options, person, place);
}

async function kept({ store }: TestBot, threadId = here.threadId): Promise<readonly string[]> {
  const messages = await store.messages.page(threadId, { limit: 100 });
  return messages.map(({ author, sage }) => author ?? sage ?? '').toReversed();
}

describe('what someone wants forgotten', () => {
  test('is counted first, and goes only when they confirm', async () => {
    const started = await botThatWasAsked([ofUma, ofBo]);
    await sumUp(started, 'Uma and Bo asked things.');
    const id = await idOf(started, 'Should the harbour');
    const reply = await forget(started, id);
    expect(reply.isPrivate).toBe(true);
    expect(textOf(reply)).toContain(
      'This would be deleted: 1 question, 1 answer, 1 summary made of them, in 1 thread.',
    );
    expect(textOf(reply)).toContain('Nothing has been deleted yet');
    expect(await kept(started)).toHaveLength(4);
    const done = await confirm(started, reply);
    expect(done.isPrivate).toBe(true);
    expect(textOf(done)).toContain('Forgotten: 1 question, 1 answer, 1 summary made of them.');
    expect(await kept(started)).toEqual(['Bo', 'ben']);
    const shown = textOf(await memory(started));
    expect(shown).not.toMatch(/harbour|In May|asked things/);
    expect(shown).toContain('Who bakes the bread?');
    expect(textOf(await forget(started, id))).toContain('Nothing with the id');
  });

  test('is a turn by its id, for the person who asked and for managers', async () => {
    const started = await botThatWasAsked([ofUma, ofBo]);
    const [, newest] = (await started.store.turns.list(here.threadId, { limit: 2 })).map(
      ({ turnId }) => `turn ${turnId}`,
    );
    const wanted = newest ?? '';
    expect(textOf(await forget(started, wanted, bo))).toContain('Only those who may manage');
    const reply = await forget(started, wanted);
    expect(textOf(reply)).toContain('This would be deleted: 1 question, 1 answer');
    await confirm(started, reply);
    expect(await kept(started)).toEqual(['Bo', 'ben']);
    expect(textOf(await forget(started, wanted))).toContain('There is no turn');
    expect(textOf(await forget(started, 'turn'))).toContain('Give the id of the turn');
  });

  test('is a summary with all that it was made of, and that is said', async () => {
    const started = await botThatWasAsked([ofUma, ofBo]);
    await sumUp(started, 'Uma and Bo asked things.');
    const id = await idOf(started, 'asked things');
    const reply = await forget(started, id, channelManager);
    expect(textOf(reply)).toContain('2 questions, 2 answers, 1 summary made of them');
    expect(textOf(reply)).toContain(
      'Deleting a summary also deletes the questions it was made from',
    );
    await confirm(started, reply, channelManager);
    expect(await kept(started)).toEqual([]);
    expect(textOf(await memory(started))).toContain('Nothing is remembered');
  });

  test('is all that oneself has asked in the workspace, and nothing of others', async () => {
    const started = await botThatWasAsked([ofUma, ofBo, { ...ofUma, place: placeIn('d') }]);
    const reply = await forget(started, 'mine');
    expect(textOf(reply)).toContain(
      '2 questions, 2 answers, 0 summaries made of them, in 2 thread',
    );
    await confirm(started, reply);
    expect(await kept(started)).toEqual(['Bo', 'ben']);
    expect(await kept(started, placeIn('d').threadId)).toEqual([]);
    expect(textOf(await forget(started, 'mine'))).toContain('You asked for that a moment ago.');
    await confirm(started, await forget(started, 'mine', bo), bo);
    expect(textOf(await forget(started, 'mine', { ...bo, id: 'u3' }))).toContain(
      'There is nothing to forget.',
    );
    expect(await kept(started)).toEqual([]);
  });

  test.each(['me', 'my data', 'person <@u1>', '<@u1>'])(
    'is all that oneself has asked, also as “%s”, with a way to a copy and what stays posted',
    async (what) => {
      const started = await botThatWasAsked([ofUma, ofBo]);
      const reply = await forget(started, what);
      expect(textOf(reply)).toContain('This would be deleted: 1 question, 1 answer');
      expect(textOf(reply)).toContain('already posted stay until they are deleted there.');
      await confirm(started, reply);
      expect(await kept(started)).toEqual(['Bo', 'ben']);
    },
  );

  test('has a copy of all that oneself asked offered before', async () => {
    const started = await botThatWasAsked([ofUma]);
    const offered = choiceOf(await forget(started, 'mine'), 'Get a copy first');
    expect(parseCommandLine(offered, commands)).toMatchObject({
      command: 'export',
      options: { scope: 'mine' },
    });
  });

  test('is told on Discord to be that of one server, where direct messages are another', async () => {
    const started = await botThatWasAsked([ofUma]);
    const place = { ...here, platform: 'discord' };
    const zoe = { ...member, id: 'u3' };
    expect(textOf(await forget(started, 'mine', zoe, place))).toContain('so do direct messages');
  });

  test('is all that one person has asked in the workspace, at their request, for managers of it all', async () => {
    const started = await botThatWasAsked([ofUma, ofBo, { ...ofUma, place: placeIn('d') }]);
    const others = textOf(await forget(started, 'person <@u1>', channelManager));
    expect(others).toContain('Only those who may manage the whole server');
    expect(textOf(await forget(started, 'person Uma', serverManager))).toContain('with an @');
    const reply = await forget(started, 'person <@u1>', serverManager);
    expect(textOf(reply)).toContain('2 questions, 2 answers, 0 summaries made of them');
    await confirm(started, reply, serverManager);
    expect(await kept(started)).toEqual(['Bo', 'ben']);
    expect(await kept(started, placeIn('d').threadId)).toEqual([]);
  });

  test.each(['key:0a1b2c3d4e', 'local', 'imported'])(
    'is all that was asked by whom the shell calls “%s”',
    async (id) => {
      const started = await botThatWasAsked([{ ...ofUma, author: { ...bo, id } }, ofBo]);
      const refused = await forget(started, `person ${id}`, channelManager);
      expect(textOf(refused)).toContain('Only those who may manage the whole server');
      await confirm(started, await forget(started, `person ${id}`, serverManager), serverManager);
      expect(await kept(started)).toEqual(['Bo', 'ben']);
    },
  );

  test('says nothing of posts on the page, which has none', async () => {
    const started = await botThatWasAsked([ofUma]);
    const preview = await forget(started, 'mine', member, { ...here, platform: 'web' });
    expect(textOf(preview)).toContain('This can’t be undone.');
    expect(textOf(preview)).not.toContain('already posted');
  });

  test('is the thread that was shown, wherever the button is pressed', async () => {
    const started = await botThatWasAsked([
      { ...ofUma, place: inThread('old') },
      { ...ofBo, place: inThread('new') },
    ]);
    const reply = await forget(started, 'thread', channelManager, inThread('old'));
    expect(textOf(reply)).toContain('in this thread: https://test.example/test:w:c:old/');
    await confirm(started, reply, channelManager, inThread('new'));
    expect(await kept(started, 'test:w:c:old')).toEqual([]);
    expect(await kept(started, 'test:w:c:new')).toHaveLength(2);
  });

  test('is all of the channel, and nothing of the next', async () => {
    const started = await botThatWasAsked([
      ofUma,
      { ...ofBo, place: inThread('u') },
      { ...ofBo, place: placeIn('d') },
    ]);
    const reply = await forget(started, 'channel', channelManager);
    expect(textOf(reply)).toContain(
      '2 questions, 2 answers, 0 summaries made of them, in 2 thread',
    );
    await confirm(started, reply, channelManager);
    expect(textOf(await memory(started))).toContain('Nothing is remembered');
    expect(await kept(started, placeIn('d').threadId)).toHaveLength(2);
  });

  test('takes its pin along', async () => {
    const started = await botThatWasAsked([ofUma, ofBo]);
    const id = await idOf(started, 'harbour');
    await memory(started, { do: 'pin', what: id }, channelManager);
    await confirm(started, await forget(started, id));
    const [settings = {}] = await started.store.settings.read(['channel:test:w:c']);
    expect(Object.keys(settings)).toEqual([]);
  });
});

describe('what is pinned', () => {
  /** What the channel keeps of pins. */
  const pinsOf = async ({ store }: TestBot) => (await store.settings.read(['channel:test:w:c']))[0];

  test('goes with what it was made of, wherever that is forgotten, and leaves no id', async () => {
    const started = await botThatWasAsked([ofUma, ofBo]);
    await memory(started, { do: 'pin', what: await idOf(started, 'harbour') }, channelManager);
    await memory(started, { do: 'pin', what: await idOf(started, 'bakes') }, channelManager);
    const elsewhere = placeIn('d');
    await confirm(started, await forget(started, 'mine', member, elsewhere), member, elsewhere);
    expect(Object.keys((await pinsOf(started)) ?? {})).toHaveLength(1);
    expect(textOf(await memory(started))).toContain('· pinned');
  });

  test('stays for the rest of what a summary was made of', async () => {
    const started = await botThatWasAsked([ofUma, ofBo]);
    const { store } = started;
    const shard = await sumUp(started, 'Uma and Bo asked things.');
    const id = await idOf(started, 'asked things');
    await memory(started, { do: 'pin', what: id }, channelManager);
    await confirm(started, await forget(started, 'mine'));
    const kept = JSON.stringify(await pinsOf(started));
    expect(kept).not.toContain(shard.sourceIds[0]);
    expect(kept).toContain(shard.sourceIds[2]);
    const sourceIds = shard.sourceIds.slice(2);
    await store.memories.keepShard({ ...shard, id: 'anew', text: 'Bo asked.', sourceIds });
    expect(textOf(await memory(started))).toMatch(/· pinned\\n“Bo asked\.”/);
  });

  test('goes with its workspace', async () => {
    const started = await botThatWasAsked([ofUma]);
    await memory(started, { do: 'pin', what: await idOf(started, 'harbour') }, channelManager);
    const subject = { kind: 'workspace', workspace: 'test:w' } as const;
    await forgettingIn(started.store).forget(subject, new AbortController().signal);
    expect(await pinsOf(started)).toEqual({});
    expect((await started.store.settings.read(['channels:workspace:test:w']))[0]).toEqual({});
  });
});

describe('what people have set for themselves', () => {
  const settingsOf = ({ store }: TestBot) =>
    store.settings.read(['person:test:w:u1', 'channels:workspace:test:w']);

  test.each([
    ['person', { kind: 'person', workspace: 'test:w', personId: member.id }],
    ['workspace', { kind: 'workspace', workspace: 'test:w' }],
  ] as const)('goes with the %s, and leaves no name and no id', async (_, subject) => {
    const started = await botThatWasAsked([ofUma]);
    await command(started.bot, 'config', { change: 'mine set notify yes' });
    expect(JSON.stringify(await settingsOf(started))).toContain('Uma (u1)');
    await forgettingIn(started.store).forget(subject, new AbortController().signal);
    expect(await settingsOf(started)).toEqual([{}, {}]);
  });
});

describe('forgetting is refused', () => {
  test.each([
    ['of what others have asked', 'one', 'what others have asked'],
    ['of a thread', 'thread', 'can have a whole thread forgotten'],
    ['of a channel', 'channel', 'can have all of it forgotten'],
  ])('to members, %s, confirmed or not', async (_, what, why) => {
    const started = await botThatWasAsked([ofBo]);
    await sumUp(started, 'Bo asked.');
    for (const part of ['bakes', 'Bo asked.']) {
      const wanted = what === 'one' ? await idOf(started, part) : what;
      for (const isConfirmed of [false, true]) {
        const options = { do: 'forget', what: wanted, confirm: isConfirmed };
        expect(textOf(await memory(started, options))).toContain(why);
      }
    }
    expect(await kept(started)).toHaveLength(2);
  });

  test('of a summary that others had a part in, but not of one’s own', async () => {
    const started = await botThatWasAsked([ofUma]);
    await sumUp(started, 'Uma asked.');
    expect(textOf(await forget(started, await idOf(started, 'Uma asked.')))).toContain(
      'This would be deleted: 1 question',
    );
  });

  test.each([
    ['another channel', placeIn('d')],
    ['another workspace', placeIn('c', 'v')],
    ['a private thread', { ...inThread('hidden'), isPrivate: true }],
  ])('of %s, in the words for what never was', async (_, place) => {
    const open = { ...here, isPrivate: false };
    const there = { isPrivate: true, ...place };
    const started = await botThatWasAsked([
      { ...ofUma, place: there },
      { ...ofBo, place: open },
    ]);
    const id = await idOf(started, 'harbour', there);
    const reply = textOf(await forget(started, id, channelManager, open));
    expect(reply.replace(id, '0123456789')).toBe(
      textOf(await forget(started, '0123456789', channelManager, open)),
    );
    const thread = there.threadId.split(':').at(-1) ?? '';
    if (thread !== 't') {
      const named = await forget(started, `thread ${thread}`, channelManager, open);
      expect(textOf(named)).toContain('There is no such thread here');
    }
    expect(await kept(started, there.threadId)).toHaveLength(2);
  });

  test('of what others said in another channel that memory reaches, but not of one’s own', async () => {
    const settings = { ...fileSettings, memoryReach: 'workspace' } as const;
    const place = { ...placeIn('d'), isPrivate: false };
    const started = await botThatWasAsked(
      [
        { ...ofUma, place },
        { ...ofBo, place },
      ],
      { settings },
    );
    const open = { ...here, isPrivate: false };
    const id = async (part: string) => idOf(started, part, open);
    expect(textOf(await forget(started, await id('bakes'), channelManager, open))).toContain(
      'That was said in another channel.',
    );
    expect(textOf(await forget(started, await id('harbour'), member, open))).toContain(
      'This would be deleted: 1 question',
    );
  });

  test.each([[''], ['all'], ['Everything'], ['mine now'], ['thread a b'], ['one two']])(
    'for “%s”, with what is expected',
    async (what) => {
      const started = await botThatWasAsked([ofUma]);
      expect(textOf(await forget(started, what, channelManager))).toMatch(
        /Say what to forget.*with their id once they have left/,
      );
      expect(entriesOf(await memory(started))).toHaveLength(2);
    },
  );
});

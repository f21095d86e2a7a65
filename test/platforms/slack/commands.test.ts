import { describe, expect, test, vi } from 'vitest';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import { hang } from '../../fakes/scripted-model.ts';
import { usualScopes } from '../../fakes/slack/world/app.ts';
import { startListening, turnOf } from './listening.ts';

const slowBen = () => scriptedModels({ sages: { ben: Array.from({ length: 20 }, () => hang) } });
const quickBen = () =>
  scriptedModels({ sages: { ben: Array.from({ length: 20 }, () => answer('No.')) } });

const minutesOfBen = JSON.stringify({
  question: 'Why?',
  options: [],
  positions: [{ said: 2, position: 'Because.' }],
  decision: { status: 'none', text: '', said: 0 },
  rationale: '',
  dissent: [],
  open_questions: [],
  actions: [],
});

describe('/council in Slack', () => {
  test('ask puts the question where all can see who asks, and the thread opens on it', async () => {
    const { slack, ada, channel, taken, untilTaken, privately } = await startListening({
      models: quickBen(),
    });
    const given = await ada.commands(channel, '/council ask Ben: why not? depth:quick');
    expect(given.status).toBe('acknowledged');
    await untilTaken(1);
    const [asked] = slack.appMessages();
    expect(asked?.text).toBe(`<@${ada.user.id}> asks the council:\n\nBen: why not?`);
    expect(asked?.ephemeralFor).toBeUndefined();
    expect(taken[0]?.request).toMatchObject({
      threadId: `slack:${slack.workspace.id}:${channel.id}:${asked?.ts}`,
      question: 'Ben: why not?',
      depth: 'quick',
      author: { id: ada.user.id, name: 'ada' },
    });
    await slack.until(() => privately(ada).length > 0, 'that it was taken');
    expect(privately(ada)).toEqual(['The council is being seated.']);
  });

  test('ask makes a thread of the council, in which every message is a follow-up', async () => {
    const { slack, ada, bob, channel, taken, untilTaken } = await startListening({
      models: quickBen(),
    });
    await ada.commands(channel, '/council ask Ben: why not?');
    await untilTaken(1);
    const thread = slack.appMessages()[0]?.ts ?? '';
    await bob.says(channel, 'Ben: and then?', { thread });
    await untilTaken(2);
    expect(taken[1]?.request).toMatchObject({
      threadId: taken[0]?.request.threadId,
      author: { id: bob.user.id },
    });
  });

  test('ask waits for Slack where it takes no more for a moment, and loses no question', async () => {
    const { slack, ada, channel, taken, untilTaken } = await startListening({ models: quickBen() });
    slack.faults.plan('chat.postMessage', { kind: 'rate limit', retryAfterSeconds: 1 });
    await ada.commands(channel, '/council ask Ben: one?');
    await untilTaken(1);
    expect(slack.appMessages()[0]?.text).toContain('Ben: one?');
    expect(taken[0]?.asked.status).toBe('accepted');
  });

  test.each(['silence after processing', 'drop', 'drop after processing'] as const)(
    'ask says the question once, though Slack does not tell that it did: %s',
    async (kind) => {
      const { slack, ada, channel, taken, untilTaken } = await startListening({
        models: quickBen(),
      });
      slack.faults.plan('chat.postMessage', { kind });
      await ada.commands(channel, '/council ask Ben: once?');
      await untilTaken(1);
      const said = slack.appMessages().filter(({ ephemeralFor }) => !ephemeralFor);
      expect(said.map(({ text }) => text)).toEqual([
        `<@${ada.user.id}> asks the council:\n\nBen: once?`,
      ]);
      expect(taken[0]?.request.threadId.endsWith(`:${said[0]?.ts}`)).toBe(true);
    },
  );

  test('ask puts its question again where Slack does not answer and the app may read nothing', async () => {
    const { slack, ada, channel, taken, untilTaken } = await startListening({
      models: quickBen(),
    });
    slack.setScopes(usualScopes.filter((scope) => scope !== 'channels:history'));
    slack.faults.plan('chat.postMessage', { kind: 'drop' });
    await ada.commands(channel, '/council ask Ben: still?');
    await untilTaken(1);
    expect(taken[0]?.asked.status).toBe('accepted');
    expect(slack.appMessages()[0]?.text).toContain('Ben: still?');
  });

  test('gives what is typed to every command as people wrote it, and ids where people are named', async () => {
    const { slack, ada, bob, channel, invocations, privately } = await startListening();
    const lines = [
      `memory search R&amp;D of <@${bob.user.id}|bob> at <https://a.example>`,
      `config set managers <@${bob.user.id}|bob>`,
      'config set criteria cost &amp; risk',
      `memory forget person <@${bob.user.id}|bob>`,
    ];
    for (const [index, line] of lines.entries()) {
      await ada.commands(channel, `/council ${line}`);
      await slack.until(() => privately(ada).length > index, line);
    }
    expect(invocations.map(({ options }) => options)).toEqual([
      { do: 'search', what: 'R&D of @\u2060bob at https://a.example' },
      { change: `set managers <@${bob.user.id}|bob>` },
      { change: 'set criteria cost & risk' },
      { do: 'forget', what: `person <@${bob.user.id}|bob>` },
    ]);
  });

  test('needs no verb for what is plainly a question, and asks nothing by a mistake', async () => {
    const { slack, ada, channel, taken, untilTaken, privately } = await startListening({
      models: quickBen(),
    });
    for (const line of ['Ben: should we?', 'Ben: we should rewrite it now']) {
      await ada.commands(channel, `/council ${line}`);
    }
    await untilTaken(2);
    await ada.commands(channel, '/council recepit');
    await slack.until(() => privately(ada).length === 3, 'what was wrong');
    expect(privately(ada).at(-1)).toContain('Did you mean receipt?');
    await ada.commands(channel, '/council stop all of this now please');
    await slack.until(() => privately(ada).length === 4, 'what was wrong');
    expect(taken.map(({ request }) => request.question).toSorted()).toEqual([
      'Ben: should we?',
      'Ben: we should rewrite it now',
    ]);
  });

  test('alone is a wish for help, and sages tells who sits here, to no one else', async () => {
    const { slack, ada, bob, channel, privately } = await startListening();
    await ada.commands(channel, '/council');
    await slack.until(() => privately(ada).length === 1, 'help');
    expect(privately(ada)[0]).toContain('/council summon');
    await ada.commands(channel, '/council sages');
    await slack.until(() => privately(ada).length === 2, 'the sages');
    expect(privately(ada)[1]).toContain('Ben Sage');
    expect(privately(bob)).toEqual([]);
  });

  test('posts nothing of a question that is refused', async () => {
    const { slack, ada, channel, privately } = await startListening();
    await ada.commands(channel, `/council ask ${'x'.repeat(300)}`);
    await slack.until(() => privately(ada).length === 1, 'a refusal');
    expect(privately(ada)).toEqual([expect.stringContaining('the limit is 200')]);
    expect(slack.calls.filter(({ method }) => method === 'chat.postMessage')).toEqual([]);
  });

  test.each([
    { when: 'kept', isPosted: false, words: 'because of a fault in the program' },
    { when: 'begun', isPosted: true, words: 'Your question is saved' },
  ])('says what becomes of a question that can’t be $when', async ({ isPosted, words }) => {
    const { slack, ada, channel, privately } = await startListening({
      wrap: () => ({
        ask: async (request, open) => {
          if (isPosted) await open?.({ turnId: 'turn-1', ...request });
          throw new Error('The store is away.');
        },
      }),
    });
    await ada.commands(channel, '/council ask Ben: why?');
    await slack.until(() => privately(ada).length === 1, 'the failure');
    expect(privately(ada)[0]).toContain(words);
    const posted = slack.appMessages().filter(({ ephemeralFor }) => !ephemeralFor);
    expect(posted).toHaveLength(isPosted ? 1 : 0);
  });

  test('says how it is invited where it is not', async () => {
    const { slack, ada, privately, taken } = await startListening();
    slack.setScopes(['commands', 'chat:write', 'users:read']);
    const secret = await slack.addChannel('secret', { isPrivate: true, hasApp: false });
    await ada.commands(secret, '/council ask Ben: here?');
    await slack.until(
      () => slack.messages(secret).some(({ text }) => text.includes('/invite')),
      'what to do',
    );
    expect(privately(ada)).toEqual([]);
    expect(taken).toEqual([]);
  });

  test.each([
    'restricted_action',
    'restricted_action_read_only_channel',
    'restricted_action_thread_only_channel',
  ])('asks for no invitation where only some may post: %s', async (error) => {
    const { slack, ada, channel, privately } = await startListening();
    slack.faults.plan('chat.postMessage', { kind: 'refusal', error });
    await ada.commands(channel, '/council ask Ben: here?');
    await slack.until(() => privately(ada).length === 1, 'why not');
    expect(privately(ada)[0]).toContain('I may not post in the channel');
  });

  test('makes nothing live of what someone asks, whatever they are called', async () => {
    const { slack, channel, untilTaken } = await startListening({ models: quickBen() });
    const mallory = slack.addMember('<!channel> *Boss*');
    slack.changeChannel(channel, { members: new Set([...channel.members, mallory.user.id]) });
    const mean = 'Ben: <!channel> &lt;@U1&gt; [x](https://evil.example)?';
    await mallory.commands(channel, `/council ask ${mean}`);
    await untilTaken(1);
    const [asked] = slack.appMessages();
    // In rich text nothing is read as marks; everywhere else it would be.
    const markdown = asked?.blocks.filter(({ type }) => type !== 'rich_text');
    const posted = slack.calls.find(({ method }) => method === 'chat.postMessage');
    expect(markdown).toHaveLength(1);
    expect(JSON.stringify([markdown, posted?.args.text])).not.toMatch(/<[!@]/);
    expect(asked?.text).toContain('(evil.example)');
  });

  test('stop ends the last question of the person in that channel, though Slack names no thread', async () => {
    const { slack, ada, bob, channel, taken, untilTaken, privately, store } = await startListening({
      models: slowBen(),
    });
    await ada.mentions(channel, 'Ben: why?');
    await untilTaken(1);
    await bob.commands(channel, '/council stop');
    await slack.until(() => privately(bob).length === 1, 'that there is none');
    expect(privately(bob)[0]).toContain('You have nothing running');
    await ada.commands(channel, '/council stop');
    await slack.until(() => privately(ada).length === 1, 'that it was stopped');
    expect(privately(ada)[0]).toContain('Stopped one question');
    const turn = turnOf(taken[0]);
    await vi.waitFor(async () =>
      expect(await store.turns.read(turn)).toMatchObject({ outcome: 'stopped' }),
    );
    await ada.commands(channel, '/council receipt');
    await slack.until(() => privately(ada).length === 2, 'the receipt');
    expect(privately(ada)[1]).toContain(turn.turnId);
  });

  test.each(['again ben', 'again --sage ben'])(
    '%s asks about the last question of the person, though Slack names no thread',
    async (command) => {
      const { slack, ada, channel, taken, untilTaken, privately, store } = await startListening({
        models: scriptedModels({ sages: { ben: [answer('Because.'), answer('As I said.')] } }),
      });
      await ada.mentions(channel, 'Ben: why?');
      await untilTaken(1);
      const { threadId } = turnOf(taken[0]);
      const outcomes = async () =>
        (await store.turns.list(threadId, { limit: 9 })).map(({ status }) => status);
      await vi.waitFor(async () => expect(await outcomes()).toEqual(['ended']));
      await ada.commands(channel, `/council ${command}`);
      await slack.until(() => privately(ada).length === 1, 'that it was taken');
      await vi.waitFor(async () => expect(await outcomes()).toEqual(['ended', 'ended']));
    },
  );

  test('minutes are posted for everybody, in the thread that the person asked in last', async () => {
    const { slack, ada, channel, taken, untilTaken, privately, store } = await startListening({
      models: scriptedModels({
        sages: { ben: [answer('Because.')] },
        chair: ['ada asked why. Ben Sage: because.', minutesOfBen],
      }),
    });
    await ada.mentions(channel, 'Ben: why?');
    await untilTaken(1);
    const turn = turnOf(taken[0]);
    await vi.waitFor(async () =>
      expect(await store.turns.read(turn)).toMatchObject({ outcome: 'answered' }),
    );
    await ada.commands(channel, '/council minutes');
    await slack.until(() => privately(ada).length === 1, 'that they are posted');
    expect(privately(ada)[0]).toContain('posted in the thread');
    const posted = slack.appMessages().filter(({ ephemeralFor }) => ephemeralFor === undefined);
    const thread = taken[0]?.request.threadId.split(':').at(-1);
    expect(posted.map(({ threadTs }) => threadTs)).toEqual(posted.map(() => thread));
    expect(JSON.stringify(posted)).toContain('Minutes of');
  });

  test('tells someone who manages the workspace what is lacking, and no one else', async () => {
    const notices = ['The sages lack names.'];
    const { slack, ada, boss, channel, privately } = await startListening({
      noticeFor: () => notices.pop(),
    });
    await ada.commands(channel, '/council help');
    await boss.commands(channel, '/council help');
    await slack.until(() => privately(boss).length === 2, 'the notice');
    await slack.until(() => privately(ada).length > 0, 'the help');
    expect(privately(boss)[1]).toBe('The sages lack names.');
    expect(privately(ada)).toHaveLength(1);
  });

  test.each([
    [30, 'a minute'],
    [90, '2 minutes'],
    [3600, 'an hour'],
  ])('tells a person that Slack looks nothing up for %i s', async (retryAfterSeconds, wait) => {
    const { slack, ada, channel, privately, log } = await startListening();
    slack.faults.plan('users.info', { kind: 'rate limit', retryAfterSeconds });
    await ada.commands(channel, '/council sages');
    await slack.until(() => privately(ada).length === 1, 'the failure');
    expect(privately(ada)[0]).toContain(`Try again in ${wait}.`);
    expect(log.filter((line) => line.startsWith('error'))).toHaveLength(1);
  });
});

describe('“Ask the council” on a message', () => {
  test('asks about it in its thread, and says there who does', async () => {
    const { slack, ada, bob, channel, taken, untilTaken } = await startListening({
      models: quickBen(),
    });
    const said = await ada.says(channel, 'We ship on Friday, &amp; never on Monday');
    await bob.usesShortcut('ask_council', said);
    await slack.until(() => bob.modal() !== undefined, 'the modal');
    await bob.submits({ question: 'Ben: is that wise?' });
    await untilTaken(1);
    expect(taken[0]?.request).toMatchObject({
      question: expect.stringMatching(
        /^Ben: is that wise\?\n\nAbout what ada wrote \(https:.*\)\.$/,
      ),
      heard: { messages: [{ text: 'We ship on Friday, & never on Monday', isMeant: true }] },
      threadId: `slack:${slack.workspace.id}:${channel.id}:${said.ts}`,
      author: { id: bob.user.id },
    });
    expect(slack.thread(channel, said.ts)[1]?.text).toContain(
      `<@${bob.user.id}> asks the council:\n\nBen: is that wise?\n\nAbout what ada wrote`,
    );
  });

  test('opens its form before Slack has said who wrote the message', async () => {
    const { slack, ada, bob, channel, taken, untilTaken } = await startListening({
      models: quickBen(),
    });
    const said = await ada.says(channel, 'We ship on Friday');
    slack.faults.decide(({ method }) => {
      if (method === 'users.info') slack.clock.advance(4000);
      return undefined;
    });
    await bob.usesShortcut('ask_council', said);
    await slack.until(() => bob.modal() !== undefined, 'the modal');
    await bob.submits({ question: 'Ben: is that wise?' });
    await untilTaken(1);
    expect(taken[0]?.request).toMatchObject({
      question: expect.stringContaining('About what ada wrote'),
      heard: { messages: [{ text: 'We ship on Friday', isMeant: true }] },
    });
  });

  test('stays in the thread that the message is in', async () => {
    const { ada, bob, channel, taken, untilTaken } = await startListening({ models: quickBen() });
    const { thread } = await ada.says(channel, 'Friday?');
    const said = await bob.says(channel, 'Ben: why Friday', { thread });
    await bob.usesShortcut('ask_council', said);
    await untilTaken(1);
    expect(taken[0]?.request.question).toBe('Ben: why Friday');
    expect(taken[0]?.request.threadId.endsWith(`:${thread}`)).toBe(true);
  });

  test('finds nothing to think about in a message without words', async () => {
    const { slack, ada, bob, channel, taken, privately } = await startListening();
    const said = await ada.says(channel, '  ');
    await bob.usesShortcut('ask_council', said);
    await slack.until(() => privately(bob).length === 1, 'why not');
    expect(privately(bob)[0]).toContain('no words');
    expect(taken).toEqual([]);
  });

  test('says of a clip without words that it can’t be listened to', async () => {
    const { slack, ada, channel, taken, privately } = await startListening();
    const files = [{ name: 'clip.mp4', bytes: Buffer.from('…') }];
    const said = await ada.says(channel, '', { files });
    await ada.usesShortcut('ask_council', said);
    await slack.until(() => privately(ada).length === 1, 'why not');
    expect(privately(ada)[0]).toContain('can’t listen to voice messages');
    expect(taken).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import type { WebTurn } from '../../../../src/platforms/web/web-council.ts';
import { askedTurn, openWeb, v1Limits } from '../web-world.ts';
import { all } from './pieces.ts';
import { answered, asking, key, post } from './programs.ts';

/** {@link answered}, asked by a program. */
const ofProgram: WebTurn = {
  ...answered,
  past: { ...answered.past, request: { ...answered.past.request, isPrivateThread: true } },
};

const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('a question of a program', () => {
  test('has a thread of its own each time, which no other thread recalls', async () => {
    const world = await openWeb([answered]);
    await post(world, asking('Should we hire?'));
    await post(world, asking('Should we hire?'));
    const [one, other] = world.asked;
    expect(one?.threadId).not.toBe(other?.threadId);
    expect(one).toMatchObject({
      isPrivate: true,
      isPrivateThread: true,
      question: 'Should we hire?',
    });
    expect(one?.heard).toBeUndefined();
  });

  test('goes on in the chat that its program names, which remembers what was said', async () => {
    const world = await openWeb([ofProgram]);
    const history = [
      { role: 'user', content: 'Should we hire?' },
      { role: 'assistant', content: 'Not yet.' },
    ];
    for (const headers of [{ 'x-openwebui-chat-id': 'c-1' }, { 'x-session-id': 'turn-1' }]) {
      await post(world, asking('And when?', ...history), headers);
    }
    await post(world, asking('Hi'), { 'x-session-id': 'übel/../ :' });
    await post(world, asking('Hi'), { 'x-session-id': '' });
    const [first, second, odd, none] = world.asked;
    expect(none?.threadId).toMatch(/^web:local:council:[0-9a-f-]{36}$/);
    expect(first?.threadId).toBe('web:local:council:c-1');
    expect(second?.threadId).toBe(answered.threadId);
    // Of the first chat the council knows nothing: it may have begun with another model.
    expect(first?.heard?.messages.map(({ text }) => text)).toEqual(['Should we hire?', 'Not yet.']);
    expect(second?.heard).toBeUndefined();
    expect(odd?.threadId).toMatch(/^web:local:council:[0-9a-f]{64}$/);
  });

  test('is heard with what its chat said to other models, and what the council said is not read again', async () => {
    const world = await openWeb([ofProgram]);
    const before = ['Ann leads us.', 'Noted.', 'About turn-1?', 'Not yet.', 'Ann has left.', 'Oh.'];
    const history = before.map((content, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content,
    }));
    await post(world, asking('And when?', ...history), { 'x-session-id': 'turn-1' });
    const [asked] = world.asked;
    expect(asked?.threadId).toBe(answered.threadId);
    expect(asked?.heard?.messages.map(({ text }) => text)).toEqual([
      ...['Ann leads us.', 'Noted.', 'Ann has left.', 'Oh.'],
    ]);
  });

  test('has a thread of its own for each model, where a chat asks several at once', async () => {
    const world = await openWeb([answered]);
    const models = ['council', 'council-deep', 'council/hiring', 'council-deep'];
    for (const model of models)
      await post(world, { ...asking('Should we hire?'), model }, { 'x-session-id': 'c-1' });
    const [first, deep, hiring, again] = world.asked.map(({ threadId }) => threadId);
    expect(first).toBe('web:local:council:c-1');
    expect(new Set([first, deep, hiring]).size).toBe(3);
    expect(again).toBe(deep);
  });

  // LibreChat names each new chat like this, Open WebUI each temporary one of a browser tab.
  test.each(['new', 'local:hVx1Bq', '{{LIBRECHAT_BODY_CONVERSATIONID}}'])(
    'has a thread of its own where several chats share the name: %s',
    async (chat) => {
      const world = await openWeb([answered]);
      for (const question of ['What do I earn?', 'Why?'])
        await post(world, asking(question), { 'x-session-id': chat });
      const threads = new Set(world.asked.map(({ threadId }) => threadId));
      expect(threads.size).toBe(2);
    },
  );

  test('goes on apart in a chat that began with another key, of which it learns nothing', async () => {
    const turn: WebTurn = { ...answered, threadId: 'web:acme:council:t' };
    const theirs = { ...askedTurn('turn-0', 'acme'), threadId: 'web:acme:council:chat' };
    const request = { ...theirs.past.request, isPrivateThread: true as const };
    const world = await openWeb([turn, { ...theirs, past: { ...theirs.past, request } }], {
      keyed: { ck_1: key },
    });
    const headers = { authorization: 'Bearer ck_1', 'x-session-id': 'chat' };
    expect((await post(world, asking('And when?'), headers)).status).toBe(200);
    await post(world, asking('And why?'), headers);
    const [one, other] = world.asked;
    expect(one?.threadId).toMatch(/^web:acme:council:[0-9a-f]{64}$/);
    expect(other?.threadId).toBe(one?.threadId);
  });

  test.each([
    ['by its id', { previous_response_id: 'resp_turn-1' }, []],
    [
      'by references to what it said, as the AI SDK does',
      {},
      [
        { role: 'user', content: 'Should we hire?' },
        { type: 'item_reference', id: 'rs_turn-1' },
        { type: 'item_reference', id: 'msg_turn-1' },
      ],
    ],
  ])('goes on from a response %s, with all that is new', async (_, fields, before) => {
    const world = await openWeb([ofProgram]);
    const input = [
      { role: 'developer', content: 'Answer in French.' },
      ...before,
      { role: 'user', content: 'Ann has left.' },
      { role: 'user', content: 'And when?' },
    ];
    expect((await post(world, { ...fields, input }, {}, '/v1/responses')).status).toBe(200);
    const [asked] = world.asked;
    expect(asked).toMatchObject({ threadId: answered.threadId, question: 'And when?' });
    expect(asked?.instructions).toBe('Answer in French.');
    expect(asked?.heard?.messages.map(({ text }) => text)).toEqual(['Ann has left.']);
  });

  test('brings what was said before it, and what the program tells every model', async () => {
    const world = await openWeb([answered]);
    const before = [
      { role: 'system', content: 'Answer in French.' },
      { role: 'user', content: 'My name is Alice.' },
      { role: 'assistant', content: 'Hello Alice.', reasoning_content: 'Long thoughts.' },
    ];
    await post(world, asking('What is my name?', ...before));
    const [asked] = world.asked;
    expect(asked?.question).toBe('What is my name?');
    expect(asked?.instructions).toBe('Answer in French.');
    const heard = asked?.heard?.messages.map(({ author, text }) => `${author.name}: ${text}`);
    expect(heard).toEqual(['You: My name is Alice.', 'Assistant: Hello Alice.']);
    expect(JSON.stringify(asked)).not.toContain('Long thoughts.');
  });

  test('brings pictures, which the platform opens while they are kept', async () => {
    const world = await openWeb([answered]);
    const parts = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: png } },
      { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
      { type: 'image_url', image_url: { url: 'file:///etc/passwd' } },
    ];
    await post(world, asking(parts));
    const sources = world.asked[0]?.heard?.messages[0]?.sources ?? [];
    expect(sources).toMatchObject([
      { status: 'pointed', kind: 'file' },
      { status: 'pointed', kind: 'page', address: 'https://example.org/a.png' },
      { status: 'unread', kind: 'file', name: 'the picture' },
    ]);
    const [picture] = sources;
    const address = picture?.status === 'pointed' ? picture.address : '';
    const { signal } = new AbortController();
    const opened = await world.web.openFile('web:local:council', address, signal);
    if (opened.status !== 'open') throw new Error(opened.why);
    const bytes = Buffer.concat(await all(opened.stream));
    expect(bytes.toString('base64')).toBe(png.split(',')[1]);
    expect(await world.web.openFile('web:local:council', 'other', signal)).toMatchObject({
      status: 'withheld',
    });
  });

  test('brings a file whose content is base64 without an address before it', async () => {
    const world = await openWeb([answered]);
    const file_data = Buffer.from('Rent: 900.').toString('base64');
    const file = { type: 'file', file: { filename: 'rent.txt', file_data } };
    await post(world, asking([{ type: 'text', text: 'Should we sign?' }, file]));
    const [sent] = world.asked[0]?.heard?.messages[0]?.sources ?? [];
    expect(sent).toMatchObject({ status: 'pointed', kind: 'file', name: 'rent.txt' });
    const address = sent?.status === 'pointed' ? sent.address : '';
    const opened = await world.web.openFile('web', address, new AbortController().signal);
    if (opened.status !== 'open') throw new Error(opened.why);
    expect(`${Buffer.concat(await all(opened.stream))}`).toBe('Rent: 900.');
  });

  test.each([
    ['/v1/chat/completions', 'messages', { type: 'file', file: { file_id: 'file-1' } }],
    ['/v1/responses', 'input', { type: 'input_image', file_id: 'file-1' }],
  ])('says which files came without their content: %s', async (path, field, part) => {
    const world = await openWeb([answered]);
    const send = (content: readonly object[]) =>
      post(world, { [field]: [{ role: 'user', content }] }, {}, path);
    await send([{ type: 'text', text: 'What is this?' }, part]);
    expect(world.asked[0]?.heard?.messages[0]?.sources).toMatchObject([
      { status: 'unread', kind: 'file', why: 'its content was not sent' },
    ]);
    expect((await send([part])).status).toBe(400);
  });

  test('may be longer than a question: it is read whole, and its end is what is asked', async () => {
    const world = await openWeb([answered]);
    const documents = 'A report. '.repeat(2000);
    await post(world, asking(`${documents}\n\nShould we hire?`));
    const [asked] = world.asked;
    expect(asked?.question).toHaveLength(6000);
    expect(asked?.question.endsWith('Should we hire?')).toBe(true);
    expect(asked?.heard?.messages[0]?.sources).toMatchObject([
      { status: 'read', name: 'message.txt', text: expect.stringMatching(/^A report\./) },
    ]);
  });

  test('comes with long instructions as a document, e.g. files that the program puts before its own', async () => {
    const world = await openWeb([answered]);
    const told = `${'A report. '.repeat(2000)}\n\nAnswer in French.`;
    await post(world, asking('Should we hire?', { role: 'system', content: told }));
    const [asked] = world.asked;
    expect(asked?.instructions).toHaveLength(v1Limits.contextChars);
    expect(asked?.heard?.messages[0]?.sources).toMatchObject([{ status: 'read', text: told }]);
  });

  test('comes with the whole of a long answer that another model gave before', async () => {
    const world = await openWeb([answered]);
    const plan = `${'A step of the plan. '.repeat(300)}At the end: hire Ann.`;
    await post(world, asking('Is this plan good?', { role: 'assistant', content: plan }));
    const [said] = world.asked[0]?.heard?.messages ?? [];
    expect(said).toMatchObject({ author: { name: 'Assistant' }, sources: [{ text: plan }] });
  });

  test('comes with long messages before it as documents, as far as there is room for them', async () => {
    const world = await openWeb([answered]);
    const file = (name: string) => `${name}\n${'code; '.repeat(4000)}`;
    const before = [
      { role: 'user', content: file('old.ts') },
      { role: 'user', content: file('new.ts') },
      { role: 'assistant', content: 'Ok.' },
    ];
    await post(world, asking('What is wrong?', ...before));
    const [older, newer, ok] = world.asked[0]?.heard?.messages ?? [];
    expect(ok?.text).toBe('Ok.');
    expect(newer?.sources).toMatchObject([{ text: file('new.ts').trim() }]);
    expect(older?.sources).toMatchObject([
      { text: expect.stringMatching(/^old\.ts/), isCut: true },
    ]);
    const sources = [older, newer].flatMap((message) => message?.sources ?? []);
    const chars = sources.map((one) => (one.status === 'read' ? one.text.length : 0));
    expect(chars.reduce((sum, count) => sum + count, 0)).toBe(v1Limits.sourceChars);
  });
});

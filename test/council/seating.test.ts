import { describe, expect, test } from 'vitest';
import type { TurnEvent } from '../../src/council/events.ts';
import { seatCouncil } from '../../src/council/seating.ts';
import type { Sage, Seated } from '../../src/domain/turn.ts';
import { ModelError } from '../../src/models/chat-model.ts';
import { hang, type Line } from '../fakes/scripted-model.ts';
import {
  answer,
  council,
  only,
  request,
  run,
  scriptedModels,
  seating,
  verdict,
} from './scripted-council.ts';

const serverDown = new ModelError('The server is down.', {
  ...{ failure: 'server_error', model: 'test:moderator' },
});

async function seat(reply: Line, changes: Partial<typeof council> = {}) {
  return seatCouncil({
    request,
    council: { ...council, ...changes },
    context: { forSages: [], forChair: [], forReviewers: [] },
    models: scriptedModels({ moderator: [reply, reply, reply] }),
    signal: new AbortController().signal,
    onSeat: () => undefined,
  });
}

const keysOf = (seated: Awaited<ReturnType<typeof seat>>) =>
  seated.seats.map(({ sage }) => sage.key);

describe('the moderator', () => {
  test('seats whom it names, in that order, with the focus of each', async () => {
    const seated = await seat(seating(['ben', 'ada'], { ada: 'What breaks first?' }));
    expect(seated).toMatchObject({ how: 'moderated', dropped: [] });
    expect(seated.seats.map(({ sage, focus }) => [sage.key, focus])).toEqual([
      ['ben', undefined],
      ['ada', 'What breaks first?'],
    ]);
  });

  test('gives no focus that goes on for longer than it may, and of several sentences those that fit', async () => {
    const long = `Is there ${'a cheaper and smaller way and '.repeat(5)}another one?`;
    const many = `What breaks first? ${long}`;
    const seated = await seat(seating(['ada', 'ben'], { ada: long, ben: many }));
    expect(seated.seats.map(({ focus }) => focus)).toEqual([undefined, 'What breaks first?']);
  });

  test.each([
    ['ada', 'ada'],
    ['Ben Sage', 'ben'],
    ['', undefined],
    ['key', undefined],
    ['dan', undefined],
  ])('says with “%s” that %s argues on request', async (on_request, onRequest) => {
    const reply = { ...JSON.parse(seating(['ben', 'ada'])), on_request };
    const seated = await seat(JSON.stringify(reply));
    expect(seated.onRequest).toBe(onRequest);
  });

  test('gives an invented sage room for the four sentences that say who it is', async () => {
    const description = 'You look first at what is easily overlooked, and at whom it costs. '
      .repeat(10)
      .trim();
    const seated = await seat(seating([], {}, [{ name: 'Gardener', description }]));
    expect(seated.seats[0]?.sage.description).toBe(description);
  });

  test('may leave the focus out', async () => {
    const reply = JSON.stringify({ predefined_chosen_sages: ['ada'], new_sages_to_create: [] });
    expect(keysOf(await seat(reply))).toEqual(['ada']);
  });

  test('knows a sage by its name too, and seats one named twice once', async () => {
    expect(keysOf(await seat(seating(['Ada Sage', 'ada', 'ADA'])))).toEqual(['ada']);
  });

  test('drops who is not on the bench and says so', async () => {
    const seated = await seat(seating(['ada', 'zoe']));
    expect(keysOf(seated)).toEqual(['ada']);
    expect(seated.dropped).toEqual([{ name: 'zoe', why: 'not on the bench' }]);
  });

  test('cuts too many to the limit and names those who were left out', async () => {
    const seated = await seat(seating(['ada', 'ben', 'cleo', 'dan', 'eve']));
    expect(keysOf(seated)).toEqual(['ada', 'ben', 'cleo', 'dan']);
    expect(seated.dropped).toEqual([{ name: 'Eve Sage', why: 'at most 4 sages are seated here' }]);
  });

  test('invents as many sages as are allowed, with a name of one line', async () => {
    const added = [
      { name: 'The\nfinancial expert', description: 'Personal finance.' },
      { name: 'Another', description: 'More.' },
    ];
    const seated = await seat(seating(['ada'], {}, added));
    expect(seated.seats[1]?.sage).toMatchObject({
      name: 'The financial expert',
      source: 'dynamic',
    });
    expect(seated.dropped).toEqual([
      { name: 'Another', why: 'at most 1 new sages are allowed here' },
    ]);
  });

  test('takes an invented sage for the one of the bench that has its name', async () => {
    const seated = await seat(
      seating([], {}, [{ name: 'Ben Sage', description: 'Somebody else.' }]),
    );
    expect(seated.seats[0]?.sage).toMatchObject({ key: 'ben', source: 'predefined' });
  });

  test.each([
    ['a map', { focus: { ada: 'What breaks?' } }],
    ['one text', { focus: 'What breaks?', on_request: null }],
  ])('seats whom the moderator names where the focus is %s', async (_, more) => {
    const seated = await seat(JSON.stringify({ ...JSON.parse(seating(['ada', 'ben'])), ...more }));
    expect(seated.how).toBe('moderated');
    expect(keysOf(seated)).toEqual(['ada', 'ben']);
  });

  test.each<[string, Line, Seated['because'], string]>([
    ['names nobody', seating([]), 'named_nobody', 'The moderator named no one'],
    ['names only strangers', seating(['zoe']), 'named_nobody', 'The moderator named no one'],
    [
      'can not be understood',
      'I would ask Ada.',
      'not_understood',
      'could not be understood: its reply',
    ],
    ['fails', serverDown, 'failed', 'The moderator failed: The server is down.'],
  ])('gives way to the fallback council when it %s', async (_case, reply, because, note) => {
    const seated = await seat(reply);
    expect(seated).toMatchObject({ how: 'fallback', because });
    expect(keysOf(seated)).toEqual(['eve']);
    expect(seated.note).toContain(note);
  });
});

describe('a sage that the moderator invents', () => {
  const invent = (name: string) =>
    seat(seating(['ada'], {}, [{ name, description: 'Knows the server.' }]));

  test.each([
    ['S\u0435rver \u0410dmin', 'different scripts'],
    ['Verdict', 'in charge'],
    ['Adm1n', 'in charge'],
    ['Ｓｔａｆｆ', 'in charge'],
    ['@everyone', 'in charge'],
    ['Sage', 'taken for Ada Sage'],
    ['Z\u0335\u0336\u0337\u0338algo', 'may contain only'],
  ])('is dropped where its name misleads: %j', async (name, why) => {
    const seated = await invent(name);
    expect(keysOf(seated)).toEqual(['ada']);
    expect(seated.dropped).toEqual([{ name, why: expect.stringContaining(why) }]);
    // It is shown in brackets.
    expect(seated.dropped[0]?.why).not.toMatch(/\.$/);
  });

  test.each([
    ['Cost/Benefit Analyst (risk)', 'Cost Benefit Analyst risk'],
    ['\u202eSo\u00adcra\u200btes\u{E0041}', 'Socrates'],
    ['Ｏｍａ Ｅｒｎａ', 'Oma Erna'],
    [
      'A specialist for the long term maintenance of old bridges',
      'A specialist for the long term maintenance of old',
    ],
    ['Bakery owner', 'Bakery expert'],
    ['Staff nurse', 'Expert nurse'],
    ['Server \u0410dmin', 'Server expert'],
  ])('sits under a mended name where only the form was wrong: %j', async (given, name) => {
    const seated = await invent(given);
    expect(seated.seats[1]?.sage).toMatchObject({ name, source: 'dynamic' });
  });

  test('keeps the focus that was written for the name it was given', async () => {
    const name = 'A specialist for the long term maintenance of old bridges';
    const added = [{ name, description: 'Bridges.' }];
    const seated = await seat(seating([], { [name]: 'What rusts?' }, added));
    expect(seated.seats[0]?.focus).toBe('What rusts?');
  });

  test('is not taken for another one that is invented beside it', async () => {
    const names = ['The Ferryman', 'The Ferrym\u00e1n'];
    const added = names.map((name) => ({ name, description: 'Rows.' }));
    const seated = await seat(seating([], {}, added), { maxDynamicSages: 2 });
    expect(seated.seats.map(({ sage }) => sage.name)).toEqual(['The Ferryman']);
    expect(seated.dropped[0]?.why).toContain('taken for The Ferryman');
    expect(seated.dropped[0]?.why).not.toContain('bench');
  });

  test('of an earlier version does not come back under a name that misleads', async () => {
    const guest: Sage = {
      ...{ key: 'new_verdict', name: 'Verdict', description: 'Ends it.', source: 'dynamic' },
    };
    const events = await run(
      scriptedModels({ sages: { eve: [answer('Yes.')] }, chair: [verdict] }),
      {
        request: { depth: 'quick', sages: ['new_verdict'], guests: [guest] },
      },
    );
    const [{ seated } = {}] = only(events, 'seated');
    expect(seated?.seats.map(({ sage }) => sage.key)).toEqual(['eve']);
  });
});

describe('a sage that the stream has named', () => {
  test('starts before the moderator has finished', async () => {
    const order: string[] = [];
    const { promise: adaAsked, resolve: askAda } = Promise.withResolvers<void>();
    const models = scriptedModels({
      sages: {
        ada: [
          () => {
            order.push('ada asked');
            askAda();
            return answer('Yes.');
          },
        ],
        ben: [answer('No.')],
      },
      chair: [verdict],
    });
    const moderator = {
      ...models.moderator,
      async *stream() {
        yield { type: 'text' as const, text: '{"focus":[],"predefined_chosen_sages":["ada","be' };
        await adaAsked;
        order.push('moderator goes on');
        const rest = 'n"],"new_sages_to_create":[]}';
        yield { type: 'text' as const, text: rest };
        const text =
          '{"focus":[],"predefined_chosen_sages":["ada","ben"],"new_sages_to_create":[]}';
        yield {
          type: 'finished' as const,
          reply: { text, reasoning: '', finishReason: 'stop' as const },
        };
      },
    };
    const events: readonly TurnEvent[] = await run(
      { ...models, moderator },
      { request: { depth: 'quick' } },
    );
    expect(order).toEqual(['ada asked', 'moderator goes on']);
    expect(only(events, 'seated')[0]?.seated.seats.map(({ sage }) => sage.key)).toEqual([
      'ada',
      'ben',
    ]);
    const firstAnswer = events.findIndex(({ type }) => type === 'answered');
    expect(firstAnswer).toBeGreaterThan(events.findIndex(({ type }) => type === 'seated'));
  });

  test('starts with its focus where the focus was written first', async () => {
    const models = scriptedModels({
      moderator: [seating(['ada'], { ada: 'What breaks first?' })],
      sages: { ada: [answer('Yes.')] },
      chair: [verdict],
    });
    await run(models, { request: { depth: 'quick' } });
    const prompt = models.sage({ key: 'ada' }).requests[0]?.messages.at(-1)?.content;
    expect(prompt).toContain('What breaks first?');
    expect(prompt).toContain(request.question);
  });
});

describe('a sage that its focus has named', () => {
  test('starts before the list of sages begins', async () => {
    const { promise: adaAsked, resolve: askAda } = Promise.withResolvers<void>();
    const models = scriptedModels({
      sages: {
        ada: [
          () => {
            askAda();
            return answer('Yes.');
          },
        ],
        ben: [answer('No.')],
      },
      chair: [verdict],
    });
    const text = seating(['ada', 'ben'], { ada: 'What breaks first?', ben: 'What does it cost?' });
    const focusOfAda = text.indexOf('}') + 1;
    const moderator = {
      ...models.moderator,
      async *stream() {
        yield { type: 'text' as const, text: text.slice(0, focusOfAda) };
        await adaAsked;
        yield { type: 'text' as const, text: text.slice(focusOfAda) };
        const reply = { text, reasoning: '', finishReason: 'stop' as const };
        yield { type: 'finished' as const, reply };
      },
    };
    const events = await run({ ...models, moderator }, { request: { depth: 'quick' } });
    const prompt = models.sage({ key: 'ada' }).requests[0]?.messages.at(-1)?.content;
    expect(prompt).toContain('What breaks first?');
    expect(only(events, 'seated')[0]?.seated).toMatchObject({
      seats: [{ focus: 'What breaks first?' }, { focus: 'What does it cost?' }],
      dropped: [],
    });
    expect(models.unsaid()).toBe(0);
  });

  test('does not sit, and its call is stopped, where the list leaves it out', async () => {
    const models = scriptedModels({
      moderator: [seating(['ben'], { ada: 'What breaks first?', ben: 'What does it cost?' })],
      sages: { ada: [hang], ben: [answer('No.')] },
      chair: [verdict],
    });
    const events = await run(models, { request: { depth: 'quick' } });
    expect(only(events, 'seated')[0]?.seated).toMatchObject({
      seats: [{ sage: { key: 'ben' } }],
      dropped: [{ name: 'Ada Sage', why: expect.stringContaining('its call was stopped') }],
    });
    expect(models.sage({ key: 'ada' }).requests[0]?.signal.aborted).toBe(true);
    expect(only(events, 'answered').map(({ answer: { sage } }) => sage)).toEqual(['ben']);
  });

  test('is none that is still to be invented', async () => {
    const moderator = JSON.stringify({
      focus: [{ sage: 'Rust Mechanic', query: 'What rusts?' }],
      predefined_chosen_sages: [],
      new_sages_to_create: [{ name: 'Rust Mechanic', description: 'Repairs old engines.' }],
    });
    const models = scriptedModels({
      moderator: [moderator],
      sages: { new_rust_mechanic: [answer('All of it.')] },
      chair: [verdict],
    });
    const events = await run(models, { request: { depth: 'quick' } });
    expect(only(events, 'seated')[0]?.seated).toMatchObject({
      seats: [{ focus: 'What rusts?' }],
      dropped: [],
    });
  });
});

describe('a sage that was named in a reply that proves invalid', () => {
  const cut =
    '{"focus": [], "predefined_chosen_sages": ["ada", "ben"], "new_sages_to_create": "none"}';
  const keysIn = (events: readonly TurnEvent[]) =>
    only(events, 'seated')[0]?.seated.seats.map(({ sage }) => sage.key);

  test('goes on only if the repaired reply names it too', async () => {
    const models = scriptedModels({
      moderator: [cut, seating(['ben', 'cleo'])],
      sages: { ada: [hang], ben: [answer('No.')], cleo: [answer('Later.')] },
      chair: [verdict],
    });
    const events = await run(models, { request: { depth: 'quick' } });
    expect(keysIn(events)).toEqual(['ben', 'cleo']);
    expect(only(events, 'seated')[0]?.seated).toMatchObject({
      how: 'moderated',
      dropped: [{ name: 'Ada Sage', why: expect.stringContaining('its call was stopped') }],
    });
    const [asked] = models.sage({ key: 'ada' }).requests;
    expect(asked?.signal.reason).toMatchObject({ message: expect.stringContaining('not seat it') });
    expect(only(events, 'answered').map(({ answer: { sage } }) => sage)).toEqual(['ben', 'cleo']);
    expect(models.unsaid()).toBe(0);
  });

  test('says nothing, even when it has finished before', async () => {
    const { promise: adaEnded, resolve: endAda } = Promise.withResolvers<void>();
    const models = scriptedModels({
      moderator: [
        cut,
        async () => {
          await adaEnded;
          return seating(['ben']);
        },
      ],
      sages: {
        ada: [
          () => {
            setImmediate(endAda);
            return answer('Yes.');
          },
        ],
        ben: [answer('No.')],
      },
      chair: [verdict],
    });
    const events = await run(models, { request: { depth: 'quick' } });
    const about = (sage: string) =>
      events.filter((event) => event.type === 'answer_grew' && event.sage === sage).length +
      only(events, 'answered').filter(({ answer: { sage: by } }) => by === sage).length;
    expect(about('ada')).toBe(0);
    expect(about('ben')).toBeGreaterThan(0);
    const prompt = models.chair.requests[0]?.messages.at(-1)?.content;
    expect(prompt).not.toContain('Ada');
  });

  test('is followed by no others before a reply is valid, so that no more calls are paid', async () => {
    const models = scriptedModels({
      moderator: [cut, cut.replace('"ada"', '"cleo"'), seating(['ben'])],
      sages: { ada: [hang], ben: [answer('No.')] },
      chair: [verdict],
    });
    const events = await run(models, { request: { depth: 'quick' } });
    expect(only(events, 'sage_started').map(({ sage }) => sage)).toEqual(['ada', 'ben']);
  });

  test.each<[string, readonly Line[], Seated['because']]>([
    ['can not be repaired', [cut, cut, cut], 'not_understood'],
    ['is followed by a failure', [cut, serverDown], 'failed'],
  ])('does not sit when the reply %s', async (_case, moderator, because) => {
    const models = scriptedModels({
      moderator,
      sages: { ada: [hang], ben: [hang], eve: [answer('Yes.')] },
      chair: [verdict],
    });
    const events = await run(models, { request: { depth: 'quick' } });
    expect(keysIn(events)).toEqual(['eve']);
    const [told] = only(events, 'seated');
    expect(told?.seated).toMatchObject({ how: 'fallback', because });
    expect(told?.seated.dropped.map(({ name }) => name)).toEqual(['Ada Sage', 'Ben Sage']);
    for (const key of ['ada', 'ben']) {
      expect(models.sage({ key }).requests[0]?.signal.reason).toMatchObject({ reason: 'stopped' });
    }
  });
});

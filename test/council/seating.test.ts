import { describe, expect, test } from 'vitest';
import { seatCouncil } from '../../src/council/seating.ts';
import type { Sage, Seated } from '../../src/domain/turn.ts';
import { ModelError } from '../../src/models/chat-model.ts';
import type { Line } from '../fakes/scripted-model.ts';
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
  failure: 'server_error',
  model: 'test:moderator',
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
      key: 'new_verdict',
      name: 'Verdict',
      description: 'Ends it.',
      source: 'dynamic',
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

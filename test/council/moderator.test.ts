import { describe, expect, test } from 'vitest';
import type { TurnEvent } from '../../src/council/events.ts';
import { seatCouncil } from '../../src/council/moderator.ts';
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

async function seat(reply: Line, changes: Partial<typeof council> = {}) {
  return seatCouncil({
    request,
    council: { ...council, ...changes },
    context: { forSages: [], forChair: [] },
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
    expect(seated.dropped).toEqual([{ name: 'Eve Sage', why: 'at most 4 sages sit here' }]);
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
      { name: 'Another', why: 'at most 1 new sages may be made here' },
    ]);
  });

  test('takes an invented sage for the one of the bench that has its name', async () => {
    const seated = await seat(
      seating([], {}, [{ name: 'Ben Sage', description: 'Somebody else.' }]),
    );
    expect(seated.seats[0]?.sage).toMatchObject({ key: 'ben', source: 'predefined' });
  });

  test.each<[string, Line]>([
    ['names nobody', seating([])],
    ['names only strangers', seating(['zoe'])],
    ['can not be understood', 'I would ask Ada.'],
    [
      'fails',
      new ModelError('The server is down.', { failure: 'server_error', model: 'test:moderator' }),
    ],
  ])('gives way to the fallback council when it %s', async (_case, reply) => {
    const seated = await seat(reply);
    expect(seated.how).toBe('fallback');
    expect(keysOf(seated)).toEqual(['eve']);
    expect(seated.note).toBeTruthy();
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

/** Sages that start while the moderator is still writing its reply. */

import { describe, expect, test } from 'vitest';
import type { TurnEvent } from '../../src/council/events.ts';
import type { Seated } from '../../src/domain/turn.ts';
import { ModelError } from '../../src/models/chat-model.ts';
import { hang, type Line } from '../fakes/scripted-model.ts';
import {
  answer,
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

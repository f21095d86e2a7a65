import { describe, expect, test } from 'vitest';
import type { TurnEvent } from '../../../src/council/events.ts';
import {
  isUpTo,
  LiveTurns,
  type NumberedEvent,
  watchTurn,
} from '../../../src/platforms/web/live-turns.ts';
import { answered, answeredEnd, concluded, grew, seated } from '../terminal/turn-events.ts';
import { allOf } from './web-world.ts';

const never = new AbortController().signal;
const whole: readonly TurnEvent[] = [
  seated,
  grew('nassim_taleb', 'Bet'),
  answered('nassim_taleb', 'Bet small.'),
  concluded(),
  answeredEnd,
];

function told(live: LiveTurns, events: readonly TurnEvent[]) {
  const turn = live.begin('t1');
  for (const event of events) turn.add(event);
  if (events.at(-1) === answeredEnd) turn.end();
  return turn;
}

function typesOf(read: readonly NumberedEvent[]): readonly string[] {
  return read.map(({ event }) => event.type);
}

describe('a turn that is watched', () => {
  test('is told live, and goes on after the last event that was read', async () => {
    const live = new LiveTurns();
    const turn = told(live, whole.slice(0, 2));
    const watched = { turnId: 't1', live, stored: async () => [], signal: never };
    const reader = watchTurn(watched)[Symbol.asyncIterator]();
    const [first, second] = [await reader.next(), await reader.next()];
    expect([first.value?.event, second.value?.event]).toEqual(whole.slice(0, 2));
    for (const event of whole.slice(2)) turn.add(event);
    turn.end();
    const rest = await allOf(watchTurn({ ...watched, after: second.value?.id }));
    expect(rest.map(({ event }) => event)).toEqual(whole.slice(2));
    expect((await reader.next()).value?.event).toEqual(whole[2]);
  });

  test('keeps every step for a reader who is slow, and of a growing text its newest state', async () => {
    const live = new LiveTurns();
    const turn = told(live, [seated]);
    for (let count = 1; count <= 1000; count += 1) turn.add(grew('a', 'x'.repeat(count)));
    turn.add(grew('b', 'y'));
    turn.add(answeredEnd);
    turn.end();
    const watched = { turnId: 't1', live, stored: async () => [], signal: never };
    const events = (await allOf(watchTurn(watched))).map(({ event }) => event);
    expect(events).toEqual([seated, grew('a', 'x'.repeat(1000)), grew('b', 'y'), answeredEnd]);
  });

  test('keeps an answer that is complete when its text comes in late', async () => {
    const live = new LiveTurns();
    told(live, [answered('nassim_taleb', 'Bet small.'), grew('nassim_taleb', 'Bet'), answeredEnd]);
    const watched = { turnId: 't1', live, stored: async () => [], signal: never };
    const types = typesOf(await allOf(watchTurn(watched)));
    expect(types).toEqual(['answered', 'ended']);
  });

  test('is read from the store where another process runs it, until it has ended', async () => {
    const live = new LiveTurns();
    const looks = [
      whole.slice(0, 1),
      whole.slice(0, 3).filter(({ type }) => type !== 'answer_grew'),
    ];
    const stored = async () => looks.shift() ?? [...whole];
    const types = typesOf(await allOf(watchTurn({ turnId: 't1', live, stored, signal: never })));
    expect(types).toEqual(['seated', 'answered', 'answer_grew', 'concluded', 'ended']);
  });

  test('goes on from the store where this process gave it up, and tells no step twice', async () => {
    const live = new LiveTurns();
    const turn = told(live, whole.slice(0, 3));
    const watched = watchTurn({ turnId: 't1', live, stored: async () => whole, signal: never });
    const types = allOf(watched).then(typesOf);
    live.drop('t1');
    turn.end();
    expect((await types).filter((type) => type !== 'answer_grew')).toEqual([
      ...['seated', 'answered', 'concluded', 'ended'],
    ]);
  });

  test('that waits is told as soon as it begins here', async () => {
    const live = new LiveTurns();
    const stored = async () => {
      queueMicrotask(() => told(live, whole));
      return [];
    };
    const events = await allOf(watchTurn({ turnId: 't1', live, stored, signal: never }));
    expect(typesOf(events)).toEqual(['seated', 'answered', 'concluded', 'ended']);
  });

  test('that has ended goes on after an id of the store', async () => {
    const watched = {
      turnId: 't1',
      live: new LiveTurns(),
      stored: async () => whole,
      signal: never,
    };
    const all = await allOf(watchTurn(watched));
    expect(await allOf(watchTurn({ ...watched, after: all[2]?.id ?? '' }))).toEqual(all.slice(3));
    expect(await allOf(watchTurn({ ...watched, after: 'elsewhere-1.3' }))).toEqual(all);
  });

  test('that has ended is not told again to a reader who has its end', async () => {
    const live = new LiveTurns();
    told(live, whole);
    const watched = { turnId: 't1', live, stored: async () => whole, signal: never };
    const after = (await allOf(watchTurn(watched))).at(-1)?.id;
    expect(await allOf(watchTurn({ ...watched, after }))).toEqual([]);
  });

  test('that goes on elsewhere is told again to a reader who comes back, for more may have come in between', async () => {
    const live = new LiveTurns();
    const first = [seated, answered('nassim_taleb', 'Bet small.')];
    const before = watchTurn({ turnId: 't1', live, stored: async () => first, signal: never });
    const reader = before[Symbol.asyncIterator]();
    await reader.next();
    const after = (await reader.next()).value?.id;
    const between = answered('marcus_aurelius', 'Do your part.');
    const stored = async () => [seated, between, ...whole.slice(2)];
    const again = await allOf(watchTurn({ turnId: 't1', live, stored, after, signal: never }));
    expect(again.map(({ event }) => event)).toContain(between);
    expect(again.every(({ id }) => !isUpTo(id, after))).toBe(true);
  });

  test('ends for a reader who has gone, and for a turn that is gone', async () => {
    const live = new LiveTurns();
    told(live, [seated]);
    const ending = new AbortController();
    const watched = watchTurn({
      turnId: 't1',
      live,
      stored: async () => [],
      signal: ending.signal,
    });
    const reader = watched[Symbol.asyncIterator]();
    await reader.next();
    const next = reader.next();
    ending.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    const gone = watchTurn({ turnId: 't2', live, stored: async () => undefined, signal: never });
    expect(await allOf(gone)).toEqual([]);
  });
});

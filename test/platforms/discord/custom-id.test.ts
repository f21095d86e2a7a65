import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Action, customIdOf, readCustomId } from '../../../src/platforms/discord/custom-id.ts';

const turnId = '01234567-89ab-4cde-8f01-23456789abcd';

test.each<Action>([
  { kind: 'stop', turnId },
  { kind: 'view', view: 'reviews', turnId },
  { kind: 'feedback', rating: 'good', turnId },
  { kind: 'run', command: `summon --save ${turnId}` },
  { kind: 'set', scope: 'channel', setting: 'maxDynamicSages', part: 1 },
  { kind: 'type', scope: 'server', setting: 'language' },
  { kind: 'page', scope: 'channel', page: 2 },
  { kind: 'form', command: 'summon' },
])('$kind is carried and read back', (action) => {
  const id = customIdOf(action);
  expect(id?.length).toBeLessThanOrEqual(100);
  expect(readCustomId(id ?? '')).toEqual(action);
});

test.each<readonly [string, Action]>([
  [`council|feedback|bad|${turnId}`, { kind: 'feedback', rating: 'bad', turnId }],
  [`council|next|2|${turnId}`, { kind: 'next', number: 2, turnId }],
  [`council|one|${turnId}`, { kind: 'one', turnId }],
  ['council|again|11|12', { kind: 'again', channel: '11', message: '12' }],
  ['council|set|mine|depth|0', { kind: 'set', scope: 'mine', setting: 'depth', part: 0 }],
])('%s, as it stands on messages of earlier versions, is written and read so', (id, action) => {
  expect(customIdOf(action)).toBe(id);
  expect(readCustomId(id)).toEqual(action);
});

test('a menu from before there could be several is the first one', () => {
  const set = { kind: 'set', scope: 'channel', setting: 'bench', part: 0 };
  expect(readCustomId('council|set|channel|bench')).toEqual(set);
});

test('a Stop button from before the store was asked who may press it still says what it stops', () => {
  expect(readCustomId(`council|stop|${turnId}|12345678901234567890`)).toEqual({
    kind: 'stop',
    turnId,
  });
});

test('what would be too long is not carried', () => {
  expect(customIdOf({ kind: 'run', command: 'x'.repeat(100) })).toBeUndefined();
});

test('what someone else made up is never taken for an action', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(readCustomId(text)).toBeUndefined();
    }),
  );
  expect(readCustomId('council|explode|now')).toBeUndefined();
  expect(readCustomId('council|view|secrets|x')).toBeUndefined();
  expect(readCustomId('council|toString')).toBeUndefined();
});

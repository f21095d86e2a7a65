import { expect, test } from 'vitest';
import { readRole } from '../../src/settings/environment.ts';

const REDIS_URL = 'redis://127.0.0.1:6379';

test('a process does all of the work where nothing else is said', () => {
  expect(readRole({})).toEqual({ role: 'all', mistakes: [] });
});

test.each(['all', 'gateway', 'worker'] as const)('with Redis it may be %s', (role) => {
  expect(readRole({ COUNCIL_ROLE: role, REDIS_URL })).toEqual({ role, mistakes: [] });
});

test.each(['gateway', 'worker'] as const)(
  'without Redis it can not be %s, and hears why',
  (role) => {
    const { mistakes } = readRole({ COUNCIL_ROLE: role });
    expect(mistakes).toEqual([
      {
        file: 'environment',
        setting: 'COUNCIL_ROLE',
        text: `a ${role} shares its work with other processes through Redis. Set REDIS_URL, or take COUNCIL_ROLE out`,
      },
    ]);
  },
);

test('a role that there is not is refused with those that there are', () => {
  const { mistakes } = readRole({ COUNCIL_ROLE: 'boss', REDIS_URL });
  expect(mistakes[0]?.text).toBe('it is none of all, gateway, worker. Write one of them');
});

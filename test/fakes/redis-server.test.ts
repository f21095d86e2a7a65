import { expect, test } from 'vitest';
import { redisServerProgram } from './redis-server.ts';

test('says what to install where there is no redis-server and none may be installed', () => {
  expect(() => redisServerProgram({ PATH: '/nowhere' })).toThrow(
    /need the program redis-server.*Install it.*sudo apt-get install/,
  );
});

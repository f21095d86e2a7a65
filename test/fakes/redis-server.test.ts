import { expect, test } from 'vitest';
import { assertRedisServer, installRedisServer } from './redis-server.ts';

test('says what to install where there is no redis-server and none may be installed', () => {
  const environment = { PATH: '/nowhere' };
  installRedisServer(environment);
  expect(() => assertRedisServer(environment)).toThrow(
    /need the program redis-server.*Install it.*sudo apt-get install/,
  );
});

import { installRedisServer } from './fakes/redis-server.ts';

/** Before all tests: side by side, those that need a Redis server would get in each other's way. */
export function setup(): void {
  installRedisServer();
}

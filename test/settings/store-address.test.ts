import { describe, expect, it } from 'vitest';
import { load, mistakesIn } from './config-folder.ts';

const upstash = {
  UPSTASH_REDIS_REST_URL: 'https://eu1-calm-owl-1.upstash.io',
  UPSTASH_REDIS_REST_TOKEN: 'token',
};

describe('where the store is', () => {
  it.each([
    'redis://127.0.0.1:6379',
    'rediss://bot:p%40ss@db.example:6380/1',
    'redis+sentinel://bot:secret@one:26379,two:26379/main',
    'rediss+cluster://bot:secret@one:6379,two:6379',
  ])('may be the server %s', (url) => {
    expect(load({}, { REDIS_URL: url }).secrets.get('REDIS_URL')).toBe(url);
  });

  it('may be a database at Upstash', () => {
    expect(load({}, upstash).secrets.names).toEqual(Object.keys(upstash));
  });

  it.each([
    '127.0.0.1:6379',
    'https://host',
    'redis://',
    'me:secret@host',
    'redis+sentinel://host',
    'redis+cluster://host/1',
  ])('is refused without being shown when it is %s', (url) => {
    expect(mistakesIn({}, { REDIS_URL: url })).toEqual([
      'environment REDIS_URL: it is not the address of a server. Write e.g. redis://127.0.0.1:6379',
    ]);
  });

  it.each([
    ['UPSTASH_REDIS_REST_TOKEN', 'UPSTASH_REDIS_REST_URL'],
    ['UPSTASH_REDIS_REST_URL', 'UPSTASH_REDIS_REST_TOKEN'],
  ] as const)('is refused when %s is missing beside %s', (missing, set) => {
    expect(mistakesIn({}, { [set]: upstash[set] })).toEqual([
      `environment ${missing}: is missing beside ${set}. Copy it from the same place`,
    ]);
  });

  it('is one, not two', () => {
    expect(mistakesIn({}, { ...upstash, REDIS_URL: 'redis://host' })).toEqual([
      'environment REDIS_URL: there can be one store, and Upstash is set too. Take one of them out',
    ]);
  });
});

import { expect, test } from 'vitest';
import { assertOpenssl } from './certificates.ts';

test('says what to install where there is no openssl', () => {
  expect(() => assertOpenssl({ PATH: '/nowhere' })).toThrow(
    /need the program openssl.*Install it.*sudo apt-get install/,
  );
});

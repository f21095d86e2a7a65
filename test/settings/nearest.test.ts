import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nearest } from '../../src/settings/nearest.ts';

it.each([
  ['depht', 'depth'],
  ['max-sages', 'maxSages'],
  ['MAXSAGES', 'maxSages'],
  ['maxSage', 'maxSages'],
  ['sets', 'seats'],
])('finds that %s was meant to be %s', (word, meant) => {
  expect(nearest(word, ['language', 'depth', 'maxSages', 'seats'])).toBe(meant);
});

it.each(['colour', 'x', ''])('finds nothing where all is too far off: "%s"', (word) => {
  expect(nearest(word, ['language', 'depth', 'maxSages', 'seats'])).toBeUndefined();
});

it('finds a word with any one letter too many', () => {
  fc.assert(
    fc.property(fc.nat(8), fc.constantFrom(...'abcxyz'), (place, letter) => {
      const word = `moderator`.slice(0, place) + letter + 'moderator'.slice(place);
      expect(nearest(word, ['model', 'moderator', 'reviewer'])).toBe('moderator');
    }),
  );
});

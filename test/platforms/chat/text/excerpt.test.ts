import fc from 'fast-check';
import { expect, it } from 'vitest';
import { excerpt } from '../../../../src/platforms/chat/text/excerpt.ts';
import { hasOpenFence, markdown } from './wild-markdown.ts';

it('is the text where it fits, trimmed', () => {
  expect(excerpt('  The verdict.\n', 52)).toBe('The verdict.');
});

it('ends with a sentence and says that there is more', () => {
  expect(excerpt('The verdict is this one. And it goes on for rather long after it.', 60)).toBe(
    'The verdict is this one.\n…',
  );
});

it('closes code that is cut', () => {
  expect(excerpt(`\`\`\`js\n${'x = 1;\n'.repeat(20)}\`\`\``, 60)).toMatch(/\n```\n…$/);
});

it('fits, and has every fence closed', () => {
  fc.assert(
    fc.property(markdown, fc.integer({ min: 52, max: 300 }), (text, limit) => {
      const beginning = excerpt(text, limit);
      expect(beginning.length).toBeLessThanOrEqual(limit);
      expect(hasOpenFence(beginning)).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

it('refuses a limit that leaves no room', () => {
  expect(() => excerpt('text', 51)).toThrow(RangeError);
});

import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { openProgressBar } from '../../../src/app/operator/progress-bar.ts';

function shownOn(isTTY: boolean): string {
  const stream = Object.assign(new PassThrough(), { isTTY });
  const bar = openProgressBar(stream);
  bar.expect(20);
  bar.advance(15);
  bar.expect(10);
  bar.advance(15);
  bar.stop();
  return String(stream.read() ?? '');
}

test('a person sees how far it is, and keeps the cursor', () => {
  expect(shownOn(true)).toContain('0 of 20');
  expect(shownOn(true)).not.toContain('\u001b[?25l');
});

test('nothing is written where nobody watches', () => {
  expect(shownOn(false)).toBe('');
});

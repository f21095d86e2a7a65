import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { openProgressBar, showProgress } from '../../../src/app/operator/progress.ts';

/** A stream that keeps what is written to it, and says that it is a terminal or not. */
function screen(isTTY: boolean) {
  const written: string[] = [];
  const stream = Object.assign(new PassThrough(), {
    isTTY,
    columns: 80,
    cursorTo: () => true,
    clearLine: () => true,
  });
  stream.on('data', (text) => written.push(String(text)));
  return { stream, text: () => written.join('') };
}

test('writes a line now and then where nobody watches', () => {
  const { stream, text } = screen(false);
  const progress = showProgress(stream);
  for (let at = 0; at <= 100; at += 1) progress.show('copying', at / 100, `${at} records`);
  progress.show('copying', 1, '100 records');
  progress.show('comparing', 0.5, '100 records');
  progress.end();
  const lines = text().trimEnd().split('\n');
  expect(lines[0]).toBe('copying: 0 %, 0 records');
  expect(lines.slice(-2)).toEqual(['copying: 100 %, 100 records', 'comparing: 50 %, 100 records']);
  expect(lines.length).toBeLessThan(14);
});

test('draws a bar in a terminal, and takes it away in the end', () => {
  const { stream, text } = screen(true);
  const progress = showProgress(stream);
  progress.show('copying', 0.5, '7 records');
  expect(text()).toMatch(/copying \[=+-+\] 50 % 7 records/);
  progress.end();
  progress.end();
});

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

test('a person sees how many of how many are done, and keeps the cursor', () => {
  expect(shownOn(true)).toContain('0 of 20');
  expect(shownOn(true)).not.toContain('\u001b[?25l');
});

test('no bar is written where nobody watches', () => {
  expect(shownOn(false)).toBe('');
});

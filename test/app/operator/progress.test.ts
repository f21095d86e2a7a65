import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { showProgress } from '../../../src/app/operator/progress.ts';

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

test.each([
  ['no one watches', false, 'xterm'],
  ['the terminal can’t redraw a line', true, 'dumb'],
])('writes a line now and then where %s', (_where, isTTY, TERM) => {
  const { stream, text } = screen(isTTY);
  const progress = showProgress(stream, { TERM });
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
  const progress = showProgress(stream, {});
  progress.show('copying', 0.5, '7 records');
  expect(text()).toMatch(/copying \[=+-+\] 50 % 7 records/);
  progress.end();
  progress.end();
});

test('keeps the cursor, whatever ends the program meanwhile', () => {
  const { stream, text } = screen(true);
  const progress = showProgress(stream, {});
  progress.show('importing', 0, '0 of 20');
  expect(text()).toContain('0 of 20');
  expect(text()).not.toContain('\u001b[?25l');
  progress.end();
});

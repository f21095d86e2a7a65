import { expect, test } from 'vitest';
import { progressOn } from '../../../src/app/operator/progress.ts';

test('writes a line now and then', () => {
  const lines: string[] = [];
  const show = progressOn({ write: (line: string) => lines.push(line) > 0 });
  for (let at = 0; at <= 100; at += 1) show('copying', at / 100, `${at} records`);
  show('copying', 1, '100 records');
  show('comparing', 0.5, '100 records');
  expect(lines[0]).toBe('copying: 0 %, 0 records\n');
  expect(lines.slice(-2)).toEqual([
    'copying: 100 %, 100 records\n',
    'comparing: 50 %, 100 records\n',
  ]);
  expect(lines.length).toBeLessThan(14);
});

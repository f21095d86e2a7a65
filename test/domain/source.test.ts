import { expect, test } from 'vitest';
import { plainName, plainTitle, type Source, unreadSentences } from '../../src/domain/source.ts';

test.each([
  ['report_v2.pdf', 'report_v2.pdf'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\ada\\Plan B.docx', 'Plan B.docx'],
  ['<!channel> <@U1> @everyone *bold*.txt', '!channel U1 everyone bold .txt'],
  ['a\nb\u202Etxt.exe', 'a b txt.exe'],
  ['日本語の資料.pdf', '日本語の資料.pdf'],
  ['[x](https://evil.example/a)', 'a)'],
  ['🚀', 'a file'],
  ['', 'a file'],
])('the name %j is told as %j', (name, told) => {
  expect(plainName(name, 'a file')).toBe(told);
});

test('a long name is cut', () => {
  expect(plainTitle('word '.repeat(1_000_000))).toHaveLength(80);
});

test('what could not be read is told once for each reason', () => {
  const unread = (name: string, why: string): Source => {
    return { status: 'unread', kind: 'file', name, why };
  };
  const sources = [
    unread('a', 'it is gone'),
    unread('b', 'it is empty'),
    unread('c', 'it is gone'),
  ];
  expect(unreadSentences(sources)).toEqual([
    'I could not read a and c: it is gone.',
    'I could not read b: it is empty.',
  ]);
});

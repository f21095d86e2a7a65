import { expect, test } from 'vitest';
import { isWordless, pointsElsewhere } from '../../../../src/domain/asking.ts';
import {
  questionAbout,
  withinLimits,
  wordlessQuestion,
} from '../../../../src/platforms/chat/surroundings.ts';

const of = { place: 'test:w:c', of: 'thread' } as const;
const said = (at: number, text = `Number ${at}`) => ({
  id: `${at}`,
  at,
  text,
  author: { id: 'u', name: 'Uma' },
});

test('the newest are kept, and what is meant before them, oldest first', () => {
  const found = [said(3), said(1), { ...said(2), isMeant: true as const }, said(4), said(2)];
  const heard = withinLimits(of, found, { contextMessages: 2, contextChars: 1000 });
  expect(heard.messages.map(({ at }) => at)).toEqual([2, 4]);
  expect(heard.messages[0]?.isMeant).toBe(true);
  expect(heard.leftOut).toBe(2);
});

test('of a thread, the message that began it is kept', () => {
  const found = [said(1), said(2), said(3), { ...said(4), isMeant: true as const }, said(5)];
  const kept = (contextMessages: number) =>
    withinLimits(of, found, { contextMessages, contextChars: 1000 }, '1').messages;
  expect(kept(3).map(({ at }) => at)).toEqual([1, 4, 5]);
  expect(kept(1).map(({ at }) => at)).toEqual([4]);
});

test('all together are no longer than allowed, and one is cut before the others go', () => {
  const found = [said(1, 'a'.repeat(500)), said(2, 'b'.repeat(20))];
  const heard = withinLimits(of, found, { contextMessages: 9, contextChars: 100 });
  expect(heard.messages.map(({ text }) => text.length)).toEqual([25, 20]);
});

test.each([
  ['settle this', true],
  ['who is right?', true],
  ['what do you think?', true],
  ['was meint ihr?', true],
  ['ما رأيكم؟', true],
  ['Bu konuda ne düşünüyorsunuz?', true],
  ['Ne dersiniz?', true],
  ['आप क्या सोचते हैं?', true],
  ['คิดยังไงครับ', true],
  ['누가 맞아요?', true],
  ['皆さんのご意見は？', true],
  ['O que vocês acham?', true],
  ['Devemos mudar de escritório?', false],
  ['Ofisi taşımalı mıyız?', false],
  ['هل نغير مكتبنا؟', false],
  [wordlessQuestion, true],
  ['Should we hire?', false],
  ['When will the bridge over the Rhine that we planned for years be built?', false],
])('“%s” points at what was said before: %s', (question, expected) => {
  expect(pointsElsewhere(question)).toBe(expected);
});

test.each([
  [wordlessQuestion, true],
  [questionAbout('Ann (Ops)', ' '), true],
  [questionAbout('Ann', '', 'https://chat.example/c/1'), true],
  [questionAbout('Ann', 'Is she right?', 'https://chat.example/c/1'), false],
  ['What do you make of what Ann wrote? I would sell.', false],
  ['What do you make of this plan: we sell in May?', false],
])('“%s” stands in for words: %s', (question, expected) => {
  expect(isWordless(question)).toBe(expected);
});

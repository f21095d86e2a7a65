import { expect, test } from 'vitest';
import type { TurnEvent } from '../../../../src/council/events.ts';
import type { Verdict } from '../../../../src/domain/turn.ts';
import {
  answer,
  only,
  run,
  scriptedModels,
  wholeScript,
} from '../../../council/scripted-council.ts';
import { toldOf } from './pieces.ts';

const events = await run(scriptedModels(wholeScript));
const ended: TurnEvent = { type: 'ended', end: { outcome: 'answered', explanation: '' } };
const [seated] = only(events, 'seated');
const [concluded] = only(events, 'concluded');
if (!seated || !concluded) throw new Error('The council came to no verdict.');

function concludedAs(changes: Partial<Verdict>): TurnEvent {
  return { type: 'concluded', verdict: { ...(concluded?.verdict as Verdict), ...changes } };
}

function grew(verdict: string): TurnEvent {
  return { type: 'verdict_grew', verdict };
}

function said(told: readonly string[]): string {
  return told.flatMap((line) => (line.startsWith('said: ') ? [line.slice(6)] : [])).join('');
}

test('a whole turn is thought first, then said, then ended', async () => {
  const told = await toldOf(events);
  const firstSaid = told.findIndex((line) => line.startsWith('said: '));
  expect(told.slice(0, firstSaid).every((line) => line.startsWith('thought: '))).toBe(true);
  expect(told.slice(firstSaid, -1).every((line) => line.startsWith('said: '))).toBe(true);
  expect(told.at(-1)).toBe('ended answered');
  const thought = told.slice(0, firstSaid).join('\n');
  for (const { answer: one } of only(events, 'answered')) expect(thought).toContain(one.answer);
  expect(thought).toMatch(/\*\*Ada Sage\*\* ranks: .*Ada Sage/);
  expect(thought).toContain('### Ranking by');
  expect(thought).toContain('The chair is writing the verdict.');
  expect(thought).not.toContain('0 of 4 answered');
  expect(said(told)).toMatch(/^Rewrite it in parts\./);
  expect(said(told)).toContain('### Disagreements\n- How fast to go.');
});

test('of several answers the first is thought as it grows, the others whole behind it', async () => {
  const grows = (sage: string, answer: string): TurnEvent => ({
    type: 'answer_grew',
    sage,
    answer,
  });
  const answers = only(events, 'answered');
  const of = (sage: string) => {
    const found = answers.find((event) => event.answer.sage === sage);
    if (!found) throw new Error(`${sage} has not answered.`);
    return found;
  };
  const late = (sage: string): TurnEvent => ({
    type: 'answered',
    answer: { ...of(sage).answer, status: 'failed', reason: 'late', answer: 'Error: late' },
  });
  const told = await toldOf([
    ...[seated, grows('ben', 'Ben'), grows('ada', 'Ada says'), grows('ben', 'Ben says ')],
    ...[of('ada'), of('ben'), grows('cleo', 'Cleo'), of('cleo'), late('dan')],
  ]);
  expect(told.slice(1)).toEqual([
    ...['thought: ### Ben Sage\n\nBen', 'goes on:  says', 'goes on:  no.'],
    ...['thought: ### Ada Sage\n\nAda says yes.', 'thought: ### Cleo Sage\n\nCleo says later.'],
    'thought: Dan Sage failed: the others had already finished.',
  ]);
  const broken = await toldOf([seated, grows('dan', 'Dan sa'), of('ada'), late('dan')]);
  expect(broken.slice(2)).toEqual([
    'goes on: \n\nDan Sage failed: the others had already finished.',
    'thought: ### Ada Sage\n\nAda says yes.',
  ]);
});

test('a verdict is said as it grows, and none of it twice', async () => {
  const whole = concluded.verdict.verdict;
  const told = await toldOf([
    ...[seated, grew(whole.slice(0, 7)), grew(whole.slice(0, 12)), grew(whole.slice(0, 9))],
    ...[concluded, ended],
  ]);
  const parts = told.filter((line) => line.startsWith('said: '));
  expect(parts[0]).toBe(`said: ${whole.slice(0, 7).trimEnd()}`);
  expect(said(told).split(whole)).toHaveLength(2);
  expect(said(told).startsWith(whole)).toBe(true);
});

test('a verdict that was begun anew is said whole behind a line', async () => {
  const told = await toldOf([seated, grew('I had better'), grew('No'), concluded, ended]);
  expect(said(told)).toMatch(/^I had better\n\n---\n\nRewrite it in parts\./);
});

test('a top-ranked answer says what it is before it is read', async () => {
  const top = concludedAs({ kind: 'top_answer', notice: 'The chair failed.', verdict: 'Yes.' });
  expect(said(await toldOf([seated, top, ended]))).toMatch(
    /^\*\*Top-ranked answer, not a verdict\*\*\n\n> The chair failed\.\n\nYes\./,
  );
});

test('a notice of a verdict follows it, since the verdict has been said by then', async () => {
  const noted = concludedAs({ notice: 'Another model spoke.' });
  const told = said(await toldOf([seated, grew('Rewrite it in'), noted, ended]));
  expect(told.startsWith('Rewrite it in parts.')).toBe(true);
  expect(told.endsWith('> Another model spoke.')).toBe(true);
});

test('a sage that is asked alone says its answer', async () => {
  const alone = await run(scriptedModels({ sages: { ada: [answer('Ada says yes.')] } }), {
    request: { sages: ['ada'] },
  });
  const told = await toldOf(alone);
  expect(said(told)).toBe('Ada says yes.');
  expect(told.at(-1)).toBe('ended answered');
});

test('names of sages work as no mark', async () => {
  const [seat] = seated.seated.seats;
  if (!seat) throw new Error('Nobody sits.');
  const odd = { ...seat, sage: { ...seat.sage, name: '**[Ada](http://x)**\n# Boss' } };
  const told = await toldOf([{ type: 'seated', seated: { ...seated.seated, seats: [odd] } }]);
  expect(told).toEqual(['thought: Seated: \\*\\*\\[Ada\\](http://x)\\*\\* \\# Boss.']);
});

import { expect, test } from 'vitest';
import { type KeptTurn, readPastTurn } from '../../src/council/past-turn.ts';
import { receiptOf } from '../../src/council/receipt.ts';
import type { ExportedTurn } from '../../src/memory/export/export.ts';
import { spokenInTurn } from '../../src/pages/spoken.ts';
import { request } from './scripted-council.ts';

/** As version 0.1 wrote it. */
const oldVerdict = {
  kind: 'synthesis',
  verdict: 'Rewrite it in parts.',
  consensus: ['It is slow.'],
  disagreements: ['How fast to go.'],
  minorityReport: 'Ben would leave it.',
  confidence: 'medium',
  dissent: [],
  by: 'test:chair',
  latencyMs: 12,
} as const;
const newVerdict = {
  ...oldVerdict,
  unsettled: ['Who pays.'],
  confidenceReason: 'Nobody has figures.',
};

function kept(verdict: unknown): KeptTurn {
  return { request, steps: [{ kind: 'verdict', data: verdict }], messages: [] };
}

test('a verdict of an earlier version is read as one that leaves nothing open', () => {
  const turn = readPastTurn(kept(oldVerdict));
  expect(turn.verdict).toEqual({ ...oldVerdict, unsettled: [] });
  expect(receiptOf(turn, 'answered', []).confidence).toBe('medium');
});

test('a verdict is read as it was written', () => {
  const turn = readPastTurn(kept(newVerdict));
  expect(turn.verdict).toEqual(newVerdict);
  expect(receiptOf(turn, 'answered', []).confidence).toBe('medium. Nobody has figures.');
});

test('what prompts recalled in an earlier version is read without its list of what they left out', () => {
  const used = [{ kind: 'message', threadId: 'x:y:z:t', id: 'm1', tokens: 3 }];
  const leftOut = [{ kind: 'message', threadId: 'x:y:z:t', id: 'm2', why: 'over_budget' }];
  const data = {
    explanation: '',
    stagesMs: {},
    interactionsRemembered: 2,
    memory: { budgetTokens: 10, tokens: 3, used, leftOut },
  };
  const turn = readPastTurn({ request, steps: [{ kind: 'ended', data }], messages: [] });
  expect(receiptOf(turn, 'answered', []).memory).toEqual({ budgetTokens: 10, tokens: 3, used });
});

test('an export tells of either what it has', () => {
  const notesOf = (data: ExportedTurn['steps'][number]['data']) => {
    const turn = {
      turnId: 't',
      eventId: 'e',
      outcome: 'answered',
      isPrivate: false,
      messages: [],
      createdAt: 0,
      endedAt: 1,
      request: {},
      usage: [],
      steps: [{ kind: 'verdict', key: '', data }],
    };
    return spokenInTurn(turn)
      .flatMap(({ notes }) => notes)
      .filter(({ name }) => name === 'Still open' || name === 'Confidence');
  };
  expect(notesOf(oldVerdict)).toEqual([{ name: 'Confidence', lines: ['medium'] }]);
  expect(notesOf(newVerdict)).toEqual([
    { name: 'Still open', lines: ['Who pays.'] },
    { name: 'Confidence', lines: ['medium. Nobody has figures.'] },
  ]);
});

test('a receipt gives once why moderator and fallback council failed', () => {
  const note = 'The moderator failed: It is busy.';
  const turn = {
    ...readPastTurn(kept(newVerdict)),
    seated: { seats: [], how: 'fallback' as const, dropped: [], note, latencyMs: 1 },
    ended: { explanation: 'It is busy.', stagesMs: {}, interactionsRemembered: 0 },
  };
  expect(receiptOf(turn, 'failed', [])).toMatchObject({
    explanation: 'It is busy.',
    note: 'The moderator failed.',
  });
});

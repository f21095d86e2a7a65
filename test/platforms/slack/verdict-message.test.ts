import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { english } from '../../../src/domain/languages/english.ts';
import type { Verdict } from '../../../src/domain/turn.ts';
import { personasOf, verdictVoice } from '../../../src/platforms/slack/presenter/persona.ts';
import { verdictParts } from '../../../src/platforms/slack/presenter/turn-messages.ts';
import { hasOpenFence, markdown } from '../chat/text/wild-markdown.ts';
import { wildText } from '../chat/text/wild-text.ts';
import { seat } from '../terminal/turn-events.ts';

const wild = fc.oneof(markdown, wildText);
const long = fc.array(wild, { minLength: 1, maxLength: 40 }).map((texts) => texts.join('\n\n'));

const verdict: fc.Arbitrary<Verdict> = fc.record({
  kind: fc.constantFrom('synthesis', 'top_answer'),
  verdict: long.filter((text) => /[a-z]/.test(text)),
  consensus: fc.array(wild, { maxLength: 5 }),
  disagreements: fc.array(wild, { maxLength: 5 }),
  minorityReport: wild,
  unsettled: fc.array(wild, { maxLength: 5 }),
  confidence: fc.constant('low'),
  confidenceReason: wild,
  dissent: fc.array(fc.record({ sage: fc.constant('ada'), shown: wild, summary: wild }), {
    maxLength: 3,
  }),
  by: fc.constant('test:chair'),
  latencyMs: fc.constant(1),
});

describe('the messages of a verdict', () => {
  test('are within all limits, with every fence closed and nothing live, whatever the chair wrote', () => {
    const personas = personasOf([seat('ada', 'Ada *Love*lace')]);
    fc.assert(
      fc.property(verdict, (shown) => {
        const { pieces, below } = verdictParts({
          turnId: 'turn-1',
          words: english,
          verdict: shown,
          docket: undefined,
          ranked: undefined,
          reviews: [],
          personas,
          offers: { again: [], next: [], mayPost: false, notes: [] },
        });
        expect(pieces.length).toBeGreaterThan(0);
        expect(below.length).toBeLessThan(50);
        for (const piece of pieces) {
          expect(verdictVoice(english).notice(piece)).not.toMatch(/[<>]/);
          expect(verdictVoice(english).notice(piece).length).toBeLessThan(4000);
          expect(piece.length).toBeLessThanOrEqual(11_000);
          expect(piece).not.toContain('<');
          expect(hasOpenFence(piece)).toBe(false);
        }
      }),
      { numRuns: 50 },
    );
  });
});

/** The council of the benches: four sages, the same in every run. */

import type { Council } from '../src/council/council.ts';
import type { Sage } from '../src/domain/turn.ts';

export const benchSages: readonly Sage[] = ['ada', 'ben', 'cleo', 'dan'].map((key) => ({
  key,
  name: key,
  description: `Sees what ${key} sees.`,
  prompt: `You are ${key}. ${'You look first at what could go wrong and what it would cost. '.repeat(20)}`,
  source: 'predefined',
}));

export const benchCouncil: Council = {
  bench: benchSages,
  seats: 'moderated',
  depth: 'standard',
  maxSages: 4,
  maxDynamicSages: 0,
  answerWords: 160,
  fallbackSage: 'ada',
  limits: {
    moderatorTimeoutMs: 60_000,
    sageTimeoutMs: 120_000,
    reviewTimeoutMs: 120_000,
    chairTimeoutMs: 180_000,
    quorumShare: 0.75,
    graceMs: 20_000,
    maxAnswerChars: 12_000,
  },
};

export const benchQuestion = 'Should a team of six rewrite its engine, or mend it part by part?';

/** Events of a turn, with what does not matter to a test filled in. */

import type { TurnEvent } from '../../../src/council/events.ts';
import type { Docket } from '../../../src/domain/docket.ts';
import type { Position, Review, SageAnswer, Verdict } from '../../../src/domain/turn.ts';

export function seat(key: string, name: string, emoji?: string) {
  return {
    sage: {
      key,
      name,
      description: 'sees things',
      source: 'predefined' as const,
      ...(emoji ? { emoji } : {}),
    },
    model: 'test:model',
  };
}

export const marcus = seat('marcus_aurelius', 'Marcus Aurelius', '🏛️');
export const taleb = seat('nassim_taleb', 'Nassim Taleb');

export const seated: TurnEvent = {
  type: 'seated',
  seated: { seats: [marcus, taleb], how: 'moderated', dropped: [], latencyMs: 1 },
};

export function grew(sage: string, answer: string): TurnEvent {
  return { type: 'answer_grew', sage, answer };
}

export function answered(sage: string, answer: string, more: Partial<SageAnswer> = {}): TurnEvent {
  return {
    type: 'answered',
    answer: {
      sage,
      status: 'answered',
      answer,
      summary: 's',
      model: 'test:model',
      latencyMs: 1,
      ...more,
    },
  };
}

export function reviewed(reviewer: string, more: Partial<Review> = {}): TurnEvent {
  return {
    type: 'reviewed',
    review: {
      reviewer,
      model: 'test:model',
      labels: [],
      text: 'a review',
      ballot: { status: 'ranked', groups: [['A'], ['B']], partial: false },
      latencyMs: 1,
      ...more,
    },
  };
}

export function docketed(topic: string, more: Partial<Docket> = {}): TurnEvent {
  const stances = [
    { sage: 'marcus_aurelius', stance: 'Wait.', quote: 'do your part' },
    { sage: 'nassim_taleb', stance: 'Bet now.', quote: 'bet small' },
  ];
  return {
    type: 'docketed',
    docket: {
      consensus: [],
      contradictions: [{ topic, stances }],
      unique: [],
      blindSpots: [],
      droppedQuotes: 0,
      by: 'test:chair',
      latencyMs: 1,
      ...more,
    },
  };
}

export function rebutted(sage: string, position: Position, because: string): TurnEvent {
  const said = { sage, position, because, flaw: '', opposing: '' };
  return { type: 'rebutted', rebuttal: { ...said, model: 'test:model', latencyMs: 1 } };
}

export const ranked: TurnEvent = {
  type: 'ranked',
  sameModel: true,
  ranking: {
    places: [
      { sage: 'nassim_taleb', score: 0.75, position: 1, averagePosition: 1.25, votes: 2 },
      { sage: 'marcus_aurelius', score: 0.25, position: 2, votes: 1 },
    ],
  },
};

export function concluded(more: Partial<Verdict> = {}): TurnEvent {
  return {
    type: 'concluded',
    verdict: {
      kind: 'synthesis',
      verdict: 'Do both.',
      consensus: ['Waiting is worse.'],
      disagreements: ['How much to bet.'],
      minorityReport: 'Bet nothing.',
      unsettled: ['Whether the market lasts.'],
      confidence: 'medium',
      confidenceReason: 'Nobody has measured the risk.',
      dissent: [
        { sage: 'marcus_aurelius', shown: 'Last on every ballot.', summary: 'Duty first.' },
      ],
      by: 'test:chair',
      latencyMs: 1,
      ...more,
    },
  };
}

export const answeredEnd: TurnEvent = {
  type: 'ended',
  end: { outcome: 'answered', explanation: '' },
};

export async function* told(...events: readonly TurnEvent[]): AsyncGenerator<TurnEvent> {
  yield* events;
}

/** Turns that were ranked, as a store keeps them. */

import type { Rating, Score } from '../../src/domain/stored-turn.ts';
import { workspaceOf } from '../../src/domain/thread-id.ts';
import type { Store } from '../../src/store/store.ts';
import { newTurn, runningTurn } from '../contracts/store/samples.ts';

let count = 0;

export interface ScoredChanges extends Partial<Omit<Score, 'sages'>> {
  /** Key of the sage that comes first; absent: ada. */
  readonly first?: string;
  readonly feedback?: Rating;
  readonly createdAt?: number;
}

/** Stores a turn of three sages, two of whom one model plays. @returns Its id. */
export async function scoredTurn(
  store: Store,
  threadId: string,
  { first = 'ada', feedback, createdAt = Date.now(), ...changes }: ScoredChanges = {},
): Promise<string> {
  count += 1;
  const turnId = `scored-${count}`;
  const eventId = `${workspaceOf(threadId)}:${turnId}`;
  const request = {
    turnId,
    threadId,
    eventId,
    question: 'Why?',
    askedAt: createdAt,
    author: { id: 'u1', name: 'Uma' },
  };
  const turn = newTurn(turnId, { threadId, eventId, createdAt, request });
  const { attempt } = await runningTurn(store, turn);
  const others = ['ada', 'ben', 'cleo'].filter((key) => key !== first);
  const score: Score = {
    isPrivate: false,
    agreement: 0.5,
    ...changes,
    sages: [first, ...others].map((sage, place) => ({
      sage,
      name: `${sage.charAt(0).toUpperCase()}${sage.slice(1)} Sage`,
      model: sage === 'cleo' ? 'test:large' : 'test:small',
      won: 1 - place / 2,
      first: place === 0 ? 1 : 0,
      ballot: 'ranked',
      costUsd: 0.01,
    })),
  };
  await store.turns.checkpoint({
    turnId,
    threadId,
    attempt,
    steps: [{ kind: 'scored', key: '', data: score }],
    end: { outcome: 'answered', endedAt: createdAt + 1 },
  });
  if (feedback) {
    await store.turns.remark(turn, { kind: 'feedback', key: 'u1', data: { rating: feedback } });
  }
  return turnId;
}

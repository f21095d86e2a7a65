/** A whole turn that this bot did not run, in the form of an export: recorded or imported. */

import type { TurnStep } from '../council/past-turn.ts';
import { answerContent, type Ended, type Ranked } from '../domain/stored-turn.ts';
import type { Review, SageAnswer, Seated, TurnRequest, Verdict } from '../domain/turn.ts';
import type { ExportedTurn } from '../memory/export/export.ts';

export interface WholeTurn {
  readonly request: TurnRequest;
  readonly seated: Seated;
  readonly answers: readonly SageAnswer[];
  readonly reviews: readonly Review[];
  readonly ranked?: Ranked;
  readonly verdict?: Verdict;
}

/** @param failed - Why nothing came of it, for people; absent: it was answered. */
export function exportedTurn(turn: WholeTurn, failed?: string): ExportedTurn {
  const { turnId, author, question, askedAt, isPrivate } = turn.request;
  const asked = `${turnId}:question`;
  const common = { turnId, createdAt: askedAt, ...(isPrivate !== undefined && { isPrivate }) };
  return {
    ...{ turnId, createdAt: askedAt, endedAt: askedAt, request: turn.request },
    outcome: failed === undefined ? 'answered' : 'failed',
    messages: [
      {
        ...{ ...common, id: asked, role: 'human', type: 'user_query', author: author.name },
        content: { type: 'user_query', text: question },
      },
      ...turn.answers.map((answer) => ({
        ...{ ...common, id: `${turnId}:${answer.sage}`, sage: answer.sage, parentId: asked },
        ...({ role: 'ai', type: 'sage_output' } as const),
        content: answerContent(answer),
      })),
    ],
    steps: [...stepsOf(turn, failed ?? '')],
  };
}

/** What is stored of it beside question and answers. */
function stepsOf({ seated, reviews, ranked, verdict }: WholeTurn, explanation: string) {
  const ended: Ended = { explanation, stagesMs: {}, interactionsRemembered: 0 };
  const steps: readonly TurnStep[] = [
    { kind: 'seated', key: '', data: seated },
    ...reviews.map((data): TurnStep => ({ kind: 'reviewed', key: data.reviewer, data })),
    ...(ranked ? [{ kind: 'ranked', key: '', data: ranked } as const] : []),
    ...(verdict ? [{ kind: 'verdict', key: '', data: verdict } as const] : []),
    { kind: 'ended', key: '', data: ended },
  ];
  return steps;
}

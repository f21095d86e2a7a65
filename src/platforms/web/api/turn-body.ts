/** A turn as the API gives it. */

import { receiptOf } from '../../../council/receipt.ts';
import { partsOf } from '../../../domain/thread-id.ts';
import type { WebTurn } from '../web-council.ts';
import { type TurnBody, turnBody } from './schemas.ts';

/** Parsing leaves out what the document does not have, e.g. prompts. */
export function bodyOf({ past, ...turn }: WebTurn): TurnBody {
  const { turnId, threadId, status, outcome, endedAt, usage } = turn;
  const { request, seated, answers, reviews, ranked, round, verdict, deepenedBy } = past;
  const { explanation, stagesMs, totals } = receiptOf(past, outcome ?? status, usage);
  const { costUsd: usd, ...counts } = totals;
  return turnBody.parse({
    ...{ turnId, thread: partsOf(threadId).thread, status, explanation },
    ...{ question: request.question, askedBy: request.author.name, askedAt: request.askedAt },
    ...(outcome !== undefined && { outcome }),
    ...(endedAt !== undefined && { endedAt }),
    sages: (seated?.seats ?? []).map(({ sage, ...seat }) => ({ ...sage, ...seat })),
    ...{ answers, reviews },
    ...(ranked && { ranking: ranked.ranking }),
    ...(ranked?.disagreement && { disagreement: ranked.disagreement }),
    ...(round && { docket: round.docket }),
    ...{ rebuttals: round?.rebuttals ?? [], secondBallots: round?.recasts ?? [] },
    ...(verdict && { verdict }),
    ...(deepenedBy !== undefined && { deepenedBy }),
    ...{ cost: { usd, ...counts }, stagesMs },
  });
}

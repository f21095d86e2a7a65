/** A whole turn, as its page is given it. */

import type { TurnEvent } from '../../../src/council/events.ts';
import type { PastTurn } from '../../../src/council/past-turn.ts';
import type { WebTurn } from '../../../src/platforms/web/web-council.ts';
import {
  answered,
  concluded,
  docketed,
  marcus,
  ranked,
  rebutted,
  reviewed,
  taleb,
} from '../terminal/turn-events.ts';
import { askedTurn } from './web-world.ts';

export type Of<Type> = Extract<TurnEvent, { readonly type: Type }>;

/** A turn at depth `deep` in which everybody writes the same. */
export function endedTurn(text: string, workspace = 'local'): WebTurn {
  const turn = askedTurn('t1', workspace);
  const docket = docketed(text) as Of<'docketed'>;
  const labels = [{ label: 'A', sage: 'nassim_taleb' }];
  const seats = [marcus, { ...taleb, sage: { ...taleb.sage, name: text }, focus: text }];
  const { type: _, ...places } = ranked as Of<'ranked'>;
  const said = { consensus: [text], disagreements: [text], minorityReport: text, notice: text };
  const past: PastTurn = {
    ...turn.past,
    request: {
      ...turn.past.request,
      question: text,
      preset: text,
      author: { id: 'ada', name: `Ada ${text}` },
    },
    seated: { seats, how: 'moderated', dropped: [], note: text, latencyMs: 1 },
    answers: [
      (answered('marcus_aurelius', text, { status: 'failed' }) as Of<'answered'>).answer,
      (answered('nassim_taleb', text) as Of<'answered'>).answer,
    ],
    reviews: [(reviewed('nassim_taleb', { text, labels }) as Of<'reviewed'>).review],
    round: {
      docket: docket.docket,
      rebuttals: [(rebutted('nassim_taleb', 'held', text) as Of<'rebutted'>).rebuttal],
      recasts: [],
    },
    ranked: places,
    verdict: (concluded({ verdict: text, ...said, nextQuestions: [text] }) as Of<'concluded'>)
      .verdict,
    ended: { explanation: '', stagesMs: {}, interactionsRemembered: 0 },
  };
  return { ...turn, status: 'ended', outcome: 'answered', endedAt: 2, past };
}

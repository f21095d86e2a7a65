/** The state of a turn's page, folded from live or stored events. */

import type { TurnEvent } from '../../../council/events.ts';
import { answerContent, type ReadStep } from '../../../domain/stored-turn.ts';
import type { SageAnswer } from '../../../domain/turn.ts';
import { namesOf } from '../../../domain/words.ts';
import { type SaidTurn, spokenInTurn } from '../../../pages/spoken.ts';
import { advance, notBegun, type TurnProgress } from '../../chat/show/turn-progress.ts';
import { eventsOf, type WebTurn } from '../web-council.ts';

export interface TurnView {
  readonly progress: TurnProgress;
  /** Completed parts, in the form in which they are stored. */
  readonly said: Omit<SaidTurn, 'steps'> & { readonly steps: readonly ReadStep[] };
  /** Unfinished answers so far, by key of the sage. */
  readonly growing: ReadonlyMap<string, string>;
  /** The verdict so far, while the chair writes it. */
  readonly growingVerdict: string;
}

/** The view of a turn before its first event. */
export function initialView({ past, createdAt, endedAt }: WebTurn): TurnView {
  return {
    ...{ progress: notBegun, growing: new Map(), growingVerdict: '' },
    said: {
      ...{ createdAt, ...(endedAt === undefined ? {} : { endedAt }), messages: [] },
      steps: past.followed.map((data) => ({ kind: 'followed', data })),
    },
  };
}

/** The view of a stored turn. */
export function viewOf(turn: WebTurn): TurnView {
  return eventsOf(turn).reduce(applyEvent, initialView(turn));
}

/** The view after an event. */
export function applyEvent(view: TurnView, event: TurnEvent): TurnView {
  const next = { ...view, progress: advance(view.progress, event) };
  switch (event.type) {
    case 'seated':
      return withStep(next, { kind: 'seated', data: event.seated });
    case 'recalled':
      return event.answers.reduce(
        withAnswer,
        withStep(next, { kind: 'seated', data: event.seated }),
      );
    case 'answer_grew':
      return { ...next, growing: new Map(view.growing).set(event.sage, event.answer) };
    case 'answered':
      return withAnswer(next, event.answer);
    case 'reviewed':
      return withStep(next, { kind: 'reviewed', data: event.review });
    case 'rebutted':
      return withStep(next, { kind: 'rebutted', data: event.rebuttal });
    case 'ranked': {
      const { type: _, ...ranked } = event;
      return withStep(next, { kind: 'ranked', data: ranked });
    }
    case 'verdict_grew':
      return { ...next, growingVerdict: event.verdict };
    case 'concluded':
      return withStep(next, { kind: 'verdict', data: event.verdict });
    default:
      return next;
  }
}

function withStep(view: TurnView, step: ReadStep): TurnView {
  return { ...view, said: { ...view.said, steps: [...view.said.steps, step] } };
}

function withAnswer(view: TurnView, answer: SageAnswer): TurnView {
  const { sage } = answer;
  const { messages, createdAt } = view.said;
  const message = { role: 'ai', sage, content: answerContent(answer), createdAt } as const;
  const growing = new Map(view.growing);
  growing.delete(sage);
  const others = messages.filter((one) => one.sage !== sage);
  return { ...view, growing, said: { ...view.said, messages: [...others, message] } };
}

/** The texts of a turn: the verdict, the answers by key of the sage, and the reviews. */
export function partsOfTurn({ said }: TurnView) {
  const spoken = spokenInTurn(said);
  const answers = spoken.filter(({ kind }) => kind === 'answer');
  return {
    verdict: spoken.find(({ kind }) => kind === 'verdict'),
    answers: new Map(answers.map((answer, index) => [said.messages[index]?.sage ?? '', answer])),
    reviews: spoken.filter(({ kind }) => kind === 'review'),
  };
}

/** Returns a function from a sage's key to its name. */
export function namesIn({ progress }: TurnView): (key: string) => string {
  return namesOf(progress.seats.map(({ sage }) => sage));
}

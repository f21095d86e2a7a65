/** The state of a turn's page, folded from live or stored events. */

import type { TurnEvent } from '../../../council/events.ts';
import { answerContent } from '../../../domain/stored-turn.ts';
import type { SageAnswer, TurnRequest } from '../../../domain/turn.ts';
import { namesOf } from '../../../domain/words.ts';
import { type SaidTurn, spokenInTurn } from '../../../pages/spoken.ts';
import { advance, notBegun, type TurnProgress } from '../../chat/show/turn-progress.ts';
import { eventsOf, type WebTurn } from '../web-council.ts';

export interface TurnView {
  readonly request: TurnRequest;
  readonly progress: TurnProgress;
  /** Completed parts, in the form in which they are stored. */
  readonly said: SaidTurn;
  /** Unfinished answers so far, by key of the sage. */
  readonly growing: ReadonlyMap<string, string>;
  /** The verdict so far, while the chair writes it. */
  readonly growingVerdict: string;
}

/** The view of a turn before its first event. */
export function initialView({ past, createdAt, endedAt }: WebTurn): TurnView {
  const { request, followed } = past;
  return {
    ...{ request, progress: notBegun, growing: new Map(), growingVerdict: '' },
    said: {
      ...{ createdAt, ...(endedAt === undefined ? {} : { endedAt }) },
      messages: [
        {
          ...{ role: 'human', author: request.author.name, createdAt: request.askedAt },
          content: { type: 'user_query', text: request.question },
        },
      ],
      steps: followed.map((data) => ({ kind: 'followed', data })),
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
      return withStep(next, 'seated', event.seated);
    case 'recalled':
      return event.answers.reduce(withAnswer, withStep(next, 'seated', event.seated));
    case 'answer_grew':
      return { ...next, growing: new Map(view.growing).set(event.sage, event.answer) };
    case 'answered':
      return withAnswer(next, event.answer);
    case 'reviewed':
      return withStep(next, 'reviewed', event.review);
    case 'docketed':
      return withStep(next, 'docket', event.docket);
    case 'rebutted':
      return withStep(next, 'rebutted', event.rebuttal);
    case 'recast':
      return withStep(next, 'recast', event.ballot);
    case 'ranked': {
      const { type: _, ...ranked } = event;
      return withStep(next, 'ranked', ranked);
    }
    case 'verdict_grew':
      return { ...next, growingVerdict: event.verdict };
    case 'concluded':
      return withStep(next, 'verdict', event.verdict);
    default:
      return next;
  }
}

function withStep(view: TurnView, kind: string, data: unknown): TurnView {
  return { ...view, said: { ...view.said, steps: [...view.said.steps, { kind, data }] } };
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
  const sages = said.messages.flatMap(({ role, sage }) => (role === 'ai' && sage ? sage : []));
  return {
    verdict: spoken.find(({ kind }) => kind === 'verdict'),
    answers: new Map(answers.map((answer, index) => [sages[index] ?? '', answer])),
    reviews: spoken.filter(({ kind }) => kind === 'review'),
  };
}

/** Returns a function from a sage's key to its name. */
export function namesIn({ progress }: TurnView): (key: string) => string {
  return namesOf(progress.seats.map(({ sage }) => sage));
}

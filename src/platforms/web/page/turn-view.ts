/** The state of a turn's page, folded from live or stored events. */

import type { TurnEvent } from '../../../council/events.ts';
import { finishedStep } from '../../../council/past-turn.ts';
import { answerContent } from '../../../domain/stored-turn.ts';
import { namesOf } from '../../../domain/words.ts';
import { type SaidTurn, spokenInTurn } from '../../../pages/spoken.ts';
import { advance, notBegun, type TurnProgress } from '../../chat/show/turn-progress.ts';
import { eventsOf, type WebTurn } from '../web-council.ts';

export interface TurnView {
  readonly turn: WebTurn;
  readonly progress: TurnProgress;
  /** The events so far, each once, without those of growing texts. */
  readonly events: readonly TurnEvent[];
  /** Answers as they grew, by key of the sage. */
  readonly growing: ReadonlyMap<string, string>;
  /** The verdict so far, while the chair writes it. */
  readonly growingVerdict: string;
}

/** The view of a turn before its first event. */
export function initialView(turn: WebTurn): TurnView {
  return { turn, progress: notBegun, events: [], growing: new Map(), growingVerdict: '' };
}

/** The view of a stored turn. */
export function viewOf(turn: WebTurn): TurnView {
  return eventsOf(turn).reduce(applyEvent, initialView(turn));
}

/** The view after an event. */
export function applyEvent(view: TurnView, event: TurnEvent): TurnView {
  const next = { ...view, progress: advance(view.progress, event) };
  switch (event.type) {
    case 'answer_grew':
      return { ...next, growing: new Map(view.growing).set(event.sage, event.answer) };
    case 'verdict_grew':
      return { ...next, growingVerdict: event.verdict };
    default:
      return { ...next, events: [...view.events, event] };
  }
}

/** The completed parts, in the form in which they are stored. */
export function saidIn({ turn, events }: TurnView): SaidTurn {
  const { createdAt, endedAt, past } = turn;
  const answers = events.flatMap((event) => {
    if (event.type === 'recalled') return event.answers;
    return event.type === 'answered' ? [event.answer] : [];
  });
  const messages = answers.map((answer) => {
    return { role: 'ai', sage: answer.sage, content: answerContent(answer), createdAt } as const;
  });
  const followed = past.followed.map((data) => ({ kind: 'followed', data }));
  const steps = [...followed, ...events.flatMap((event) => finishedStep(event) ?? [])];
  return { createdAt, ...(endedAt !== undefined && { endedAt }), messages, steps };
}

/** The texts of a turn: the verdict, the answers by key of the sage, and the reviews. */
export function partsOfTurn(view: TurnView) {
  const said = saidIn(view);
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

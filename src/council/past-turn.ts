/** Reads a stored turn, and replays it as events. */

import { describeHeard, type Heard } from '../domain/heard.ts';
import {
  type Ended,
  type Feedback,
  type Ranked,
  schemaOfStep,
  type TurnStepData,
  type VerdictUses,
} from '../domain/stored-turn.ts';
import { sageAnswerSchema, type TurnRequest, turnRequestSchema } from '../domain/turn.ts';
import type { ChannelSettings, SettingName } from '../settings/channel-settings.ts';
import type { PassedCheckpoints, TurnEnd, TurnEvent } from './events.ts';

type KeyedKind = 'reviewed' | 'rebutted' | 'recast' | 'feedback' | 'followed';

/** A step of a turn as it is written to the store. */
export type TurnStep =
  | {
      readonly kind: 'settings';
      readonly key: '';
      readonly data: Pick<ChannelSettings, SettingName>;
    }
  | {
      [Kind in Exclude<keyof TurnStepData, 'settings'>]: {
        readonly kind: Kind;
        /** The sage's key; for `feedback` the person's id, for `followed` the later turn's id; else empty. */
        readonly key: Kind extends KeyedKind ? string : '';
        readonly data: TurnStepData[Kind];
      };
    }[Exclude<keyof TurnStepData, 'settings'>];

/** The finished step that an event reports, as it is stored: none for most events, nor for answers, which are messages. */
export function finishedStep(event: TurnEvent): TurnStep | undefined {
  switch (event.type) {
    case 'seated':
    case 'recalled':
      return { kind: 'seated', key: '', data: event.seated };
    case 'own_answer':
      return { kind: 'own_answer', key: '', data: event.ownAnswer };
    case 'reviewed':
      return { kind: 'reviewed', key: event.review.reviewer, data: event.review };
    case 'docketed':
      return { kind: 'docket', key: '', data: event.docket };
    case 'rebutted':
      return { kind: 'rebutted', key: event.rebuttal.sage, data: event.rebuttal };
    case 'recast':
      return { kind: 'recast', key: event.ballot.reviewer, data: event.ballot };
    case 'ranked': {
      const { type: _, ...data } = event;
      return { kind: 'ranked', key: '', data };
    }
    case 'concluded':
      return { kind: 'verdict', key: '', data: event.verdict };
    default:
      return undefined;
  }
}

/** A stored turn. */
export interface PastTurn extends PassedCheckpoints, VerdictUses {
  readonly request: TurnRequest;
  /** The channel's settings at that time; they may no longer be valid. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Where a platform shows it, in that platform's format. */
  readonly shownAt?: string;
  readonly heard?: Heard;
  readonly ranked?: Ranked;
  /** Somebody has asked to stop it. */
  readonly isStopped?: true;
  readonly ended?: Ended;
  /** Id of the later turn that took it deeper. */
  readonly deepenedBy?: string;
  /** At most one per person. */
  readonly feedback: readonly Feedback[];
}

/** The records of a turn, as any store returns them. */
export interface KeptTurn {
  readonly request: unknown;
  readonly steps: readonly { readonly kind: string; readonly data: unknown }[];
  readonly messages: readonly {
    readonly status: string;
    readonly role: string;
    readonly content: unknown;
  }[];
}

/** The language of a stored request; `undefined` for English, and if the request can't be read. */
export function languageIn(request: unknown): string | undefined {
  return turnRequestSchema.pick({ language: true }).safeParse(request).data?.language;
}

/** Parses the records of a turn. Throws a `ZodError` if they aren't valid. */
export function readPastTurn(kept: KeptTurn): PastTurn {
  const all = <Kind extends keyof TurnStepData>(kind: Kind): readonly TurnStepData[Kind][] =>
    kept.steps.flatMap((step) => (step.kind === kind ? [schemaOfStep[kind].parse(step.data)] : []));
  const [settings] = all('settings');
  const [shown] = all('shown');
  const [heard] = all('heard');
  const [seated] = all('seated');
  const [ownAnswer] = all('own_answer');
  const [docket] = all('docket');
  const [ranked] = all('ranked');
  const [verdict] = all('verdict');
  const [deepened] = all('deepened');
  const [posted] = all('posted');
  const [stop] = all('stop');
  const [ended] = all('ended');
  return {
    request: turnRequestSchema.parse(kept.request),
    ...(settings ? { settings } : {}),
    ...(shown ? { shownAt: shown.place } : {}),
    ...(heard ? { heard } : {}),
    ...(seated ? { seated } : {}),
    ...(ownAnswer ? { ownAnswer } : {}),
    answers: kept.messages
      .filter((message) => message.role === 'ai' && message.status === 'complete')
      .map((message) => sageAnswerSchema.parse(message.content)),
    reviews: all('reviewed'),
    ...(docket ? { round: { docket, rebuttals: all('rebutted'), recasts: all('recast') } } : {}),
    ...(ranked ? { ranked } : {}),
    ...(verdict ? { verdict } : {}),
    ...(stop ? { isStopped: true } : {}),
    ...(ended ? { ended } : {}),
    ...(deepened ? { deepenedBy: deepened.turnId } : {}),
    followed: all('followed'),
    ...(posted ? { posted } : {}),
    feedback: all('feedback'),
  };
}

/** The parts of a turn to replay; for one that takes another deeper, `answers` are the earlier ones. */
export type ReplayedTurn = Pick<PastTurn, 'seated' | 'answers' | 'reviews'> &
  Partial<Pick<PastTurn, 'heard' | 'ownAnswer' | 'round' | 'ranked' | 'verdict'>> & {
    readonly request: Pick<PastTurn['request'], 'deepens'>;
  };

/** How a turn ended. @param outcome - From the store. */
export function endOf({ ended }: Pick<PastTurn, 'ended'>, outcome = ''): TurnEnd {
  const isKnown = outcome === 'answered' || outcome === 'stopped';
  return { outcome: isKnown ? outcome : 'failed', explanation: ended?.explanation ?? '' };
}

/**
 * Returns the events of a turn in the order of {@link TurnEvent}, without the growth of its texts.
 *
 * @param end - How it ended; absent: it's still running.
 */
export function replayTurn(turn: ReplayedTurn, end?: TurnEnd): readonly TurnEvent[] {
  const { request, heard, seated, ownAnswer, answers, reviews, round, ranked, verdict } = turn;
  const events: TurnEvent[] = heard ? [{ type: 'heard', heard: describeHeard(heard) }] : [];
  if (seated && request.deepens !== undefined) events.push({ type: 'recalled', seated, answers });
  else {
    if (seated) {
      events.push({ type: 'stage_started', stage: 'moderator' }, { type: 'seated', seated });
      events.push({ type: 'stage_started', stage: 'sages' });
    }
    const asked = end ? [] : (seated?.seats ?? []).map(({ sage }) => sage.key);
    // All are asked at once, so those without an answer are still thinking.
    for (const sage of asked.filter((key) => answers.every((answer) => answer.sage !== key))) {
      events.push({ type: 'sage_started', sage });
    }
    for (const answer of answers) {
      events.push({ type: 'sage_started', sage: answer.sage }, { type: 'answered', answer });
    }
  }
  if (ownAnswer) events.push({ type: 'own_answer', ownAnswer });
  if (reviews.length > 0) events.push({ type: 'stage_started', stage: 'reviews' });
  events.push(...reviews.map((review): TurnEvent => ({ type: 'reviewed', review })));
  if (round) {
    const { docket, rebuttals, recasts } = round;
    events.push({ type: 'stage_started', stage: 'docket' }, { type: 'docketed', docket });
    if (rebuttals.length > 0) events.push({ type: 'stage_started', stage: 'rebuttals' });
    events.push(...rebuttals.map((rebuttal): TurnEvent => ({ type: 'rebutted', rebuttal })));
    if (recasts.length > 0) events.push({ type: 'stage_started', stage: 'second_ballots' });
    events.push(...recasts.map((ballot): TurnEvent => ({ type: 'recast', ballot })));
  }
  if (ranked) events.push({ type: 'ranked', ...ranked });
  if (verdict) {
    events.push({ type: 'stage_started', stage: 'verdict' }, { type: 'concluded', verdict });
  }
  if (end) events.push({ type: 'ended', end });
  return events;
}

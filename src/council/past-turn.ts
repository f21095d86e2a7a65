/** A turn as it is read back from a store. */

import type { z } from 'zod';
import type { Heard } from '../domain/heard.ts';
import {
  type Ended,
  type Feedback,
  type Ranked,
  stepSchemas,
  type TurnStepData,
  type VerdictUses,
} from '../domain/stored-turn.ts';
import { sageAnswerSchema, type TurnRequest, turnRequestSchema } from '../domain/turn.ts';
import type { ChannelSettings, SettingName } from '../settings/channel-settings.ts';
import type { PassedCheckpoints, TurnEnd, TurnEvent } from './events.ts';

type KeyedKind = 'reviewed' | 'rebutted' | 'recast' | 'feedback' | 'followed';

/** What is kept of a turn beside its answers, as it is written. */
export type TurnStep =
  | {
      readonly kind: 'settings';
      readonly key: '';
      readonly data: Pick<ChannelSettings, SettingName>;
    }
  | {
      [Kind in Exclude<keyof TurnStepData, 'settings'>]: {
        readonly kind: Kind;
        /** Of what a sage writes its key, of feedback the id of the person who gave it, of a turn that followed its id; empty for all others. */
        readonly key: Kind extends KeyedKind ? string : '';
        readonly data: TurnStepData[Kind];
      };
    }[Exclude<keyof TurnStepData, 'settings'>];

/** A turn group, read. */
export interface PastTurn extends PassedCheckpoints, VerdictUses {
  readonly request: TurnRequest;
  /** As they were stored; they may no longer be valid. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Where a platform shows it, in that platform's own terms. */
  readonly shownAt?: string;
  readonly heard?: Heard;
  readonly ranked?: Ranked;
  readonly ended?: Ended;
  /** Id of the later turn that goes on from it, at depth `deep`. */
  readonly deepenedBy?: string;
  /** One of each person who has given any. */
  readonly feedback: readonly Feedback[];
}

/** The records a turn is read from, as any store gives them. */
export interface KeptTurn {
  readonly request: unknown;
  readonly steps: readonly { readonly kind: string; readonly data: unknown }[];
  readonly messages: readonly {
    readonly status: string;
    readonly role: string;
    readonly content: unknown;
  }[];
}

/** What each kind of step holds, by its kind. */
const schemas: { readonly [Kind in keyof TurnStepData]: z.ZodType<TurnStepData[Kind]> } =
  stepSchemas;

/** Throws a `ZodError` when the records are not those of a turn. */
export function readPastTurn(kept: KeptTurn): PastTurn {
  const all = <Kind extends keyof TurnStepData>(kind: Kind): readonly TurnStepData[Kind][] =>
    kept.steps.flatMap((step) => (step.kind === kind ? [schemas[kind].parse(step.data)] : []));
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
    ...(ended ? { ended } : {}),
    ...(deepened ? { deepenedBy: deepened.turnId } : {}),
    followed: all('followed'),
    ...(posted ? { posted } : {}),
    feedback: all('feedback'),
  };
}

/** What is retold of a turn; of one that goes deeper, with the answers that it goes on from. */
export type Retold = Pick<PastTurn, 'seated' | 'answers' | 'reviews'> &
  Partial<Pick<PastTurn, 'ownAnswer' | 'round' | 'ranked' | 'verdict'>> & {
    readonly request: Pick<PastTurn['request'], 'deepens'>;
  };

/** How a turn ended. @param outcome - As the store has it. */
export function endOf({ ended }: Pick<PastTurn, 'ended'>, outcome = ''): TurnEnd {
  const isKnown = outcome === 'answered' || outcome === 'stopped';
  return { outcome: isKnown ? outcome : 'failed', explanation: ended?.explanation ?? '' };
}

/**
 * Tells the events of a turn without the growth of its texts, in the order of {@link TurnEvent}.
 *
 * @param end - How it ended; absent: it has not, and what has not happened yet is not told.
 */
export function retold(turn: Retold, end?: TurnEnd): readonly TurnEvent[] {
  const { request, seated, ownAnswer, answers, reviews, round, ranked, verdict } = turn;
  const events: TurnEvent[] = [];
  if (seated && request.deepens !== undefined) events.push({ type: 'recalled', seated, answers });
  else {
    if (seated) {
      events.push({ type: 'stage_started', stage: 'moderator' }, { type: 'seated', seated });
      events.push({ type: 'stage_started', stage: 'sages' });
    }
    const asked = end ? [] : (seated?.seats ?? []).map(({ sage }) => sage.key);
    // They are asked at once: those without an answer still think.
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

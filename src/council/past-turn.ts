/** A turn as it is read back from a store. */

import type { Round } from '../domain/docket.ts';
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
import type { PassedCheckpoints } from './events.ts';

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

/** Throws a `ZodError` when the records are not those of a turn. */
export function readPastTurn(kept: KeptTurn): PastTurn {
  const dataOf = (kind: keyof TurnStepData) =>
    kept.steps.filter((step) => step.kind === kind).map((step) => step.data);
  const [settings] = dataOf('settings').map((data) => stepSchemas.settings.parse(data));
  const [shown] = dataOf('shown').map((data) => stepSchemas.shown.parse(data));
  const [heard] = dataOf('heard').map((data) => stepSchemas.heard.parse(data));
  const [seated] = dataOf('seated').map((data) => stepSchemas.seated.parse(data));
  const [ownAnswer] = dataOf('own_answer').map((data) => stepSchemas.own_answer.parse(data));
  const [docket] = dataOf('docket').map((data) => stepSchemas.docket.parse(data));
  const [ranked] = dataOf('ranked').map((data) => stepSchemas.ranked.parse(data));
  const [verdict] = dataOf('verdict').map((data) => stepSchemas.verdict.parse(data));
  const [deepened] = dataOf('deepened').map((data) => stepSchemas.deepened.parse(data));
  const [posted] = dataOf('posted').map((data) => stepSchemas.posted.parse(data));
  const [ended] = dataOf('ended').map((data) => stepSchemas.ended.parse(data));
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
    reviews: dataOf('reviewed').map((data) => stepSchemas.reviewed.parse(data)),
    ...(docket ? { round: { docket, ...roundIn(dataOf) } } : {}),
    ...(ranked ? { ranked } : {}),
    ...(verdict ? { verdict } : {}),
    ...(ended ? { ended } : {}),
    ...(deepened ? { deepenedBy: deepened.turnId } : {}),
    followed: dataOf('followed').map((data) => stepSchemas.followed.parse(data)),
    ...(posted ? { posted } : {}),
    feedback: dataOf('feedback').map((data) => stepSchemas.feedback.parse(data)),
  };
}

function roundIn(dataOf: (kind: keyof TurnStepData) => readonly unknown[]): Omit<Round, 'docket'> {
  return {
    rebuttals: dataOf('rebutted').map((data) => stepSchemas.rebutted.parse(data)),
    recasts: dataOf('recast').map((data) => stepSchemas.recast.parse(data)),
  };
}

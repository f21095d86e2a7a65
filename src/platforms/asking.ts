/** What is asked, and whether it was taken: questions, and the small tasks that programs give besides. */

import type { Person, Place } from '../../commands/command.ts';
import type { TurnRequest } from '../domain/turn.ts';

/** A question as it is handed in; with a `turnId` it is one of {@link Ingress.abandoned}. */
export type Question = Omit<TurnRequest, 'turnId'> & Partial<Pick<TurnRequest, 'turnId'>>;

/** What a question takes over from the place that it is asked in. */
export function questionIn(
  place: Place,
  {
    person,
    ...asked
  }: Omit<Question, 'threadId' | 'author'> & {
    readonly person: Pick<Person, 'id' | 'name' | 'workspace' | 'limits'>;
  },
): Question {
  const { platform: _, workspace: _of, channel: _in, ...readBy } = place;
  const { id, name, workspace, limits } = person;
  const author = { id, name, ...(workspace && { workspace }), ...(limits && { limits }) };
  return { ...readBy, ...asked, author };
}

/** Whether a question was taken. */
export type Asked =
  /** `turnsBefore`: how many turns of the thread come first. `isNew: false`: the event was known already. */
  | {
      readonly status: 'accepted';
      readonly turnId: string;
      readonly isNew: boolean;
      readonly turnsBefore: number;
    }
  /**
   * `reason` is for the person: what was wrong, what was expected. `isStranger`: the operator lets the person or
   * the place ask nothing at all, so say it once, and only where they have asked for an answer. `retryAfterMs`:
   * a limit refused it, which may let it pass then; absent: it is refused for as long as it is asked like that.
   */
  | {
      readonly status: 'refused';
      readonly reason: string;
      readonly isStranger?: boolean;
      readonly retryAfterMs?: number;
      readonly isAway?: true; // the store or the queue failed: it may pass once they are back
    }
  /** Only where a thread had to be opened: another delivery of the event was taken. */
  | { readonly status: 'dropped' };

/** A small task that a program gives, e.g. to find a title for a chat. */
export interface SideTask {
  readonly threadId: string;
  /** Who pays for it, with the place. */
  readonly person: Pick<Person, 'id' | 'limits'>;
  /** As a model is shown them; oldest first. */
  readonly messages: readonly {
    readonly role: 'system' | 'user' | 'assistant';
    readonly content: string;
  }[];
  readonly signal: AbortSignal;
}

/** What one call took. */
export interface CountedTokens {
  readonly inputTokens: number;
  /** Reasoning included. */
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

/** What came of a side task. */
export type SideTaskDone =
  | {
      readonly status: 'done';
      readonly text: string;
      readonly calls: readonly CountedTokens[];
    }
  /** As {@link Asked}. */
  | Extract<Asked, { status: 'refused' }>
  /** The model did not answer; `reason` is for people. */
  | { readonly status: 'failed'; readonly reason: string };

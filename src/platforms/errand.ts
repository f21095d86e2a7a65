/** Small tasks that programs give besides questions, e.g. to find a title for a chat. */

import type { Person } from '../../commands/command.ts';
import type { Asked } from './platform.ts';

/** One of them, as it is handed in. */
export interface Errand {
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

/** What came of an errand. */
export type ErrandDone =
  | {
      readonly status: 'done';
      readonly text: string;
      readonly calls: readonly CountedTokens[];
    }
  /** As {@link Asked}. */
  | Extract<Asked, { status: 'refused' }>
  /** The model did not answer; `reason` is for people. */
  | { readonly status: 'failed'; readonly reason: string };

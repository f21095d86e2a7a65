/** What a person is shown of a workspace by themselves. */

import type { SettingField } from '../settings/setting-field.ts';
import type { Sage } from './turn.ts';

/** A question that a person asked. */
export interface RecentQuestion {
  readonly turnId: string;
  readonly threadId: string;
  readonly question: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  /** `answered`, `stopped`, `failed`; absent while it has not ended. */
  readonly outcome?: string;
}

/** What a person is shown of a workspace by themselves. */
export interface Overview {
  /** Who may sit in the channels that set nothing. */
  readonly bench: readonly Sage[];
  /** What holds in those channels. */
  readonly defaults: readonly SettingField[];
  /** The person's own last questions, newest first, at most 10. */
  readonly recent: readonly RecentQuestion[];
}

import type { ViolationLog } from '../../violation-log.ts';

/** Something that the app sent and Slack would refuse, or would pass over in silence. */
export interface Violation {
  /** The method, e.g. `chat.postMessage`; or what else was answered, e.g. `view_submission`. */
  readonly method: string;
  /** Slack's word for it, e.g. `invalid_blocks`; `unknown_argument` for what it would pass over. */
  readonly code: string;
  /** Where, and what is wrong there. */
  readonly problems: readonly string[];
}

/** Throws an Error that lists them, when there are any. */
export function assertNone({ all }: ViolationLog<Violation>): void {
  if (all.length === 0) return;
  const lines = all.map(
    ({ method, code, problems }) => `${method} ${code}: ${problems.join('; ')}`,
  );
  throw new Error(`Slack would have refused or ignored:\n${lines.join('\n')}`);
}

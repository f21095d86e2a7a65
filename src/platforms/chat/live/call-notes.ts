/** Notes every call of a trial with what the platform said to it. */

import { PlatformRefusal, SetupError, UnansweredError } from '../pacing/platform-error.ts';

/** What is refused before it is sent, so that the plainer form in its place is tried. */
export type Refused = 'nothing' | 'charts' | 'forms';

export interface TriedCall {
  /** The platform's own name for it, e.g. `chat.startStream`. */
  readonly name: string;
  /** As JSON; for recognising the call, never for the report. */
  readonly sent: string;
  readonly refusing: Refused;
  /** Absent: the platform took it. */
  readonly error?: Error;
}

export class CallNotes {
  readonly #calls: TriedCall[] = [];
  readonly #underWay = new Set<Promise<unknown>>();
  refusing: Refused = 'nothing';

  get calls(): readonly TriedCall[] {
    return this.#calls;
  }

  /** Makes a call and notes it. Limits of the platform are no refusal: such a call is made again. */
  async note<Answer>(name: string, sent: unknown, make: () => Promise<Answer>): Promise<Answer> {
    const call = { name, sent: JSON.stringify(sent) ?? '', refusing: this.refusing };
    const made = make();
    this.#underWay.add(made);
    try {
      const answer = await made;
      this.#calls.push(call);
      return answer;
    } catch (error) {
      if (isSaid(error)) this.#calls.push({ ...call, error });
      throw error;
    } finally {
      this.#underWay.delete(made);
    }
  }

  /** Resolves when no call is under way, whatever still waits for it. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }
}

/** Whether an error is what the platform said, and not e.g. the end of the trial. */
function isSaid(error: unknown): error is Error {
  return [PlatformRefusal, SetupError, UnansweredError].some((kind) => error instanceof kind);
}

/** What people say to each other where a question is asked. */

import type { Heard, HearingLimits } from '../domain/heard.ts';
import type { OpenedFile } from '../domain/source.ts';
import type { TurnRequest } from '../domain/turn.ts';

export interface Hearing {
  /**
   * Reads what people were saying around a question, oldest first, within the limits; needs no connection.
   *
   * @param known - What came with the question; it stays.
   * @param signal - Aborted when it has to do without: what is read by then is not waited for.
   * @returns Absent where people don't talk to each other. What may not be read is told in its `gap`. May throw.
   */
  hear(
    request: TurnRequest,
    known: Heard | undefined,
    limits: HearingLimits,
    signal: AbortSignal,
  ): Promise<Heard | undefined>;
  /**
   * Opens a file that came with a message, on the platform's own servers alone; needs no connection.
   *
   * @param place - Where the message stands, as in {@link Heard}.
   * @param address - As the message tells it.
   * @returns May throw.
   */
  openFile(place: string, address: string, signal: AbortSignal): Promise<OpenedFile>;
}

/** Tells the process that runs a turn, or will run it, that somebody wants it stopped. */

/** A backend in one file beside this one; `test/contracts/stop-requests.ts` tells whether it is right. */
export interface StopRequests {
  /** Asks for a turn to be stopped. It is known for a day, so that it also reaches one that still waits. */
  request(turnId: string): Promise<void>;
  /**
   * Calls back once when somebody asks, from any process; before this resolves, when somebody has
   * asked already.
   *
   * @returns A function that ends the watch.
   */
  watch(turnId: string, onStop: () => void): Promise<() => void>;
  /** Lets go of the backend. */
  close(): Promise<void>;
}

/** How long a request is known, in milliseconds. */
export const stopKnownMs = 86_400_000;

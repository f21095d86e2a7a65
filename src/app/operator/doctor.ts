/** `doctor`: tries each part of the set-up and says what to do about what fails. */

/** One thing to look at. */
export interface Check {
  /** e.g. `store data/council.db`. */
  readonly name: string;
  /** Gives what was found, for people. Throws an error whose message says what is wrong and what to do. */
  run(signal: AbortSignal): Promise<string>;
}

/** How one check ended. */
export interface Finding {
  readonly name: string;
  readonly isWell: boolean;
  readonly text: string;
}

/** How long one check may take before it counts as failed. */
export const checkTimeoutMs = 20_000;

/** Runs all checks side by side, and tells each finding in the order of the checks as it is there. */
export async function* examine(checks: readonly Check[]): AsyncGenerator<Finding> {
  const findings = checks.map(examineOne);
  for (const finding of findings) yield await finding;
}

async function examineOne({ name, run }: Check): Promise<Finding> {
  const ending = new AbortController();
  const silence = `Nothing came within ${checkTimeoutMs / 1000} s. Check that its address is right and that it is running.`;
  const timer = setTimeout(() => ending.abort(new Error(silence)), checkTimeoutMs);
  try {
    return { name, isWell: true, text: await run(ending.signal) };
  } catch (error) {
    return { name, isWell: false, text: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
}

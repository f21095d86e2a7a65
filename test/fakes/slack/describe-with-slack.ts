import { describe } from 'vitest';
import { programMissing, programPath } from './binary/program.ts';

/** Describes tests that need a Slack. Where there can be none they are skipped, under a name that says why. */
export function describeWithSlack(name: string, tests: () => void): void {
  if (programPath === undefined) describe.skip(`${name} (skipped: it ${programMissing})`, tests);
  else describe(name, tests);
}

/** What an archive holds of how a turn came about: what anybody in its place may see of it. */

import { seatedSchema } from '../../council/events.ts';
import type { TurnStep } from '../../council/past-turn.ts';
import type { Step } from '../../store/store.ts';

const keepers: Readonly<Record<TurnStep['kind'], (step: Step) => readonly Step[]>> = {
  // Prompts are for those who made them.
  seated: (step) => {
    const seated = seatedSchema.parse(step.data);
    const seats = seated.seats.map(({ sage: { prompt: _, ...sage }, ...seat }) => ({
      ...seat,
      sage,
    }));
    return [{ ...step, data: { ...seated, seats } }];
  },
  reviewed: (step) => [step],
  ranked: (step) => [step],
  verdict: (step) => [step],
  // What was recalled is named by the ids of other threads.
  ended: (step) => {
    const { memory: _, ...ended } = step.data;
    return [{ ...step, data: ended }];
  },
  settings: () => [],
  shown: () => [],
  feedback: () => [],
};
const byKind = new Map<string, (step: Step) => readonly Step[]>(Object.entries(keepers));

/** A step as an archive holds it; none of a kind that is not for everybody, or not known. */
export function archivedSteps(step: Step): readonly Step[] {
  return byKind.get(step.kind)?.(step) ?? [];
}

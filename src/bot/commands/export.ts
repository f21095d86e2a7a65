/** What was said in a place, as far as a person there may export it. */

import type { TurnStep } from '../../council/past-turn.ts';
import { seatedSchema } from '../../domain/turn.ts';
import { type ReadPlace, readPlace } from '../../memory/export/read-place.ts';
import type { Step, Store } from '../../store/store.ts';
import type { Here } from '../places/channels.ts';
import { assertManager } from './rights.ts';

/** Throws `CommandError` without the permission. */
export async function exportFor(
  { place, person }: Pick<Here, 'place' | 'person'>,
  { store }: { readonly store: Pick<Store, 'turns' | 'messages' | 'memories'> },
  reach: 'thread' | 'channel',
): Promise<ReadPlace> {
  const { threadId, isPrivate = true, isPrivateThread = false } = place;
  if (reach === 'channel') {
    assertManager(person, 'take all of it along; without a scope you get this thread');
  }
  // A private thread sees no other thread, like a place that everybody can read.
  const seenFrom = isPrivate && !isPrivateThread ? 'private' : 'public';
  return readPlace(store, { threadId, reach }, seenFrom, exportedSteps);
}

/** The steps of a turn that an export contains: those that everybody in its place may see. */
const keepers: Readonly<Record<TurnStep['kind'], (step: Step) => readonly Step[]>> = {
  // Prompts belong to the people who made them.
  seated: (step) => {
    const seated = seatedSchema.parse(step.data);
    const seats = seated.seats.map(({ sage: { prompt: _, ...sage }, ...seat }) => ({
      ...seat,
      sage,
    }));
    return [{ ...step, data: { ...seated, seats } }];
  },
  own_answer: (step) => [step],
  reviewed: (step) => [step],
  docket: (step) => [step],
  rebutted: (step) => [step],
  recast: (step) => [step],
  ranked: (step) => [step],
  verdict: (step) => [step],
  // Recalled memories carry the ids of other threads.
  ended: (step) => {
    const { memory: _, ...ended } = step.data;
    return [{ ...step, data: ended }];
  },
  // People have not said that to the council.
  heard: () => [],
  deepened: () => [],
  scored: (step) => [step],
  settings: () => [],
  shown: () => [],
  feedback: () => [],
  followed: (step) => [step],
  // Where it is in the channel says nothing elsewhere.
  posted: ({ data: { post: _, ...data }, ...step }) => [{ ...step, data }],
};
const byKind = new Map<string, (step: Step) => readonly Step[]>(Object.entries(keepers));

/** A step as an export contains it; none if its kind is unknown or not for everybody. */
export function exportedSteps(step: Step): readonly Step[] {
  return byKind.get(step.kind)?.(step) ?? [];
}

/** How deep a turn goes: as it was asked, as its channel is set, or as the moderator thinks the question deserves. */

import { type Depth, depths, type WishedDepth } from '../domain/asking.ts';
import type { Seated, TurnRequest } from '../domain/turn.ts';

/** Where the moderator has not said, e.g. because the seats are fixed. */
const usualDepth: Depth = 'standard';

/** The depth that a question may reach: `auto` stays within what its channel is set to. */
export function deepestFor(wished: WishedDepth | undefined, ofChannel: WishedDepth): Depth {
  const depth = wished ?? ofChannel;
  if (depth !== 'auto') return depth;
  return ofChannel === 'auto' ? 'deep' : ofChannel;
}

/** The depth that a turn goes to. */
export function depthOf(
  request: Pick<TurnRequest, 'depth' | 'depthUpTo'>,
  ofChannel: WishedDepth,
  seated: Pick<Seated, 'depth'>,
): Depth {
  const most = deepestFor(request.depth, ofChannel);
  if (!isLeftOpen(request, ofChannel)) return most;
  const bounds = [most, request.depthUpTo ?? most, seated.depth ?? usualDepth];
  return depths.find((one) => bounds.includes(one)) ?? usualDepth;
}

/** Whether the moderator is to say how deep a question goes. */
export function isLeftOpen({ depth }: Pick<TurnRequest, 'depth'>, ofChannel: WishedDepth): boolean {
  return (depth ?? ofChannel) === 'auto';
}

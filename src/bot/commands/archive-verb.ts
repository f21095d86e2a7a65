/** What was said in a place, as far as a person there may take it along. */

import { CommandError, type Person, type Place } from '../../../commands/command.ts';
import { type ReadPlace, readPlace } from '../../memory/export/read-place.ts';
import type { Store } from '../../store/store.ts';
import { archivedSteps } from './archived-steps.ts';

/** Throws `CommandError` without the permission. */
export async function archiveFor(
  store: Pick<Store, 'turns' | 'messages' | 'memories'>,
  {
    threadId,
    isPrivate = true,
    isPrivateThread = false,
  }: Pick<Place, 'threadId' | 'isPrivate' | 'isPrivateThread'>,
  { isManager }: Pick<Person, 'isManager'>,
  reach: 'thread' | 'channel',
): Promise<ReadPlace> {
  if (reach === 'channel' && !isManager) {
    throw new CommandError(
      'Only those who may manage this channel can take all of it along. Without a scope you get this thread.',
    );
  }
  // From a private thread no other is seen, as from a place that everybody can read.
  const seenFrom = isPrivate && !isPrivateThread ? 'private' : 'public';
  return readPlace(store, { threadId, reach }, seenFrom, archivedSteps);
}

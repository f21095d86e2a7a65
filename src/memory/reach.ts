import type { MemoryScope } from '../store/store.ts';

/**
 * How far what is recalled may come from. Where people of elsewhere may read along, nothing of other
 * channels is shown.
 */
export function reachWhere(
  isOpenOutside: boolean,
  reach: MemoryScope['reach'],
): MemoryScope['reach'] {
  return isOpenOutside && reach === 'workspace' ? 'channel' : reach;
}

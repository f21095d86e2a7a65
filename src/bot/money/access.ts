/** Whose requests the operator pays for: lists of workspaces, servers and people in the operator's file. */

import { partsOf } from '../../domain/thread-id.ts';
import type { Payer } from './claims.ts';

/**
 * Each entry is a workspace or server (`slack:T0123ABCD`, `discord:123456789012345678`), a person
 * wherever they are (`discord:@123456789012345678`), or a platform (`discord:*`).
 */
export interface AccessLists {
  /** Absent: everybody who is not denied. */
  readonly allow?: readonly string[] | undefined;
  /** Goes before what is allowed. */
  readonly deny?: readonly string[] | undefined;
}

/** For people; tells nobody how the lists are made up. */
export const notLetIn =
  'Sorry, this council isn’t open to you here. The people who run it can let you in.';

/** Whoever sits at the operator's own terminal is on no list. */
const ownPlatform = 'terminal';

/**
 * Whether the operator pays for a request. What nobody asked for is done wherever the place is not
 * denied: it is about what was asked there before.
 */
export function isLetIn(
  { allow, deny = [] }: AccessLists,
  { threadId, userId }: Pick<Payer, 'threadId' | 'userId'>,
): boolean {
  const { platform, workspace } = partsOf(threadId);
  if (platform === ownPlatform) return true;
  const names = [
    `${platform}:*`,
    `${platform}:${workspace}`,
    ...(userId === undefined ? [] : [`${platform}:@${userId}`]),
  ];
  const isIn = (list: readonly string[]) => names.some((name) => list.includes(name));
  if (isIn(deny)) return false;
  return allow === undefined || userId === undefined || isIn(allow);
}

/** Whose requests the operator pays for: lists of workspaces, servers and people in the operator's file. */

import { partsOf } from '../../domain/thread-id.ts';
import { NotLetInError, type Payer } from './budgets.ts';

/**
 * Each entry is a workspace or server (`slack:T0123ABCD`, `discord:123456789012345678`), a person
 * wherever they are (`discord:@123456789012345678`), or a platform (`discord:*`).
 */
export interface AccessLists {
  /** Absent: everybody is allowed who is not denied. */
  readonly allow?: readonly string[] | undefined;
  /** Takes precedence over `allow`. */
  readonly deny?: readonly string[] | undefined;
}

/** For people; it must not reveal the lists. */
const notLetIn =
  'Sorry, this council isn’t open to you here. The people who run it can let you in.';

/** The lists do not apply to the operator's own terminal, nor to the web, where the operator's keys say who may ask. */
const ownPlatforms: ReadonlySet<string> = new Set(['terminal', 'web']);

/**
 * Whether the operator pays for a request. Work that no person asked for is done unless the place is denied:
 * it is about what was asked there before.
 */
export function isLetIn(
  { allow, deny = [] }: AccessLists,
  { threadId, userId }: Pick<Payer, 'threadId' | 'userId'>,
): boolean {
  const { platform, workspace } = partsOf(threadId);
  if (ownPlatforms.has(platform)) return true;
  const names = [
    `${platform}:*`,
    `${platform}:${workspace}`,
    ...(userId === undefined ? [] : [`${platform}:@${userId}`]),
  ];
  const isIn = (list: readonly string[]) => names.some((name) => list.includes(name));
  if (isIn(deny)) return false;
  return allow === undefined || userId === undefined || isIn(allow);
}

/** Throws {@link NotLetInError} unless {@link isLetIn}. */
export function assertLetIn(lists: AccessLists, payer: Payer): void {
  if (!isLetIn(lists, payer)) throw new NotLetInError(notLetIn);
}
